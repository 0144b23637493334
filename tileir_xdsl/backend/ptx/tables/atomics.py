"""Fences, atomic read-modify-write operations and compare-and-swap.

Source: PTX ISA, "Memory Consistency Model", `atom`, `red`, `fence`. A sequentially consistent
operation is a `fence.sc` followed by the operation with acquire and release semantics.
"""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.backend.ptx.registers import (
    ADDRESS_SPACES,
    B16,
    B32,
    Component,
    Constant,
    RegisterClass,
    address_space,
)
from tileir_xdsl.backend.ptx.selection import Rule, Selector, element_type
from tileir_xdsl.backend.ptx.tables.floating_point import SUFFIXES, float_operand
from tileir_xdsl.dialects.llvm import (
    AtomicBinOp,
    AtomicCmpXchgOp,
    AtomicOrdering,
    AtomicRMWOp,
    FenceOp,
)
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.targets import Feature

SCOPES: Mapping[str, str] = {"": "sys", "block": "cta", "cluster": "cluster", "device": "gpu"}
"""The PTX scope for each `syncscope` of LLVM."""

SEMANTICS: Mapping[AtomicOrdering, str] = {
    AtomicOrdering.UNORDERED: "relaxed",
    AtomicOrdering.MONOTONIC: "relaxed",
    AtomicOrdering.ACQUIRE: "acquire",
    AtomicOrdering.RELEASE: "release",
    AtomicOrdering.ACQ_REL: "acq_rel",
    AtomicOrdering.SEQ_CST: "acq_rel",
}
"""The qualifier of an access or operation for each ordering."""

CLUSTER_SCOPE = Requirement(feature=Feature.CLUSTERS)


def scope_of(selector: Selector, op: Operation) -> str:
    """The PTX scope of an op with a `syncscope`."""
    attribute = op.properties.get("syncscope")
    name = attribute.data if isinstance(attribute, StringAttr) else ""
    if (scope := SCOPES.get(name)) is None:
        selector.unsupported(op, f"unknown syncscope '{name}'")
    if scope == "cluster":
        selector.require(op, CLUSTER_SCOPE)
    return scope


def _space_of(selector: Selector, op: Operation, pointer: SSAValue) -> str:
    assert isinstance(pointer.type, llvm.LLVMPointerType)
    number = address_space(pointer.type)
    if number not in (0, 1, 3, 7):
        selector.unsupported(op, f"no atomic operations in address space {number}")
    return ADDRESS_SPACES[number].suffix


def _select_fence(selector: Selector, op: FenceOp) -> None:
    ordering = AtomicOrdering.from_code(op.ordering.value.data)
    kind = "sc" if ordering is AtomicOrdering.SEQ_CST else "acq_rel"
    selector.emit(f"fence.{kind}.{scope_of(selector, op)}", ())


class _Operation(NamedTuple):
    """The PTX operation, and the letter of its integer type or None for floats."""

    name: str
    kind: str | None
    negates: bool = False


OPERATIONS: Mapping[AtomicBinOp, _Operation] = {
    AtomicBinOp.XCHG: _Operation("exch", "b"),
    AtomicBinOp.ADD: _Operation("add", "u"),
    AtomicBinOp.SUB: _Operation("add", "u", negates=True),
    AtomicBinOp.AND: _Operation("and", "b"),
    AtomicBinOp.OR: _Operation("or", "b"),
    AtomicBinOp.XOR: _Operation("xor", "b"),
    AtomicBinOp.MAX: _Operation("max", "s"),
    AtomicBinOp.MIN: _Operation("min", "s"),
    AtomicBinOp.UMAX: _Operation("max", "u"),
    AtomicBinOp.UMIN: _Operation("min", "u"),
    AtomicBinOp.UINC_WRAP: _Operation("inc", "u"),
    AtomicBinOp.UDEC_WRAP: _Operation("dec", "u"),
    AtomicBinOp.FADD: _Operation("add", None),
    AtomicBinOp.FSUB: _Operation("add", None, negates=True),
}


def _select_rmw(selector: Selector, op: AtomicRMWOp) -> None:
    if (operation := OPERATIONS.get(op.operation)) is None:
        selector.unsupported(op, f"PTX has no atomic '{op.operation}'")
    (value,) = selector.components(op.val)
    register_class = _class_of(selector, value)
    if register_class.bits < 32 and operation.kind is not None:
        selector.unsupported(op, f"PTX has no atomic '{op.operation}' on {op.val.type}")
    text = _type_text(selector, op, operation, op.val.type, register_class)
    if operation.negates:
        value = _negated(selector, value, text)
    ordering = AtomicOrdering.from_code(op.ordering.value.data)
    qualifiers = _qualifiers(selector, op, ordering) + _space_of(selector, op, op.ptr)
    noftz = ".noftz" if register_class is B16 or text.endswith("x2") else ""
    suffix = f"{qualifiers}.{operation.name}{noftz}.{text}"
    address, source = selector.address(op.ptr), float_operand(selector, value)
    reduces = operation.name != "exch" and SEMANTICS[ordering] in ("relaxed", "release")
    if selector.has_result(op) or not reduces:
        selector.emit(f"atom{suffix}", (selector.result(op),), address, source)
    else:
        selector.emit(f"red{suffix}", (), address, source)


def _class_of(selector: Selector, component: Component) -> RegisterClass:
    if isinstance(component, Constant):
        return component.register_class
    return selector.classes[component]


def _type_text(
    selector: Selector,
    op: Operation,
    operation: _Operation,
    type: Attribute,
    register_class: RegisterClass,
) -> str:
    if operation.kind is not None:
        return f"{operation.kind}{register_class.bits}"
    if (text := SUFFIXES.get(element_type(type).__class__)) is None:
        selector.unsupported(op, f"no PTX type for {type}")
    if register_class is B32:
        text += "x2"
    if text.startswith("bf16"):
        selector.require(op, Requirement(90, (7, 8)))
    return text


def _negated(selector: Selector, value: Component, text: str) -> int:
    opcode = f"neg.{text.replace('u', 's')}"
    register = selector.fresh(_class_of(selector, value))
    selector.emit(opcode, (register,), selector.in_register(value))
    return register


def _qualifiers(selector: Selector, op: Operation, ordering: AtomicOrdering) -> str:
    """Qualifiers such as `.relaxed.gpu`; for sequential consistency, emits a fence first."""
    scope = scope_of(selector, op)
    if ordering is AtomicOrdering.SEQ_CST:
        selector.emit(f"fence.sc.{scope}", ())
    return f".{SEMANTICS[ordering]}.{scope}"


_STRENGTH = tuple(SEMANTICS)


def _select_compare_and_swap(selector: Selector, op: AtomicCmpXchgOp) -> None:
    orderings = (op.success_ordering, op.failure_ordering)
    success, failure = (AtomicOrdering.from_code(o.value.data) for o in orderings)
    both = {success, failure}
    if both == {AtomicOrdering.RELEASE, AtomicOrdering.ACQUIRE}:
        ordering = AtomicOrdering.ACQ_REL
    else:
        ordering = max(both, key=_STRENGTH.index)
    expected, value = selector.register(op.cmp), selector.operand(op.val)
    old, stored = selector.results(op)
    bits = selector.classes[expected].bits
    qualifiers = _qualifiers(selector, op, ordering) + _space_of(selector, op, op.ptr)
    selector.emit(
        f"atom{qualifiers}.cas.b{bits}", (old,), selector.address(op.ptr), expected, value
    )
    selector.emit(f"setp.eq.b{bits}", (stored,), old, expected)


RULES: dict[type[Operation], Rule] = {
    FenceOp: Rule(_select_fence, has_effects=True),
    AtomicRMWOp: Rule(_select_rmw, has_effects=True),
    AtomicCmpXchgOp: Rule(_select_compare_and_swap, has_effects=True),
}
