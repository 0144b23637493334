"""Comparison and selection (PTX ISA, "Comparison and Selection Instructions")."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.instructions.elementwise import Function, elementwise
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.numerics import flush_subnormals
from tileir_xdsl.emulator.types import TYPES, Array, Mask, ScalarType

_INTEGERS = "b16|b32|b64|u16|u32|u64|s16|s32|s64"
_FLOATS = "f16|f16x2|bf16|bf16x2|f32|f64"
_COMPARISONS = "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"
_COMBINE = "<combine:and|or|xor>"
_OPERATORS = {"and": "&", "or": "|", "xor": "^"}

# The ordered comparisons; `lo` to `hs` are spellings for unsigned integers.
_ORDERED: dict[str, np.ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
_UNSIGNED_ONLY = frozenset({"lo", "ls", "hi", "hs"})
_EQUALITY = frozenset({"eq", "ne"})


def _either_nan(a: Array, b: Array) -> Mask:
    return np.isnan(a) | np.isnan(b)


def _both_numbers(a: Array, b: Array) -> Mask:
    return ~_either_nan(a, b)


def _less_or_greater(a: Array, b: Array) -> Mask:
    return (a < b) | (a > b)


# Floating-point comparisons that no numpy ufunc computes, or not for NaN.
_SPECIAL: dict[str, Function] = {
    "num": _both_numbers,
    "nan": _either_nan,
    "ne": _less_or_greater,
}


def _comparison(match: Match) -> Function:
    """Compares two operands; ordered comparisons are false if an operand is NaN."""
    type_ = match.type()
    name = match["compare"]
    if type_.kind != "float":
        allowed = _EQUALITY if type_.kind == "bits" else _ORDERED.keys()
        if name not in allowed or (name in _UNSIGNED_ONLY and type_.signed):
            raise match.fail(f"'.{name}' does not compare operands of type .{type_.name}")
        return _ORDERED[name]
    if name in _UNSIGNED_ONLY:
        raise match.fail(f"'.{name}' does not compare operands of type .{type_.name}")
    function = _float_comparison(name)
    if not match.has("ftz"):
        return function

    def flushed(a: Array, b: Array) -> Mask:
        return function(flush_subnormals(a), flush_subnormals(b))

    return flushed


def _float_comparison(name: str) -> Function:
    if name in _SPECIAL:
        return _SPECIAL[name]
    if name in _ORDERED:
        return _ORDERED[name]
    ordered = _ORDERED[name.removesuffix("u")]

    def unordered(a: Array, b: Array) -> Mask:
        return ordered(a, b) | _either_nan(a, b)

    return unordered


def _emit_set_predicate(builder: BlockBuilder, match: Match) -> None:
    """`setp`: a comparison and its negation, each combined with a predicate.

    For a packed type the two destinations receive the results for the two halves.
    """
    type_ = match.type()
    first, second = builder.pair(match.operands["p"])
    arguments = [builder.source(match.operands[name], type_) for name in ("a", "b")]
    compare = _comparison(match)
    if match["combine"] == "" and type_.elements == 1 and first is match.operands["p"]:
        builder.apply(first, PREDICATE, compare, arguments)
        return
    builder.line(f"t = {builder.bind(compare)}({', '.join(arguments)})")
    results = ("t[..., 0]", "t[..., 1]") if type_.elements == 2 else ("t", "~t")
    if match["combine"]:
        other = builder.predicate(match.operands["c"])
        operator = _OPERATORS[match["combine"]]
        results = tuple(f"({result} {operator} {other})" for result in results)
    # Both are computed before either is written: the predicate read may be a destination.
    builder.line(f"t, u = {results[0]}, {results[1]}")
    builder.assign(first, PREDICATE, "t")
    builder.assign(second, PREDICATE, "u")


def _set(match: Match) -> Function:
    """`set`: all ones or zero for integer results, 1.0 or 0.0 for floating-point ones."""
    return _choose_by_comparison(match, match.type("result"))


def _set_halves(match: Match) -> Function:
    """`set` of packed floats: each half of the result is all ones or zero."""
    return _choose_by_comparison(match, TYPES["u16x2"])


def _choose_by_comparison(match: Match, result: ScalarType) -> Function:
    compare = _comparison(match)
    holds = np.array(1.0).astype(result.dtype)
    if result.kind != "float":
        holds = ~np.zeros((), result.dtype)
    zero = np.zeros((), result.dtype)
    operator = match["combine"]

    def chosen(a: Array, b: Array, c: Mask | None = None) -> Array:
        found = compare(a, b)
        if c is not None:
            if found.ndim > c.ndim:
                c = c[..., None]
            found = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[operator](
                found, c
            )
        return np.where(found, holds, zero)

    return chosen


def _select(a: Array, b: Array, p: Mask) -> Array:
    return np.where(p, a, b)


def _select_by_sign(match: Match) -> Function:
    """`slct`: the first operand where the third is not negative (and not NaN)."""
    flush = match.has("ftz")

    def select(a: Array, b: Array, c: Array) -> Array:
        return np.where((flush_subnormals(c) if flush else c) >= 0, a, b)

    return select


_SELECTED = "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"

FORMS: tuple[Form, ...] = (
    Form(f"setp.<compare:{_COMPARISONS}>.<type:{_INTEGERS}> p, a, b", Compute(_emit_set_predicate)),
    Form(
        f"setp.<compare:{_COMPARISONS}>.{_COMBINE}.<type:{_INTEGERS}> p, a, b, c",
        Compute(_emit_set_predicate),
    ),
    Form(
        f"setp.<compare:{_COMPARISONS}>{{.ftz}}.<type:{_FLOATS}> p, a, b",
        Compute(_emit_set_predicate),
    ),
    Form(
        f"setp.<compare:{_COMPARISONS}>.{_COMBINE}{{.ftz}}.<type:{_FLOATS}> p, a, b, c",
        Compute(_emit_set_predicate),
    ),
    elementwise(
        f"set.<compare:{_COMPARISONS}>{{.ftz}}.<result:u32|s32|f32>"
        f".<type:{_INTEGERS}|f32|f64> d, a, b",
        "result <- type, type",
        by=_set,
    ),
    elementwise(
        f"set.<compare:{_COMPARISONS}>.{_COMBINE}{{.ftz}}.<result:u32|s32|f32>"
        f".<type:{_INTEGERS}|f32|f64> d, a, b, c",
        "result <- type, type, pred",
        by=_set,
    ),
    *(
        elementwise(
            f"set.<compare:{_COMPARISONS}>{combine}{{.ftz}}.<result:{results}>.<type:{types}>{names}",
            f"{result} <- type, type{predicate}",
            by=by,
        )
        for combine, names, predicate in (
            ("", " d, a, b", ""),
            (f".{_COMBINE}", " d, a, b, c", ", pred"),
        )
        for results, types, result, by in (
            ("f16|bf16|u16|s16|u32|s32", "f16|bf16", "result", _set),
            ("f16x2", "f16x2", "result", _set),
            ("bf16x2", "bf16x2", "result", _set),
            ("u32|s32", "f16x2|bf16x2", "u16x2", _set_halves),
        )
    ),
    elementwise(f"selp.<type:{_SELECTED}> d, a, b, c", "type <- type, type, pred", _select),
    elementwise(
        f"slct.<type:{_SELECTED}>.s32 d, a, b, c", "type <- type, type, s32", by=_select_by_sign
    ),
    elementwise(
        f"slct{{.ftz}}.<type:{_SELECTED}>.f32 d, a, b, c",
        "type <- type, type, f32",
        by=_select_by_sign,
    ),
)
