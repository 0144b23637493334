"""Facts of compiled kernels that launches need in addition to the code."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Attribute

from tileir_xdsl.dialects.tilecpu.types import BufferType
from tileir_xdsl.interpreters.element_types import element_of

ARENA_BYTES = "tilecpu.arena_bytes"
BLOCKS_PER_TASK = "tilecpu.blocks_per_task"
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


def kernel_facts(module: ModuleOp) -> list[CPUKernelFacts]:
    """The kernels of a module of `llvm` ops, in order."""
    return [
        CPUKernelFacts(
            op.sym_name.data,
            _number(op.attributes.get(ARENA_BYTES)),
            _number(op.attributes.get(BLOCKS_PER_TASK)),
            SERIAL in op.attributes,
            tuple(_site(each) for each in _list(op.attributes.get(SITES))),
        )
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and op.body.blocks and SITES in op.attributes
    ]


def _site(attribute: Attribute) -> Site:
    assert isinstance(attribute, DictionaryAttr)
    op, location, message = (_text(attribute.data.get(n)) for n in ("op", "location", "message"))
    operands = tuple(_operand(each) for each in _list(attribute.data.get("operands")))
    return Site(op, location, message, operands)


def _operand(buffer: Attribute) -> tuple[str, tuple[int, ...]]:
    assert isinstance(buffer, BufferType)
    return element_of(buffer.element_type).dtype.name, buffer.get_shape()


def _text(attribute: Attribute | None) -> str:
    return attribute.data if isinstance(attribute, StringAttr) else ""


def _number(attribute: Attribute | None) -> int:
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def _list(attribute: Attribute | None) -> list[Attribute]:
    return list(attribute.data) if isinstance(attribute, ArrayAttr) else []
