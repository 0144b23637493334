"""The state shared by all parts of a program under construction: parameters, layouts, types."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    f16,
    f32,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa import (
    BlockTileOp,
    MakeMemRefOp,
    MemRefType,
    PointerType,
)
from tileir_xdsl.dialects.nv_tileas import AtomAttr, LayoutAttr, MakeTiledTmaDescOp, MemoryAttr
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.dialects.nv_tileas.layout import LayoutDescriptor, register_layout
from tileir_xdsl.layout.cute import SWIZZLE_32B, Layout
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing.programs.program import (
    ArrayParameter,
    Parameter,
    ScalarParameter,
    WholeArrayParameter,
)

Shape = tuple[int, ...]
TileType = TensorType[Attribute]

WARPS = 4
LANE_BITS, WARP_BITS = 5, 2
TILES = 16
"""The number of tiles in every array, which limits the stores to it."""

_MAGNITUDE = 8
"""The largest absolute value of integers; sums of their products are exact in f32."""

_ELEMENT_NAMES: dict[Attribute, str] = {i32: "i32", f16: "f16", f32: "f32"}
INDEX = IndexType()


@dataclass
class Draft:
    """The parts of a program under construction, and its random choices.

    Everything random comes from `random`, so that equal seeds give equal programs. `steps` is how
    many more rows the program may use. If `assigned`, tiles have layouts and accesses have atoms,
    as after layout assignment. Otherwise only results of `convert_layout` have layouts. Most tiles
    have `shape`. If it `mixes_allocations`, control flow may choose between buffers of two
    allocations. If it is `for_machine`, buffers are row-major, so that all views of a buffer agree
    on element addresses. Dots have integer operands, so that any order of summation is exact.
    """

    random: random.Random
    steps: int
    entry: Block
    assigned: bool
    shape: Shape
    mixes_allocations: bool = False
    for_machine: bool = False
    target: str = ""
    parameters: list[Parameter] = field(default_factory=list[Parameter])
    outputs: list[int] = field(default_factory=list[int])
    stored: dict[TileType, int] = field(default_factory=dict[TileType, int])
    layouts: dict[Shape, list[LayoutAttr]] = field(default_factory=dict[Shape, list[LayoutAttr]])
    has_agents: bool = False
    has_request: bool = False
    """Whether the program requests another tile block; a second request after a failed one is
    undefined.
    """
    _views: dict[tuple[str, Attribute, Shape], SSAValue] = field(
        default_factory=dict[tuple[str, Attribute, Shape], SSAValue]
    )
    _pointers: dict[tuple[str, Attribute, Shape], SSAValue] = field(
        default_factory=dict[tuple[str, Attribute, Shape], SSAValue]
    )
    _descriptors: dict[tuple[str, Attribute, Shape, str], SSAValue] = field(
        default_factory=dict[tuple[str, Attribute, Shape, str], SSAValue]
    )
    _numbers: dict[tuple[int, Attribute], SSAValue] = field(
        default_factory=dict[tuple[int, Attribute], SSAValue]
    )

    # Choices.

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    # Values of the entry block.

    def number(self, value: int, type_: IndexType | IntegerType = INDEX) -> SSAValue:
        """A constant at the beginning of the kernel."""
        if (value, type_) not in self._numbers:
            constant = arith.ConstantOp(IntegerAttr(value, type_))
            self._at_start(constant)
            self._numbers[value, type_] = constant.result
        return self._numbers[value, type_]

    def scalar(self, choices: tuple[int, ...]) -> SSAValue:
        """A new parameter of type i32; a launch passes one of `choices`."""
        return self._parameter(i32, ScalarParameter(choices))

    def view(self, kind: str, element: Attribute, shape: Shape) -> SSAValue:
        """The view of an array with `TILES` tiles of a shape, stacked along the first dimension.

        `kind` is `in` for a read-only array, `out` for a write-only one, and `whole` for a
        read-only one of small integers.
        """
        key = (kind, element, shape)
        if key not in self._views:
            if kind == "out":
                self.outputs.append(len(self.parameters))
            count = TILES * math.prod(shape)
            name = _ELEMENT_NAMES[element]
            parameter = ArrayParameter(name, count)
            if kind == "whole":
                parameter = WholeArrayParameter(name, count, _MAGNITUDE)
            pointer = self._parameter(PointerType(element), parameter)
            self._pointers[key] = pointer
            extents = (TILES * shape[0], *shape[1:])
            strides = [math.prod(extents[i + 1 :]) for i in range(len(extents))]
            memref = MakeMemRefOp(pointer, [], [], MemRefType(extents, element, strides))
            view = BlockTileOp(memref.result, shape, [[i] for i in range(len(shape))])
            self._at_start(memref, view)
            self._views[key] = view.result
        return self._views[key]

    def pointer(self, kind: str, element: Attribute, shape: Shape) -> SSAValue:
        """The pointer to the array of `view` with these arguments."""
        self.view(kind, element, shape)
        return self._pointers[kind, element, shape]

    def descriptor(self, kind: str, element: Attribute, shape: Shape, atom: str) -> SSAValue:
        """The tensor map of an array of `view`, for boxes of `shape` or for single rows."""
        key = (kind, element, shape, atom)
        if key not in self._descriptors:
            view, box = self.view(kind, element, shape), shape
            after = view.owner
            assert isinstance(after, Operation)
            if "4" in atom:
                # Rows are copied one by one, wherever they are.
                box = (1, *shape[1:])
                owner = after.operands[0]
                rows = BlockTileOp(owner, box, [[i] for i in range(len(shape))])
                self.entry.insert_op_after(rows, after)
                view, after = rows.result, rows
            extents = [arith.ConstantOp(IntegerAttr(extent, INDEX)) for extent in box]
            made = MakeTiledTmaDescOp(
                view,
                [extent.result for extent in extents],
                AtomAttr(atom),
                tma_index=len(self._descriptors),
            )
            self.entry.insert_ops_after([*extents, made], after)
            self._descriptors[key] = made.result
        return self._descriptors[key]

    def _parameter(self, type_: Attribute, parameter: Parameter) -> SSAValue:
        self.parameters.append(parameter)
        return self.entry.insert_arg(type_, len(self.entry.args))

    def _at_start(self, *ops: Operation) -> None:
        first = self.entry.first_op
        if first is None:
            self.entry.add_ops(ops)
        else:
            self.entry.insert_ops_before(ops, first)

    # Types.

    def tile(self, element: Attribute, shape: Shape) -> TileType:
        """The type of a tile in registers, with one of the program's layouts for its shape."""
        if not self.assigned:
            return TensorType(element, shape)
        return TensorType(element, shape, self.layout(shape))

    def layout(self, shape: Shape) -> LayoutAttr:
        """One of the program's three layouts for a shape."""
        if shape not in self.layouts:
            self.layouts[shape] = [self._new_layout(shape) for _ in range(3)]
        return self.random.choice(self.layouts[shape])

    def _new_layout(self, shape: Shape) -> LayoutAttr:
        """A layout that distributes the bits of the element index randomly over registers, lanes
        and warps.
        """
        bits = [1 << i for i in range(math.prod(shape).bit_length() - 1)]
        self.random.shuffle(bits)
        lane, bits = _dealt(bits, LANE_BITS)
        warp, bits = _dealt(bits, WARP_BITS)
        return register_layout(LinearLayout(tuple(bits), lane, warp, (), shape))

    def memory(self, shape: Shape) -> MemoryAttr:
        """The encoding of a buffer in shared memory; it may have a layout."""
        rows, columns = math.prod(shape[:-1]), shape[-1]
        layouts: list[LayoutDescriptor | None] = [None, None]
        row_major = Layout((rows, columns), (columns, 1))
        if self.for_machine:
            return MemoryAttr(Residency.SHARED)
        if len(shape) == 2 and not self.mixes_allocations:
            layouts += [
                LayoutDescriptor(row_major),
                LayoutDescriptor(row_major, SWIZZLE_32B),
                LayoutDescriptor(Layout((rows, columns), (1, rows))),
            ]
        layout = self.random.choice(layouts)
        return MemoryAttr(Residency.SHARED, None if layout is None else LayoutAttr(layout))

    def atom(self, name: str) -> AtomAttr | None:
        """The atom of an access, if the program is `assigned`."""
        return AtomAttr(name) if self.assigned else None

    def reserve(self, type_: TileType, count: int) -> int | None:
        """The index of the first of `count` unused tiles in the output array of a type; None if it
        is full.
        """
        key = TensorType(type_.element_type, type_.get_shape())
        first = self.stored.get(key, 0)
        if first + count > TILES:
            return None
        self.stored[key] = first + count
        return first


def _dealt(bits: list[int], count: int) -> tuple[tuple[int, ...], list[int]]:
    """The first `count` index bits as bases, padded with zeros, and the other bits."""
    taken = bits[:count]
    return (*taken, *[0] * (count - len(taken))), bits[count:]


def splat(type_: Attribute, number: int) -> DenseIntOrFPElementsAttr:
    """The value of a constant tile with equal elements."""
    assert isinstance(type_, TensorType)
    shape, encoding = type_.get_shape(), type_.encoding
    match type_.element_type:
        case Float32Type() as element:
            type_ = TensorType(element, shape, encoding)
            return DenseIntOrFPElementsAttr.from_list(type_, [float(number)])
        case IntegerType() as element:
            return DenseIntOrFPElementsAttr.from_list(
                TensorType(element, shape, encoding), [number]
            )
        case element:
            raise TypeError(f"no tile of numbers: {element}")
