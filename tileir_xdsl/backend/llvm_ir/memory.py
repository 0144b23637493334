"""Instructions on memory: accesses, atomics and fences, addresses, and the stack."""

from collections.abc import Mapping

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, LLVMPointerType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.backend.llvm_ir.instructions import Instruction
from tileir_xdsl.backend.llvm_ir.types import address_space, type_text
from tileir_xdsl.backend.llvm_ir.words import string
from tileir_xdsl.backend.llvm_ir.writer import FunctionText, is_set
from tileir_xdsl.dialects.llvm.atomics import AtomicCmpXchgOp, AtomicRMWOp, FenceOp
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering


def _volatile(op: Operation) -> str:
    return "volatile " if is_set(op, "volatile_") else ""


def _scope(op: Operation) -> str:
    scope = op.properties.get("syncscope")
    return f"syncscope({string(scope.data)}) " if isinstance(scope, StringAttr) else ""


def _ordering(attribute: Attribute | None) -> AtomicOrdering:
    if not isinstance(attribute, IntegerAttr):
        return AtomicOrdering.NOT_ATOMIC
    return AtomicOrdering.from_code(attribute.value.data)


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    # Zero means the alignment of the type, in MLIR as well.
    if not isinstance(alignment, IntegerAttr) or not alignment.value.data:
        return ""
    return f", align {alignment.value.data}"


def _notes(text: FunctionText, op: Operation) -> str:
    """The metadata of an access."""
    notes = ""
    if is_set(op, "invariant"):
        notes += f", !invariant.load {text.module.node('!{}')}"
    if is_set(op, "nontemporal"):
        notes += f", !nontemporal {text.module.node('!{i32 1}')}"
    return notes


def _access(text: FunctionText, op: Operation, what: str, ordering: AtomicOrdering) -> str:
    word = "load" if isinstance(op, llvm.LoadOp) else "store"
    is_atomic = ordering is not AtomicOrdering.NOT_ATOMIC
    atomic = "atomic " if is_atomic else ""
    order = f" {_scope(op)}{ordering.value}" if is_atomic else ""
    return f"{word} {atomic}{_volatile(op)}{what}{order}{_alignment(op)}{_notes(text, op)}"


def _load(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.LoadOp)
    what = f"{type_text(op, op.dereferenced_value.type)}, {text.typed(op.ptr)}"
    return _access(text, op, what, _ordering(op.ordering))


def _store(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.StoreOp)
    what = f"{text.typed(op.value)}, {text.typed(op.ptr)}"
    return _access(text, op, what, _ordering(op.ordering))


def _fence(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, FenceOp)
    return f"fence {_scope(op)}{_ordering(op.ordering).value}"


def _read_modify_write(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, AtomicRMWOp)
    what = f"{op.operation.value.removeprefix('_')} {text.typed(op.ptr)}, {text.typed(op.val)}"
    order = f"{_scope(op)}{_ordering(op.ordering).value}"
    return f"atomicrmw {_volatile(op)}{what} {order}{_alignment(op)}"


def _compare_exchange(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, AtomicCmpXchgOp)
    weak = "weak " if is_set(op, "weak") else ""
    what = ", ".join(map(text.typed, op.operands))
    orders = f"{_ordering(op.success_ordering).value} {_ordering(op.failure_ordering).value}"
    return f"cmpxchg {weak}{_volatile(op)}{what} {_scope(op)}{orders}{_alignment(op)}"


_NO_WRAP = {1: "inbounds ", 3: "inbounds ", 2: "nusw "}


def _address(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.GEPOp)
    flags = op.noWrapFlags.value.data | (3 if is_set(op, "inbounds") else 0)
    words = _NO_WRAP.get(flags & 3, "") + ("nuw " if flags & 4 else "")
    dynamic = iter(op.ssa_indices)
    indices = [
        text.typed(next(dynamic)) if index == GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.rawConstantIndices.get_values()
    ]
    element = type_text(op, op.elem_type)
    return f"getelementptr {words}{', '.join([element, text.typed(op.ptr), *indices])}"


def _allocate(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.AllocaOp) and isinstance(op.res.type, LLVMPointerType)
    space = address_space(op.res.type)
    there = f", addrspace({space})" if space else ""
    return f"alloca {type_text(op, op.elem_type)}, {text.typed(op.size)}{_alignment(op)}{there}"


MEMORY: Mapping[str, Instruction] = {
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.fence": _fence,
    "llvm.atomicrmw": _read_modify_write,
    "llvm.cmpxchg": _compare_exchange,
    "llvm.getelementptr": _address,
    "llvm.alloca": _allocate,
}
"""The text of each op on memory, without its result."""
