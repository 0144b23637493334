"""Instructions on values: arithmetic, comparisons, conversions, vectors and aggregates.

Each function returns the text after `%result = `.
"""

from collections.abc import Callable, Mapping

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.llvm import FCmpPredicateFlag, ICmpPredicateFlag, OverflowAttr
from xdsl.ir import Operation

from tileir_xdsl.backend.llvm_ir.types import type_text
from tileir_xdsl.backend.llvm_ir.writer import FunctionText, flags_of, is_set
from tileir_xdsl.dialects.llvm.values import ExtractElementOp

Instruction = Callable[[FunctionText, Operation], str]


def _overflow(op: Operation) -> str:
    flags = op.properties.get("overflowFlags")
    if isinstance(flags, IntegerAttr):
        flags = OverflowAttr.from_int(flags.value.data)
    if not isinstance(flags, OverflowAttr):
        return ""
    return "".join(f"{flag} " for flag in ("nsw", "nuw") if flag in flags.data)


def _unit(name: str, word: str) -> Callable[[Operation], str]:
    return lambda op: f"{word} " if is_set(op, name) else ""


def _none(op: Operation) -> str:
    return ""


def _binary(word: str, flags: Callable[[Operation], str] = _none) -> Instruction:
    def print_binary(text: FunctionText, op: Operation) -> str:
        lhs, rhs = op.operands
        return f"{word} {flags(op)}{text.typed(lhs)}, {text.value(rhs)}"

    return print_binary


def _cast(word: str, flags: Callable[[Operation], str] = _none) -> Instruction:
    def print_cast(text: FunctionText, op: Operation) -> str:
        target = type_text(op, op.results[0].type)
        return f"{word} {flags(op)}{text.typed(op.operands[0])} to {target}"

    return print_cast


def _compare_integers(text: FunctionText, op: Operation) -> str:
    code = _code(op)
    return _binary(f"icmp {ICmpPredicateFlag.from_int(code).value}")(text, op)


def _compare_floats(text: FunctionText, op: Operation) -> str:
    predicate = FCmpPredicateFlag.from_int(_code(op)).value.removeprefix("_")
    lhs, rhs = op.operands
    return f"fcmp {flags_of(op)}{predicate} {text.typed(lhs)}, {text.value(rhs)}"


def _code(op: Operation) -> int:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    return predicate.value.data


def _negate(text: FunctionText, op: Operation) -> str:
    return f"fneg {flags_of(op)}{text.typed(op.operands[0])}"


def _freeze(text: FunctionText, op: Operation) -> str:
    return f"freeze {text.typed(op.operands[0])}"


def _select(text: FunctionText, op: Operation) -> str:
    return f"select {flags_of(op)}{', '.join(map(text.typed, op.operands))}"


def _extract_value(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.ExtractValueOp)
    place = ", ".join(map(str, op.position.get_values()))
    return f"extractvalue {text.typed(op.container)}, {place}"


def _insert_value(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.InsertValueOp)
    place = ", ".join(map(str, op.position.get_values()))
    return f"insertvalue {text.typed(op.container)}, {text.typed(op.value)}, {place}"


def _extract_element(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, ExtractElementOp)
    return f"extractelement {text.typed(op.vector)}, {text.typed(op.position)}"


def _insert_element(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.InsertElementOp)
    return f"insertelement {text.typed(op.vector)}, {text.typed(op.value)}, {text.typed(op.index)}"


def _shuffle(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.ShuffleVectorOp)
    places = ["poison" if place < 0 else str(place) for place in op.mask.get_values()]
    mask = ", ".join(f"i32 {place}" for place in places)
    vectors = f"{text.typed(op.v1)}, {text.typed(op.v2)}"
    return f"shufflevector {vectors}, <{len(places)} x i32> <{mask}>"


_exact, _disjoint = _unit("isExact", "exact"), _unit("isDisjoint", "disjoint")
_non_negative = _unit("nonNeg", "nneg")

INSTRUCTIONS: Mapping[str, Instruction] = {
    **{f"llvm.{word}": _binary(word, _overflow) for word in ("add", "sub", "mul", "shl")},
    **{f"llvm.{word}": _binary(word, _exact) for word in ("udiv", "sdiv", "lshr", "ashr")},
    **{f"llvm.{word}": _binary(word) for word in ("urem", "srem", "and", "xor")},
    "llvm.or": _binary("or", _disjoint),
    **{
        f"llvm.{word}": _binary(word, flags_of) for word in ("fadd", "fsub", "fmul", "fdiv", "frem")
    },
    "llvm.icmp": _compare_integers,
    "llvm.fcmp": _compare_floats,
    "llvm.trunc": _cast("trunc", _overflow),
    **{f"llvm.{word}": _cast(word, _non_negative) for word in ("zext", "uitofp")},
    **{
        f"llvm.{word}": _cast(word)
        for word in (
            *("sext", "fptosi", "fptoui", "sitofp", "fpext", "fptrunc"),
            *("bitcast", "inttoptr", "ptrtoint", "addrspacecast"),
        )
    },
    "llvm.fneg": _negate,
    "llvm.freeze": _freeze,
    "llvm.select": _select,
    "llvm.extractvalue": _extract_value,
    "llvm.insertvalue": _insert_value,
    "llvm.extractelement": _extract_element,
    "llvm.insertelement": _insert_element,
    "llvm.shufflevector": _shuffle,
}
"""The text of each op, without its result."""
