"""Output and assertions: calls of `vprintf` and `__assertfail`, which the driver provides.

One thread of the block prints. A scalar is printed as in C, a tile as nested lists of elements.
Source: CUDA C++ Programming Guide, "Formatted Output" and "Assertion".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    Float64Type,
    IntegerType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.allocation.scratch_requests import windows_of
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nvvm.attributes import GridDependency
from tileir_xdsl.dialects.nvvm.miscellaneous import GriddepcontrolOp
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets import Feature

from ..arithmetic.float_formats import convert_floats
from ..shared_memory.staging_buffers import StagingBuffer, StagingSlice
from ..thread.device_calls import call, first_thread, go_on, only_where
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while

# The limit of `printf` on devices (CUDA C++ Programming Guide, "Limitations").
MAX_ARGUMENTS = 32
"""How many values one call of `vprintf` may print."""

_EXPRESSION = re.compile(
    r"%(?P<flags>[^diuoxXeEfFgGaAcsSpn%]*)(?P<conversion>[diuoxXeEfFgGaAcsSpn%])"
)
_LENGTH_MODIFIERS = re.compile(r"[hlLqjzt]+")


@dataclass(frozen=True)
class FormatPart:
    """Text to print; with a value, the value's `printf` conversion."""

    text: str
    value: SSAValue | None = None


@dataclass(frozen=True)
class TileInWindows:
    """A tile that is too large for scratch memory, and its number among the op's staged tiles."""

    values: Sequence[SSAValue]
    layout: LinearLayout
    number: int


@dataclass(frozen=True)
class Printed:
    """Text followed by the elements of an operand; a large tile is staged window by window."""

    text: str
    type: Attribute
    operand: Sequence[SSAValue] | TileInWindows
    flags: str = ""
    conversion: str = ""


class LowerPrint(LowerOp[nv_tileaa.PrintOp]):
    """Lets thread 0 print everything, in calls of at most 32 values."""

    def lower(self, op: nv_tileaa.PrintOp, rewriter: ThreadRewriter) -> None:
        staged = count()
        elements = [self._elements(op, value, staged, rewriter) for value in op.args]
        group: list[Printed] = []
        for piece in _pieces(op, elements):
            if isinstance(piece.operand, TileInWindows):
                self._print_pieces(group, rewriter)
                print_in_windows(op, piece, rewriter)
                group = []
            else:
                group.append(piece)
        self._print_pieces(group, rewriter)

    def _elements(
        self,
        op: nv_tileaa.PrintOp,
        value: SSAValue,
        staged: Iterator[int],
        rewriter: ThreadRewriter,
    ) -> Sequence[SSAValue] | TileInWindows:
        """All elements of a tile in row-major order, loaded by every thread; a large tile is left
        for windows.
        """
        layout, registers = layout_of(op, value), rewriter.registers(value)
        if layout is None:
            return registers
        number, whole = next(staged), StagingSlice.whole(layout.shape)
        if windows_of(op, number) > 1:
            return TileInWindows(registers, layout, number)
        staging = StagingBuffer(op, layout.size, registers[0], rewriter, number=number)
        staging.store(registers, layout, whole)
        rewriter.barrier()
        return [staging.load(None, StagingSlice(number, ()))[0] for number in range(layout.size)]

    def _print_pieces(self, pieces: Sequence[Printed], rewriter: ThreadRewriter) -> None:
        """Prints text and elements, which every thread holds, from thread 0."""
        if not pieces:
            return
        after = only_where(rewriter, first_thread(rewriter))
        parts: list[FormatPart] = []
        for piece in pieces:
            assert not isinstance(piece.operand, TileInWindows)
            tile = tile_shape(piece.type)
            printed = [
                _element(piece.flags, piece.conversion, value, tile.element, rewriter)
                for value in piece.operand
            ]
            parts += [FormatPart(piece.text), *(_list(printed, tile.shape) if printed else ())]
        for text, values in _calls(parts):
            _print(text, values, rewriter)
        go_on(rewriter, after)


def _print(text: str, values: Sequence[SSAValue], rewriter: ThreadRewriter) -> None:
    """A call of `vprintf`."""
    builder = rewriter.builder
    offsets: list[int] = []
    size = 0
    for value in values:
        # `vprintf` finds each argument at a multiple of its size, as in a structure of C.
        width = 8 if value.type != i32 else 4
        size = -(-size // width) * width
        offsets.append(size)
        size += width
    words = builder.integer(max(1, -(-size // 8)), i32)
    stack = builder.insert(llvm.AllocaOp(words, i64))
    for value, offset in zip(values, offsets, strict=True):
        position = builder.element_pointer(stack, offset, IntegerType(8))
        builder.store(position, [value], 8 if value.type != i32 else 4, [None])
    call(rewriter, "vprintf", [rewriter.text(text), stack], i32)


def print_in_windows(op: nv_tileaa.PrintOp, piece: Printed, rewriter: ThreadRewriter) -> None:
    """Prints a tile that is too large for scratch memory, by a loop for each window of elements."""
    tile = piece.operand
    assert isinstance(tile, TileInWindows)
    builder, size = rewriter.builder, tile.layout.size
    one, shape = builder.integer(1, i32), tile.layout.shape
    # The elements of the sublists of each depth: a list begins, or ends, at their multiples.
    extents = [prod(shape[depth:]) for depth in range(len(shape))]
    staging = StagingBuffer(op, size, tile.values[0], rewriter, number=tile.number)
    for window in staging.windows:
        if window is not staging.window:
            rewriter.barrier()
        staging.window = window
        staging.store(tile.values, tile.layout, StagingSlice.whole(shape))
        rewriter.barrier()
        first = window.start // staging.bytes
        end = builder.integer(first + window.size // staging.bytes, i32)

        def print_one(state: State, first: int = first) -> State:
            (number,) = state
            following = builder.compute(llvm.AddOp, number, one)
            for extent in extents:
                _print_where_divisible(number, extent, "[", rewriter)
            value = staging.element(builder.integer(builder.add(number, -first, i32), i32))
            element = tile_shape(piece.type).element
            part = _element(piece.flags, piece.conversion, value, element, rewriter)
            assert part.value is not None
            _print(part.text, [part.value], rewriter)
            for extent in reversed(extents):
                _print_where_divisible(following, extent, "]", rewriter)
            limit = builder.integer(size, i32)
            after = only_where(rewriter, builder.compare("ult", following, limit))
            _print(", ", [], rewriter)
            go_on(rewriter, after)
            return [following]

        after = only_where(rewriter, first_thread(rewriter))
        repeat_while(
            builder,
            [builder.integer(first, i32)],
            lambda state, end=end: builder.compare("ult", state[0], end),
            print_one,
            unrolled=False,
        )
        go_on(rewriter, after)


def _print_where_divisible(
    number: SSAValue, extent: int, text: str, rewriter: ThreadRewriter
) -> None:
    """Prints text where a number is a multiple of an extent, a power of two."""
    builder = rewriter.builder
    rest = builder.compute(llvm.AndOp, number, builder.integer(extent - 1, i32))
    after = only_where(rewriter, builder.compare("eq", rest, builder.integer(0, i32)))
    _print(text, [], rewriter)
    go_on(rewriter, after)


def _pieces(
    op: nv_tileaa.PrintOp, elements: Sequence[Sequence[SSAValue] | TileInWindows]
) -> Iterator[Printed]:
    """Yields the operands in the order of the format, each with the text before it."""
    operands = iter(zip(op.args, elements, strict=True))
    text, end, pending = op.format.data, 0, ""
    for match in _EXPRESSION.finditer(text):
        pending += text[end : match.start()].replace("%", "%%")
        end = match.end()
        if match["conversion"] == "%":
            pending += "%%"
            continue
        value, values = next(operands)
        if isinstance(values, TileInWindows):
            yield Printed(pending, value.type, ())
            pending = ""
        # The width follows from the type of the value, whatever the format said.
        flags = _LENGTH_MODIFIERS.sub("", match["flags"])
        yield Printed(pending, value.type, values, flags, match["conversion"])
        pending = ""
    yield Printed(pending + text[end:].replace("%", "%%"), i32, ())


def _list(elements: Sequence[FormatPart], shape: Sequence[int]) -> Iterator[FormatPart]:
    """The elements of a tile in row-major order as a list of lists; a scalar as it is."""
    if not shape:
        yield from elements
        return
    size = len(elements) // shape[0]
    yield FormatPart("[")
    for index in range(shape[0]):
        if index:
            yield FormatPart(", ")
        yield from _list(elements[index * size : (index + 1) * size], shape[1:])
    yield FormatPart("]")


def _element(
    flags: str, conversion: str, value: SSAValue, element: Attribute, rewriter: ThreadRewriter
) -> FormatPart:
    """One value, promoted as in C, and its `printf` conversion."""
    builder = rewriter.builder
    if isinstance(element, IntegerType):
        is_signed = conversion in "di" and element.width.data > 1
        # C promotes narrower integers to `int` in variadic calls.
        if element.width.data < 32:
            extend = llvm.SExtOp if is_signed else llvm.ZExtOp
            value = builder.insert(extend(value, i32))
        length = "ll" if element.width.data == 64 else ""
        return FormatPart(f"%{flags}{length}{conversion}", value)
    if isinstance(element, AnyFloat):
        # C promotes floats to `double`; all of ours are exact in it.
        if not isinstance(element, Float64Type):
            mode = RoundingMode.NEAREST_EVEN
            (value,) = convert_floats(
                builder, rewriter.function.target, [value], element, f32, mode
            )
            value = builder.insert(llvm.FPExtOp(value, f64))
        return FormatPart(f"%{flags}{conversion}", value)
    return FormatPart(f"%{flags}{conversion}", builder.insert(llvm.PtrToIntOp(value, i64)))


def _calls(parts: Sequence[FormatPart]) -> Iterator[tuple[str, list[SSAValue]]]:
    """Splits text and values into the arguments of calls of `vprintf`."""
    text, values = "", list[SSAValue]()
    for part in parts:
        # Split before the value, so that its text stays with it.
        if part.value is not None and len(values) == MAX_ARGUMENTS:
            yield text, values
            text, values = "", []
        text += part.text
        if part.value is not None:
            values.append(part.value)
    if text:
        yield text, values


class LowerAssert(LowerOp[nv_tileaa.AssertOp]):
    """Ends the kernel from any thread that has a false element."""

    def lower(self, op: nv_tileaa.AssertOp, rewriter: ThreadRewriter) -> None:
        builder = rewriter.builder
        # Equal registers, as of a splat, are tested once.
        holds = builder.conjunction(list(dict.fromkeys(rewriter.registers(op.condition))))
        assert holds is not None
        is_false = builder.insert(llvm.XOrOp(holds, builder.integer(1, IntegerType(1))))
        after = only_where(rewriter, is_false)
        # Message, file, line, function and bytes of a character, as CUDA's `assert` passes them.
        arguments = [
            rewriter.text(op.message.data),
            rewriter.text(""),
            builder.integer(0, i32),
            rewriter.text(rewriter.function.variables.function),
            builder.integer(1, i64),
        ]
        call(rewriter, "__assertfail", arguments, None)
        go_on(rewriter, after)


GRID_DEPENDENCIES = {
    nv_tileaa.GdcLaunchDependentsOp: GridDependency.LAUNCH_DEPENDENTS,
    nv_tileaa.GdcWaitOp: GridDependency.WAIT,
}


class LowerGridDependency(LowerOp[nv_tileaa.GdcWaitOp]):
    """Emits the instruction of a programmatic dependent launch.

    Targets without such launches need no code: a grid starts when all earlier grids are complete.
    """

    def lower(self, op: nv_tileaa.GdcWaitOp, rewriter: ThreadRewriter) -> None:
        if Feature.DEPENDENT_GRIDS not in rewriter.function.target.features:
            return
        rewriter.builder.insert_without_result(GriddepcontrolOp(GRID_DEPENDENCIES[type(op)]))


PATTERNS: Patterns = {
    nv_tileaa.AssertOp: LowerAssert,
    nv_tileaa.GdcLaunchDependentsOp: LowerGridDependency,
    nv_tileaa.GdcWaitOp: LowerGridDependency,
    nv_tileaa.PrintOp: LowerPrint,
}
