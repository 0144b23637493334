"""Integer arithmetic, logic, shifts, comparison and selection.

An i8 is held zero-extended in a 16-bit register. Signed ops on an i8 extend its sign first, and ops
that may carry out of eight bits clear the high byte afterwards. An i1 is a predicate.
"""

from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.llvm import ICmpPredicateFlag
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.registers import (
    B16,
    B32,
    PREDICATE,
    Component,
    Constant,
    signed,
)
from tileir_xdsl.backend.ptx.selection import Rule, Selector, View, integer_width
from tileir_xdsl.dialects.llvm import (
    SelectOp,
    SMaxOp,
    SMinOp,
    UMaxOp,
    UMinOp,
)


class _Binary(NamedTuple):
    """A two-operand instruction: its opcode without the width, and the extensions that i8 needs."""

    opcode: str
    is_commutative: bool = False
    sign_extends: bool = False
    may_carry: bool = False


BINARY: dict[type[Operation], _Binary] = {
    llvm.AddOp: _Binary("add.s", is_commutative=True, may_carry=True),
    llvm.SubOp: _Binary("sub.s", may_carry=True),
    llvm.MulOp: _Binary("mul.lo.s", is_commutative=True, may_carry=True),
    llvm.SDivOp: _Binary("div.s", sign_extends=True, may_carry=True),
    llvm.UDivOp: _Binary("div.u"),
    llvm.SRemOp: _Binary("rem.s", sign_extends=True, may_carry=True),
    llvm.URemOp: _Binary("rem.u"),
    llvm.AndOp: _Binary("and.b", is_commutative=True),
    llvm.OrOp: _Binary("or.b", is_commutative=True),
    llvm.XOrOp: _Binary("xor.b", is_commutative=True),
    SMaxOp: _Binary("max.s", is_commutative=True, sign_extends=True, may_carry=True),
    SMinOp: _Binary("min.s", is_commutative=True, sign_extends=True, may_carry=True),
    UMaxOp: _Binary("max.u", is_commutative=True),
    UMinOp: _Binary("min.u", is_commutative=True),
}

BINARY_PREDICATE: dict[type[Operation], str] = {
    llvm.AddOp: "xor.pred",
    llvm.SubOp: "xor.pred",
    llvm.XOrOp: "xor.pred",
    llvm.MulOp: "and.pred",
    llvm.AndOp: "and.pred",
    UMinOp: "and.pred",
    SMaxOp: "and.pred",
    llvm.OrOp: "or.pred",
    UMaxOp: "or.pred",
    SMinOp: "or.pred",
}
"""The same predicates on i1, where 1 is the signed number -1."""

SHIFTS: dict[type[Operation], _Binary] = {
    llvm.ShlOp: _Binary("shl.b", may_carry=True),
    llvm.LShrOp: _Binary("shr.u"),
    llvm.AShrOp: _Binary("shr.s", sign_extends=True, may_carry=True),
}

_LOGIC = ("and.b", "or.b", "xor.b")
"""Opcodes that also work on packed elements."""


def held_width(width: int) -> int:
    """The width in which PTX computes an integer of `width` bits."""
    return max(width, 16)


def sign_extended(selector: Selector, component: Component) -> Component:
    """An i8 component with its sign in the high byte of the 16-bit register."""
    if isinstance(component, Constant):
        return Constant(signed(component.bits, 8) & 0xFFFF, B16)
    register = selector.fresh(B16)
    selector.emit("cvt.s16.s8", (register,), component)
    return register


def clear_high_byte(selector: Selector, register: int) -> None:
    """Restores the zero extension of an i8."""
    selector.emit("and.b16", (register,), register, "255")


def is_packed(selector: Selector, op: Operation) -> bool:
    """Whether an op works on several elements of one register."""
    return (
        integer_width(op.results[0].type) < 32 and selector.classes[selector.results(op)[0]] is B32
    )


def _select_binary(selector: Selector, op: Operation) -> None:
    width = integer_width(op.results[0].type)
    if width == 1:
        _select_binary_predicate(selector, op)
        return
    rule = BINARY[type(op)]
    destinations = selector.results(op)
    if is_packed(selector, op):
        if rule.opcode not in _LOGIC:
            selector.unsupported(op, f"no PTX instruction on packed {op.results[0].type}")
        width = 32
    if type(op) is llvm.AddOp and _select_multiply_add(selector, op):
        return
    if type(op) is llvm.MulOp and _select_wide_multiply(selector, op):
        return
    lhs, rhs = (selector.components(operand) for operand in op.operands)
    opcode = f"{rule.opcode}{held_width(width)}"
    for destination, a, b in zip(destinations, lhs, rhs, strict=True):
        if rule.is_commutative and isinstance(a, Constant):
            a, b = b, a
        if width == 8 and rule.sign_extends:
            a, b = sign_extended(selector, a), sign_extended(selector, b)
        first = selector.in_register(a)
        if rule.opcode == "xor.b" and b == _all_ones(b):
            selector.emit(f"not.b{held_width(width)}", (destination,), first)
        else:
            selector.emit(opcode, (destination,), first, selector.as_operand(b))
        if width == 8 and (rule.may_carry or rule.opcode == "xor.b"):
            clear_high_byte(selector, destination)


def _all_ones(component: Component) -> Constant | None:
    if not isinstance(component, Constant):
        return None
    width = component.register_class.bits
    return Constant((1 << width) - 1, component.register_class)


def _select_binary_predicate(selector: Selector, op: Operation) -> None:
    if (opcode := BINARY_PREDICATE.get(type(op))) is None:
        selector.unsupported(op, "no PTX instruction on i1")
    lhs, rhs = (selector.components(operand) for operand in op.operands)
    for destination, a, b in zip(selector.results(op), lhs, rhs, strict=True):
        if isinstance(a, Constant):
            a, b = b, a
        emit_logic(selector, opcode, destination, a, b)


def emit_logic(
    selector: Selector, opcode: str, destination: int, a: Component, b: Component
) -> None:
    """A two-operand predicate instruction; a constant second operand simplifies it."""
    if not isinstance(b, Constant):
        selector.emit(opcode, (destination,), selector.in_register(a), b)
        return
    match opcode, b.bits:
        case ("and.pred", 1) | ("or.pred", 0) | ("xor.pred", 0):
            selector.move(destination, a)
        case ("and.pred", 0) | ("or.pred", 1):
            selector.move(destination, b)
        case _:
            selector.emit("not.pred", (destination,), selector.in_register(a))


# Products and sums of widened operands.


class _WideProduct(NamedTuple):
    """A 64-bit product of two 32-bit operands that are widened as signed or unsigned."""

    kind: str
    lhs: SSAValue
    rhs: SSAValue | int


def _wide_product(selector: Selector, value: SSAValue) -> _WideProduct | None:
    owner = value.owner
    if not isinstance(owner, llvm.MulOp) or integer_width(value.type) != 64:
        return None
    lhs, rhs = owner.lhs, owner.rhs
    for kind, extension in (("s", llvm.SExtOp), ("u", llvm.ZExtOp)):
        a = lhs.owner
        if not isinstance(a, extension) or integer_width(a.arg.type) != 32:
            continue
        b = rhs.owner
        if isinstance(b, extension) and integer_width(b.arg.type) == 32:
            return _WideProduct(kind, a.arg, b.arg)
        if (constant := selector.known.constant(rhs)) is not None:
            factor = signed(constant.bits, 64)
            low, high = (-(1 << 31), 1 << 31) if kind == "s" else (0, 1 << 32)
            if low <= factor < high:
                return _WideProduct(kind, a.arg, factor)
    return None


def _factor(selector: Selector, factor: SSAValue | int) -> int | str:
    return str(factor) if isinstance(factor, int) else selector.operand(factor)


def _select_wide_multiply(selector: Selector, op: llvm.MulOp) -> bool:
    if (product := _wide_product(selector, op.res)) is None:
        return False
    selector.emit(
        f"mul.wide.{product.kind}32",
        (selector.result(op),),
        selector.register(product.lhs),
        _factor(selector, product.rhs),
    )
    return True


def _select_multiply_add(selector: Selector, op: llvm.AddOp) -> bool:
    """Selects `a * b + c` as one instruction if nothing else reads the product; returns whether."""
    type_ = op.results[0].type
    width = integer_width(type_)
    if width not in (32, 64) or not isinstance(type_, IntegerType):
        return False
    lhs, rhs = op.operands
    for product, addend in ((lhs, rhs), (rhs, lhs)):
        owner = product.owner
        if type(owner) is not llvm.MulOp or not product.has_one_use():
            continue
        if selector.bound(product) is not None:
            continue
        if (wide := _wide_product(selector, product)) is not None:
            opcode = f"mad.wide.{wide.kind}32"
            factors = (selector.register(wide.lhs), _factor(selector, wide.rhs))
        elif width == 32:
            opcode = "mad.lo.s32"
            a, b = selector.component(owner.lhs), selector.component(owner.rhs)
            if isinstance(a, Constant):
                a, b = b, a
            factors = (selector.in_register(a), selector.as_operand(b))
        else:
            continue
        selector.emit(opcode, (selector.result(op),), *factors, selector.operand(addend))
        return True
    return False


# Shifts. The amount is always a 32-bit register.


def _select_shift(selector: Selector, op: Operation) -> None:
    rule = SHIFTS[type(op)]
    width = integer_width(op.results[0].type)
    if width == 1 or is_packed(selector, op):
        selector.unsupported(op, f"no PTX instruction on {op.results[0].type}")
    values, amounts = (selector.components(operand) for operand in op.operands)
    for destination, value, amount in zip(selector.results(op), values, amounts, strict=True):
        if width == 8 and rule.sign_extends:
            value = sign_extended(selector, value)
        opcode = f"{rule.opcode}{held_width(width)}"
        source = selector.in_register(value)
        selector.emit(opcode, (destination,), source, shift_amount(selector, amount))
        if width == 8 and rule.may_carry:
            clear_high_byte(selector, destination)


def shift_amount(selector: Selector, amount: Component) -> int | str:
    """A shift amount of any integer width as a 32-bit operand."""
    if isinstance(amount, Constant):
        return str(amount.bits)
    bits = selector.classes[amount].bits
    if bits == 32:
        return amount
    narrowed = selector.fresh(B32)
    selector.emit(f"cvt.u32.u{bits}", (narrowed,), amount)
    return narrowed


# Comparison and selection.

COMPARISONS: dict[ICmpPredicateFlag, tuple[str, str]] = {
    ICmpPredicateFlag.EQ: ("eq", "b"),
    ICmpPredicateFlag.NE: ("ne", "b"),
    ICmpPredicateFlag.SLT: ("lt", "s"),
    ICmpPredicateFlag.SLE: ("le", "s"),
    ICmpPredicateFlag.SGT: ("gt", "s"),
    ICmpPredicateFlag.SGE: ("ge", "s"),
    ICmpPredicateFlag.ULT: ("lt", "u"),
    ICmpPredicateFlag.ULE: ("le", "u"),
    ICmpPredicateFlag.UGT: ("gt", "u"),
    ICmpPredicateFlag.UGE: ("ge", "u"),
}
"""The PTX comparison and the letter of its operand type."""

_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _select_icmp(selector: Selector, op: llvm.ICmpOp) -> None:
    comparison, kind = COMPARISONS[ICmpPredicateFlag.from_int(op.predicate.value.data)]
    width = integer_width(op.lhs.type)
    lhs, rhs = selector.components(op.lhs), selector.components(op.rhs)
    for destination, a, b in zip(selector.results(op), lhs, rhs, strict=True):
        held = comparison
        if isinstance(a, Constant):
            a, b, held = b, a, _SWAPPED[comparison]
        if width == 1:
            a, b = (_widened_predicate(selector, component, kind) for component in (a, b))
        elif width == 8 and kind == "s":
            a, b = sign_extended(selector, a), sign_extended(selector, b)
        first = selector.in_register(a)
        opcode = f"setp.{held}.{kind}{selector.classes[first].bits}"
        selector.emit(opcode, (destination,), first, selector.as_operand(b))


def _widened_predicate(selector: Selector, component: Component, kind: str) -> Component:
    one = -1 if kind == "s" else 1
    if isinstance(component, Constant):
        return Constant(one * component.bits & 0xFFFFFFFF, B32)
    register = selector.fresh(B32)
    selector.emit("selp.b32", (register,), str(one), "0", component)
    return register


def _select_select(selector: Selector, op: llvm.SelectOp) -> None:
    condition = selector.register(op.cond)
    lhs, rhs = selector.components(op.lhs), selector.components(op.rhs)
    for destination, a, b in zip(selector.results(op), lhs, rhs, strict=True):
        register_class = selector.classes[destination]
        if register_class is PREDICATE:
            _select_predicate(selector, destination, condition, a, b)
            continue
        opcode = f"selp.{register_class.declaration}"
        sources = (selector.as_operand(a), selector.as_operand(b))
        selector.emit(opcode, (destination,), *sources, condition)


def _select_predicate(
    selector: Selector, destination: int, condition: int, a: Component, b: Component
) -> None:
    """`condition & a | !condition & b`: PTX has no selection among predicates."""
    chosen, otherwise = selector.fresh(PREDICATE), selector.fresh(PREDICATE)
    inverted = selector.fresh(PREDICATE)
    emit_logic(selector, "and.pred", chosen, condition, a)
    selector.emit("not.pred", (inverted,), condition)
    emit_logic(selector, "and.pred", otherwise, inverted, b)
    selector.emit("or.pred", (destination,), chosen, otherwise)


def _select_view(selector: Selector, op: llvm.SelectOp) -> tuple[Component, ...] | None:
    condition = selector.constant(op.cond)
    if condition is None:
        return None
    return selector.components(op.lhs if condition.bits else op.rhs)


VIEWS: dict[type[Operation], View] = {llvm.SelectOp: _select_view, SelectOp: _select_view}

RULES: dict[type[Operation], Rule] = {
    **{op: Rule(_select_binary) for op in BINARY},
    **{op: Rule(_select_shift) for op in SHIFTS},
    llvm.ICmpOp: Rule(_select_icmp),
    llvm.SelectOp: Rule(_select_select),
    SelectOp: Rule(_select_select),
}
