"""Accesses through pointers: a separate address for each element."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, lanes_of, vector_of
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp, StoreOp
from tileir_xdsl.dialects.nv_tileaa.attributes import MemSemanticAttr
from tileir_xdsl.dialects.tilecpu.types import element_bytes

from .intrinsics import intrinsic, select
from .kernel import Kernel
from .memory import (
    from_memory,
    gather,
    lane_offsets,
    load_elements,
    pointers,
    scatter,
    store_elements,
    stored_element,
    to_memory,
)

ORDERINGS = {
    MemoryOrdering.RELAXED: AtomicOrdering.MONOTONIC,
    MemoryOrdering.ACQUIRE: AtomicOrdering.ACQUIRE,
    MemoryOrdering.RELEASE: AtomicOrdering.RELEASE,
    MemoryOrdering.ACQ_REL: AtomicOrdering.ACQ_REL,
}
"""The LLVM ordering for each memory semantics; every scope is that of all threads."""


def check_addresses(
    kernel: Kernel, op: Operation, addresses: SSAValue, mask: SSAValue | None, size: int
) -> None:
    """Emits code that ends the kernel unless the bytes of all active lanes lie in arrays."""
    if not kernel.is_checked:
        return
    code, lanes = kernel.code, lanes_of(addresses.type)
    # The last bytes of all memory belong to no array: without them no end wraps around.
    addresses = intrinsic(code, "umin", addresses, code.constant(-1 - size, addresses.type))
    if lanes is None:
        first = addresses
        end = code.plus(addresses, code.integer(size))
        if mask is not None:
            end = select(code, mask, end, first)
        kernel.check_range(op, first, end)
        return
    low, high = addresses, addresses
    if mask is not None:
        low = select(code, mask, addresses, code.constant(-1, addresses.type))
        high = select(code, mask, addresses, code.constant(0, addresses.type))
    first, last = (_folded(code, name, value) for name, value in (("umin", low), ("umax", high)))
    end = code.plus(last, code.integer(size))
    call = llvm.CallOp("tileir_inside", kernel.context, first, end, return_type=i1)
    code.do(call)

    def apart() -> list[SSAValue]:
        # Lanes may be in different arrays.
        for lane in range(lanes):
            start = code.extract(addresses, lane)
            stop = code.plus(start, code.integer(size))
            if mask is not None:
                stop = select(code, code.extract(mask, lane), stop, start)
            kernel.check_range(op, start, stop)
        return []

    none = code.compare("ugt", first, last)
    good = code.add(llvm.OrOp(call.results[0], none))
    code.if_(code.add(llvm.XOrOp(good, code.constant(1, good.type))), apart)


def _folded(code: LLVMCode, name: str, value: SSAValue) -> SSAValue:
    lanes = lanes_of(value.type)
    result = code.call_intrinsic(f"llvm.vector.reduce.{name}.v{lanes}i64", [value], i64)
    assert result is not None
    return result


def are_neighbours(code: LLVMCode, addresses: SSAValue, size: int) -> SSAValue:
    """Emits a test whether the addresses of the lanes are contiguous."""
    lanes = lanes_of(addresses.type)
    assert lanes is not None
    expected = lane_offsets(code, code.extract(addresses, 0), size, lanes)
    equal = code.compare("eq", addresses, expected)
    result = code.call_intrinsic(f"llvm.vector.reduce.and.v{lanes}i1", [equal], i1)
    assert result is not None
    return result


def emit_load(
    kernel: Kernel,
    op: tilecpu.LoadPointerOp,
    addresses: SSAValue,
    mask: SSAValue | None,
    other: SSAValue | None,
) -> SSAValue:
    """Loads the elements at addresses; lanes off the mask get those of `other`."""
    code, element = kernel.code, op.element.type
    size, lanes = element_bytes(element), lanes_of(addresses.type)
    check_addresses(kernel, op, addresses, mask, size)
    kind = vector_of(stored_element(element), lanes)
    rest = code.constant(0, kind) if other is None else to_memory(code, other, element)
    if lanes is None:
        pointer = pointers(code, addresses)
        ordering = _ordering(op.mem_semantic)

        def load() -> list[SSAValue]:
            return [code.add(LoadOp(pointer, kind, size, ordering))]

        (value,) = load() if mask is None else code.if_(mask, load, lambda: [rest])
        return from_memory(code, value, element)
    near = are_neighbours(code, addresses, size)
    first = pointers(code, code.extract(addresses, 0))
    (value,) = code.if_(
        near,
        lambda: [load_elements(code, first, element, lanes, size, mask, rest)],
        lambda: [gather(code, addresses, element, mask, rest)],
    )
    return value


def emit_store(
    kernel: Kernel,
    op: tilecpu.StorePointerOp,
    addresses: SSAValue,
    value: SSAValue,
    mask: SSAValue | None,
) -> None:
    """Stores elements at addresses, in the lanes of the mask."""
    code, element = kernel.code, op.element.type
    size, lanes = element_bytes(element), lanes_of(addresses.type)
    check_addresses(kernel, op, addresses, mask, size)
    if lanes is None:
        pointer, ordering = pointers(code, addresses), _ordering(op.mem_semantic)
        stored = to_memory(code, value, element)

        def store() -> list[SSAValue]:
            code.do(StoreOp(stored, pointer, size, ordering))
            return []

        if mask is None:
            store()
        else:
            code.if_(mask, store)
        return
    near = are_neighbours(code, addresses, size)
    first = pointers(code, code.extract(addresses, 0))

    def together() -> list[SSAValue]:
        store_elements(code, value, first, element, size, mask)
        return []

    def apart() -> list[SSAValue]:
        scatter(code, value, addresses, element, mask)
        return []

    code.if_(near, together, apart)


def _ordering(semantic: MemSemanticAttr | None) -> AtomicOrdering:
    return AtomicOrdering.NOT_ATOMIC if semantic is None else ORDERINGS[semantic.data]
