"""The tile of a view that a nest accesses: its start, and the extents of the array from there.

Facts about a whole tile are computed once, before the nest: its address, and whether it is inside
of the view and in an array.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.dialects.tilecpu.types import element_bytes

from .elementwise import resize_integer
from .intrinsics import intrinsic, select
from .kernel import Kernel, Number, View


@dataclass(frozen=True)
class Window:
    """One tile in an array."""

    view: View
    pointer: SSAValue
    """The address of the tile's first element."""
    limits: tuple[SSAValue, ...]
    """The elements of the array along each dimension, from the start of the tile."""

    def stride(self, dim: int) -> Number:
        """The distance between neighbours along a dimension of the tile, in elements."""
        return self.view.memory.strides[self.view.dims[dim]]


ViewAccess = tilecpu.LoadOp | tilecpu.StoreOp | tilecpu.AtomicUpdateOp


def window_of(kernel: Kernel, op: ViewAccess) -> Window:
    """The tile that an op accesses."""
    code, view = kernel.code, kernel.views[op.view]
    offset = code.integer(0)
    limits: list[SSAValue] = []
    for coord, step, dim in zip(op.coords, view.steps, view.dims, strict=True):
        size = kernel.number(view.memory.sizes[dim])
        index = resize_integer(code, kernel.values[coord], i64, signed=False)
        # Coordinates are unsigned; one beyond the last tile names none.
        least = intrinsic(
            code, "umin", index, intrinsic(code, "umin", size, _last_index(code, step))
        )
        first = code.times(least, code.integer(step))
        start = intrinsic(code, "umin", first, size)
        limits.append(code.add(llvm.SubOp(size, start)))
        stride = kernel.number(view.memory.strides[dim])
        offset = code.plus(offset, code.times(start, stride))
    size_in_bytes = code.integer(element_bytes(view.memory.element))
    pointer = code.offset(view.memory.base, code.times(offset, size_in_bytes))
    return Window(view, pointer, tuple(limits))


def _last_index(code: LLVMCode, step: int) -> SSAValue:
    """The index of a tile beyond all arrays, whose first element still has a number of 64 bits."""
    return code.integer((1 << 63) // step)


_FARTHEST = 1 << 62
"""A number of bytes larger than any array; larger addresses and distances are clamped to it."""


def check_window(kernel: Kernel, op: Operation, window: Window) -> None:
    """Emits code that ends the kernel unless the bytes of the tile inside of the view belong to an
    array.
    """
    if not kernel.is_checked:
        return
    code = kernel.code
    size = element_bytes(window.view.memory.element)
    zero = code.integer(0)
    low = high = zero
    is_empty: SSAValue | None = None
    rank = len(window.limits)
    for dim, (limit, tile) in enumerate(zip(window.limits, window.view.tile, strict=True)):
        count = intrinsic(code, "umin", limit, code.integer(tile))
        empty = code.compare("eq", count, zero)
        is_empty = empty if is_empty is None else code.add(llvm.OrOp(is_empty, empty))
        last = code.add(llvm.SubOp(count, code.integer(1)))
        stride = window.stride(dim)
        # Products with a larger stride would wrap around.
        farthest = _FARTHEST // (2 * rank * tile * size)
        if isinstance(stride, int):
            stride = min(stride, farthest)
        else:
            stride = intrinsic(code, "smin", stride, code.integer(farthest))
            stride = intrinsic(code, "smax", stride, code.integer(-farthest))
        reach = code.times(last, kernel.number(stride))
        low = code.plus(low, intrinsic(code, "smin", reach, zero))
        high = code.plus(high, intrinsic(code, "smax", reach, zero))
    address = kernel.address(window.pointer)
    address = intrinsic(code, "umin", address, code.integer(_FARTHEST))
    start = code.plus(address, code.times(low, code.integer(size)))
    start = intrinsic(code, "smax", start, zero)
    above = code.plus(high, code.integer(1))
    end = code.plus(address, code.times(above, code.integer(size)))
    if is_empty is not None:
        end = select(code, is_empty, start, end)
    kernel.check_range(op, start, end)


def is_whole(code: LLVMCode, window: Window, promised: Sequence[bool]) -> SSAValue | None:
    """Emits a test whether all elements of a tile are inside of the array; None if the program
    promises so.
    """
    whole: SSAValue | None = None
    sizes = zip(window.limits, window.view.tile, promised, strict=True)
    for limit, tile, is_promised in sizes:
        if not is_promised:
            whole = code.both(whole, code.compare("uge", limit, code.integer(tile)))
    return whole
