"""Facts of compiled kernels that launches need in addition to the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Attribute

from tileir_xdsl.analysis.iteration_space.overlaps import overlaps_itself
from tileir_xdsl.dialects.tilecpu.core import ARENA_BYTES, BLOCKS_PER_TASK, DISTINCT
from tileir_xdsl.dialects.tilecpu.types import BufferType
from tileir_xdsl.interpreters.element_types import element_of

SITES = "tilecpu.sites"
SERIAL = "tilecpu.serial"
"""Attributes of a function: see `CPUKernelFacts`."""


@dataclass(frozen=True)
class Site:
    """An op that may report a fault, or that prints."""

    op: str
    location: str
    message: str = ""
    """The text of an assertion, or the format that is printed."""
    operands: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """The numpy name of the type, and the shape, of each operand that is printed."""


class Number(NamedTuple):
    """A number, or the index of the argument that has it; both are None if it is unknown."""

    known: int | None
    argument: int | None

    def value(self, slots: Sequence[int]) -> int | None:
        """The number in a launch with these arguments."""
        return self.known if self.argument is None else slots[self.argument]


class TileDimension(NamedTuple):
    """The extent of a tile in one dimension, with size and stride of the array, in elements."""

    tile: int
    size: Number
    stride: Number


@dataclass(frozen=True)
class DistinctTile:
    """A tile that is loaded and stored part by part, as if all its elements were distinct."""

    location: str
    dimensions: tuple[TileDimension, ...]

    def overlaps_itself(self, slots: Sequence[int]) -> bool:
        """Whether elements share an address in a launch with these arguments."""
        shape, strides = list[int](), list[int]()
        for tile, size, stride in self.dimensions:
            known = size.value(slots)
            shape.append(tile if known is None else min(tile, known))
            strides.append(stride.value(slots) or 0)
        return overlaps_itself(shape, strides)


@dataclass(frozen=True)
class CPUKernelFacts:
    """A compiled kernel: see `runtime.cpu.launching`."""

    name: str
    arena_bytes: int
    """The bytes of scratch memory of a thread."""
    blocks_per_task: int
    """The most tile blocks that a thread runs at once; 0 means 1."""
    is_serial: bool
    """Whether the kernel's tile blocks run one after the other, in order."""
    sites: tuple[Site, ...]
    distinct: tuple[DistinctTile, ...] = ()
    """The tiles that must not overlap themselves."""


def kernel_facts(module: ModuleOp) -> list[CPUKernelFacts]:
    """The kernels of a module of `llvm` ops, in order."""
    return [
        CPUKernelFacts(
            op.sym_name.data,
            _number(op.attributes.get(ARENA_BYTES)),
            _number(op.attributes.get(BLOCKS_PER_TASK)),
            SERIAL in op.attributes,
            tuple(_site(each) for each in _list(op.attributes.get(SITES))),
            tuple(_distinct(each) for each in _list(op.attributes.get(DISTINCT))),
        )
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and op.body.blocks and SITES in op.attributes
    ]


def _site(attribute: Attribute) -> Site:
    assert isinstance(attribute, DictionaryAttr)
    op, location, message = (_text(attribute.data.get(n)) for n in ("op", "location", "message"))
    operands = tuple(_operand(each) for each in _list(attribute.data.get("operands")))
    return Site(op, location, message, operands)


def _distinct(attribute: Attribute) -> DistinctTile:
    assert isinstance(attribute, DictionaryAttr)
    rows = _list(attribute.data["dimensions"])
    return DistinctTile(_text(attribute.data["location"]), tuple(map(_dimension, rows)))


def _dimension(row: Attribute) -> TileDimension:
    assert isinstance(row, DictionaryAttr)
    size, stride = _fact(row.data, "size"), _fact(row.data, "stride")
    return TileDimension(_number(row.data["tile"]), size, stride)


def _fact(row: Mapping[str, Attribute], name: str) -> Number:
    known, argument = (row.get(each) for each in (name, f"{name}_argument"))
    return Number(
        None if known is None else _number(known), None if argument is None else _number(argument)
    )


def _operand(buffer: Attribute) -> tuple[str, tuple[int, ...]]:
    assert isinstance(buffer, BufferType)
    return element_of(buffer.element_type).dtype.name, buffer.get_shape()


def _text(attribute: Attribute | None) -> str:
    return attribute.data if isinstance(attribute, StringAttr) else ""


def _number(attribute: Attribute | None) -> int:
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def _list(attribute: Attribute | None) -> list[Attribute]:
    return list(attribute.data) if isinstance(attribute, ArrayAttr) else []
