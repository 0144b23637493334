"""Elements in memory: their types, and vector accesses with masks."""

from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i32
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.builders.llvm_code import POINTER, LLVMCode, lanes_of, like, vector_of
from tileir_xdsl.dialects.llvm import IntToPtrOp
from tileir_xdsl.dialects.llvm.loads_and_stores import MaskedLoadOp, MaskedStoreOp
from tileir_xdsl.dialects.tilecpu.types import element_bytes

from .elementwise import llvm_element
from .intrinsics import suffix


def stored_element(element: Attribute) -> Attribute:
    """The type of an element in memory, where a predicate is a byte."""
    found = llvm_element(element)
    assert found is not None
    return i8 if found == i1 else found


def from_memory(code: LLVMCode, value: SSAValue, element: Attribute) -> SSAValue:
    """Converts loaded elements to their type in registers."""
    if element != i1:
        return value
    return code.compare("ne", value, code.constant(0, value.type))


def to_memory(code: LLVMCode, value: SSAValue, element: Attribute) -> SSAValue:
    """Converts elements in registers to their type in memory."""
    return code.add(llvm.ZExtOp(value, like(value.type, i8))) if element == i1 else value


def load_elements(
    code: LLVMCode,
    pointer: SSAValue,
    element: Attribute,
    lanes: int | None,
    alignment: int,
    mask: SSAValue | None = None,
    other: SSAValue | None = None,
) -> SSAValue:
    """Loads contiguous elements; lanes off the mask get those of `other`.

    `other`, which a mask requires, is in the type of memory.
    """
    kind = vector_of(stored_element(element), lanes)
    if mask is None:
        return from_memory(code, code.load(pointer, kind, alignment), element)
    assert other is not None
    if lanes is None:
        (value,) = code.if_(mask, lambda: [code.load(pointer, kind, alignment)], lambda: [other])
        return from_memory(code, value, element)
    load = MaskedLoadOp(pointer, mask, code.splat(other, lanes), kind, alignment)
    return from_memory(code, code.add(load), element)


def store_elements(
    code: LLVMCode,
    value: SSAValue,
    pointer: SSAValue,
    element: Attribute,
    alignment: int,
    mask: SSAValue | None = None,
) -> None:
    """Stores elements contiguously, in the lanes of the mask."""
    stored = to_memory(code, value, element)
    if mask is None:
        code.store(stored, pointer, alignment)
    elif lanes_of(stored.type) is None:
        code.if_(mask, _nothing_after(lambda: code.store(stored, pointer, alignment)))
    else:
        code.do(MaskedStoreOp(stored, pointer, mask, alignment))


def _nothing_after(action: Callable[[], None]) -> Callable[[], list[SSAValue]]:
    def run() -> list[SSAValue]:
        action()
        return []

    return run


def pointers(code: LLVMCode, addresses: SSAValue) -> SSAValue:
    """Addresses as pointers."""
    return code.add(IntToPtrOp(addresses, like(addresses.type, POINTER)))


def gather(
    code: LLVMCode,
    addresses: SSAValue,
    element: Attribute,
    mask: SSAValue | None,
    other: SSAValue | None,
) -> SSAValue:
    """Loads the elements at addresses; lanes off the mask get those of `other`, which is in the
    type of memory.
    """
    lanes = lanes_of(addresses.type)
    size = element_bytes(element)
    if lanes is None:
        return load_elements(code, pointers(code, addresses), element, None, size, mask, other)
    kind = vector_of(stored_element(element), lanes)
    every = mask if mask is not None else code.constant(1, vector_of(i1, lanes))
    rest = code.poison(kind) if other is None else code.splat(other, lanes)
    name = f"llvm.masked.gather.{suffix(kind)}.v{lanes}p0"
    arguments = [pointers(code, addresses), code.constant(size, i32), every, rest]
    value = code.call_intrinsic(name, arguments, kind)
    assert value is not None
    return from_memory(code, value, element)


def scatter(
    code: LLVMCode,
    value: SSAValue,
    addresses: SSAValue,
    element: Attribute,
    mask: SSAValue | None,
) -> None:
    """Stores elements at addresses, in the lanes of the mask."""
    lanes = lanes_of(addresses.type)
    size = element_bytes(element)
    if lanes is None:
        store_elements(code, value, pointers(code, addresses), element, size, mask)
        return
    stored = to_memory(code, code.splat(value, lanes), element)
    every = mask if mask is not None else code.constant(1, vector_of(i1, lanes))
    name = f"llvm.masked.scatter.{suffix(stored.type)}.v{lanes}p0"
    arguments = [stored, pointers(code, addresses), code.constant(size, i32), every]
    code.call_intrinsic(name, arguments, None)


def lane_offsets(code: LLVMCode, base: SSAValue, stride: SSAValue | int, lanes: int) -> SSAValue:
    """`base`, `base + stride`, .. as a vector."""
    numbers = code.lane_numbers(lanes)
    if stride != 1:
        step = code.integer(stride) if isinstance(stride, int) else stride
        numbers = code.times(numbers, code.splat(step, lanes))
    return code.plus(code.splat(base, lanes), numbers)
