"""Comparison and selection against Python's operators."""

import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import TYPES, Array, Case, check

_INTEGERS = ("u16", "u32", "u64", "s16", "s32", "s64")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def holds(name: str, a: float, b: float) -> bool:
    """A comparison of two numbers, by the table of the manual."""
    unordered = a != a or b != b
    if name == "num":
        return not unordered
    if name == "nan":
        return unordered
    name = _UNSIGNED.get(name, name)
    if name in _OPERATORS:
        return not unordered and _OPERATORS[name](a, b)
    return unordered or _OPERATORS[name.removesuffix("u")](a, b)


def compared(name: str, *, ftz: bool = False) -> Callable[[Array, Array], Array]:
    def apply(a: Array, b: Array) -> Array:
        flat: list[list[float]] = []
        for array in (a, b):
            values = array.astype(object) if array.dtype.kind in "iu" else array.astype(np.float64)
            if ftz:
                values = np.where(
                    np.abs(values) < float(ml_dtypes.finfo(array.dtype).tiny), 0, values
                )
            flat.append(values.ravel().tolist())
        return np.array([holds(name, x, y) for x, y in zip(*flat, strict=True)]).reshape(a.shape)

    return apply


def set_predicate(name: str, type_: str, *, ftz: bool = False) -> Case:
    suffix = ".ftz" if ftz else ""
    return Case(
        f"setp.{name}{suffix}.{type_} %p, %a, %b;",
        f"a:{type_} b:{type_}",
        "p:pred",
        compared(name, ftz=ftz),
    )


def combined(name: str, combine: str, type_: str) -> Case:
    logic = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[combine]

    def meaning(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
        result = compared(name)(a, b)
        return logic(result, c), logic(~result, c)

    return Case(
        f"setp.{name}.{combine}.{type_} %p|%q, %a, %b, %c;",
        f"a:{type_} b:{type_} c:pred",
        "p:pred q:pred",
        meaning,
    )


def set_value(name: str, result: str, type_: str, *, ftz: bool = False) -> Case:
    yes = 1.0 if TYPES[result].dtype.kind not in "iu" else -1

    def meaning(a: Array, b: Array) -> Array:
        return np.where(compared(name, ftz=ftz)(a, b), yes, 0)

    suffix = ".ftz" if ftz else ""
    return Case(
        f"set.{name}{suffix}.{result}.{type_} %d, %a, %b;",
        f"a:{type_} b:{type_}",
        f"d:{result}",
        meaning,
    )


def set_combined(a: Array, b: Array, c: Array) -> Array:
    return np.where(np.logical_xor(compared("lt")(a, b), c), -1, 0)


def set_of_halves(combine: str, result: str, type_: str) -> Case:
    """`set` with a third operand, or of packed floats into 16 bits each."""
    logic = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.get(combine)
    integer = result[0] in "us"

    def meaning(a: Array, b: Array, c: Array | None = None) -> Array:
        found = compared("ge")(a, b)
        if logic is not None and c is not None:
            found = logic(found, c[:, None] if found.ndim == 2 else c)
        chosen = np.where(found, (1 << 16) - 1 if integer and found.ndim == 2 else 1, 0)
        if not integer:
            return chosen
        if found.ndim == 2:
            return chosen[:, 0] | chosen[:, 1] << 16
        return -chosen

    dot, third, more = (f".{combine}", ", %c", " c:pred") if combine else ("", "", "")
    text = f"set.ge{dot}.{result}.{type_} %d, %a, %b{third};"
    return Case(text, f"a:{type_} b:{type_}{more}", f"d:{result}", meaning)


def halves(name: str) -> Callable[[Array, Array], tuple[Array, Array]]:
    def meaning(a: Array, b: Array) -> tuple[Array, Array]:
        result = compared(name)(a, b)
        return result[:, 0], result[:, 1]

    return meaning


_FLOAT_COMPARISONS = (
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "equ",
    "neu",
    "ltu",
    "leu",
    "gtu",
    "geu",
    "num",
    "nan",
)
_SELECTED = ("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64")

CASES: tuple[Case, ...] = (
    *(set_predicate(name, t) for t in _INTEGERS for name in _OPERATORS),
    *(set_predicate(name, t) for t in ("u16", "u32", "u64") for name in _UNSIGNED),
    *(set_predicate(name, t) for t in ("b16", "b32", "b64") for name in ("eq", "ne")),
    *(set_predicate(name, t) for t in ("f32", "f64", "f16", "bf16") for name in _FLOAT_COMPARISONS),
    set_predicate("lt", "f32", ftz=True),
    set_predicate("eq", "f32", ftz=True),
    set_predicate("ge", "f16", ftz=True),
    *(
        combined("lt", combine, t)
        for combine in ("and", "or", "xor")
        for t in ("s32", "u64", "f32")
    ),
    Case(
        "setp.neu.and.f16 %p, %a, %b, %c;",
        "a:f16 b:f16 c:pred",
        "p:pred",
        lambda a, b, c: np.logical_and(compared("neu")(a, b), c),
    ),
    *(
        Case(f"setp.{name}.{t} %p|%q, %a, %b;", f"a:{t} b:{t}", "p:pred q:pred", halves(name))
        for t in ("f16x2", "bf16x2")
        for name in ("lt", "neu")
    ),
    *(
        set_value("lt", result, t)
        for result in ("u32", "s32", "f32")
        for t in ("s32", "u64", "f32", "f64")
    ),
    set_value("eq", "f32", "f32", ftz=True),
    set_value("gt", "f16", "f16"),
    set_value("gt", "bf16", "bf16"),
    set_value("leu", "u32", "f16"),
    set_value("lt", "f16x2", "f16x2"),
    set_value("lt", "bf16x2", "bf16x2"),
    *(set_of_halves("", "u32", t) for t in ("f16x2", "bf16x2")),
    *(
        set_of_halves(combine, result, t)
        for combine, result, t in (
            ("and", "f16", "f16"),
            ("or", "bf16", "bf16"),
            ("xor", "s16", "f16"),
            ("and", "f16x2", "f16x2"),
            ("xor", "bf16x2", "bf16x2"),
            ("or", "u32", "f16x2"),
        )
    ),
    Case("set.lt.xor.s32.s32 %d, %a, %b, %c;", "a:s32 b:s32 c:pred", "d:s32", set_combined),
    *(
        Case(
            f"selp.{t} %d, %a, %b, %c;",
            f"a:{t} b:{t} c:pred",
            f"d:{t}",
            lambda a, b, c: np.where(c != 0, a, b),
        )
        for t in _SELECTED
    ),
    *(
        Case(
            f"slct.{t}.s32 %d, %a, %b, %c;",
            f"a:{t} b:{t} c:s32",
            f"d:{t}",
            lambda a, b, c: np.where(c >= 0, a, b),
        )
        for t in _SELECTED
    ),
    Case(
        "slct.b32.f32 %d, %a, %b, %c;",
        "a:b32 b:b32 c:f32",
        "d:b32",
        lambda a, b, c: np.where(c >= 0, a, b),
    ),
    Case(
        "slct.ftz.f32.f32 %d, %a, %b, %c;",
        "a:f32 b:f32 c:f32",
        "d:f32",
        lambda a, b, c: np.where(np.where(np.abs(c) < 2.0**-126, 0, c) >= 0, a, b),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)
