"""Output and assertions: calls of `vprintf` and `__assertfail`, which the driver provides.

One thread of the block prints. A scalar prints as C prints it, a tile as nested lists of elements.
Source: CUDA C++ Programming Guide, "Formatted Output" and "Assertion".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nvvm.attributes import GridDependency
from tileir_xdsl.dialects.nvvm.miscellaneous import GriddepcontrolOp
from tileir_xdsl.targets import Feature

from ..arithmetic.float_formats import convert_floats
from ..shared_memory.staging_buffers import StagingBuffer, StagingSlice
from ..thread.device_calls import call, first_thread, go_on, only_where
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter

# The limit of `printf` on devices (CUDA C++ Programming Guide, "Limitations").
MAX_ARGUMENTS = 32
"""Values that one call may print."""

_EXPRESSION = re.compile(
    r"%(?P<flags>[^diuoxXeEfFgGaAcsSpn%]*)(?P<conversion>[diuoxXeEfFgGaAcsSpn%])"
)
_LENGTH_MODIFIERS = re.compile(r"[hlLqjzt]+")


@dataclass(frozen=True)
class FormatPart:
    """Text, or one value and how to print it."""

    text: str
    value: SSAValue | None = None


class LowerPrint(LowerOp[nv_tileaa.PrintOp]):
    """Thread 0 prints everything, in calls of at most 32 values."""

    def lower(self, op: nv_tileaa.PrintOp, rewriter: ThreadRewriter) -> None:
        operands = [self._elements(op, value, rewriter) for value in op.args]
        after = only_where(rewriter, first_thread(rewriter))
        parts = list(self._format_parts(op, operands, rewriter))
        for text, values in _calls(parts):
            self._print(text, values, rewriter)
        go_on(rewriter, after)

    def _elements(
        self, op: nv_tileaa.PrintOp, value: SSAValue, rewriter: ThreadRewriter
    ) -> Sequence[SSAValue]:
        """All elements of a tile in row-major order, in every thread."""
        layout, registers = layout_of(op, value), rewriter.registers(value)
        if layout is None:
            return registers
        staging = StagingBuffer(op, layout.size, registers[0], rewriter)
        staging.store(registers, layout, StagingSlice.whole(layout.shape))
        rewriter.barrier()
        return [staging.load(None, StagingSlice(number, ()))[0] for number in range(layout.size)]

    def _format_parts(
        self,
        op: nv_tileaa.PrintOp,
        elements: Sequence[Sequence[SSAValue]],
        rewriter: ThreadRewriter,
    ) -> Iterator[FormatPart]:
        operands = iter(zip(op.args, elements, strict=True))
        text, end = op.format.data, 0
        for match in _EXPRESSION.finditer(text):
            yield FormatPart(text[end : match.start()].replace("%", "%%"))
            end = match.end()
            if match["conversion"] == "%":
                yield FormatPart("%%")
                continue
            value, values = next(operands)
            # The width follows from the type of the value, whatever the format said.
            flags = _LENGTH_MODIFIERS.sub("", match["flags"])
            tile = tile_shape(value.type)
            printed = [
                _element(flags, match["conversion"], element, tile.element, rewriter)
                for element in values
            ]
            yield from _list(printed, tile.shape)
        yield FormatPart(text[end:].replace("%", "%%"))

    @staticmethod
    def _print(text: str, values: Sequence[SSAValue], rewriter: ThreadRewriter) -> None:
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
    """One value, promoted as C does, and its expression."""
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
    """Splits text and values into calls."""
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
    """Any thread that has a false element ends the kernel."""

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
    """The instruction of dependent launches, in the order that the token says.

    Without such launches a grid starts when all earlier ones are complete: nothing is left to do.
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
