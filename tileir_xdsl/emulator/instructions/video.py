"""Video instructions (PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions").

Operands are words, or bytes and half words that a selector names, signed or unsigned. Intermediate
results exceed 32 bits, so Python's integers compute them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.syntax import Negated, Operand, Selected
from tileir_xdsl.emulator.types import TYPES, Array

_WORD = TYPES["u32"]
_MASK = 0xFFFFFFFF
# A selector of one part: its first bit and its width.
_PARTS: Mapping[str, tuple[int, int]] = {
    "": (0, 32),
    **{f"b{i}": (8 * i, 8) for i in range(4)},
    **{f"h{i}": (16 * i, 16) for i in range(2)},
}


def _average(a: Array, b: Array) -> Array:
    total = a + b
    return (total + (total >= 0)) >> 1


_OPERATIONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
    "vavrg": _average,
    "vshl": np.left_shift,
    "vshr": np.right_shift,
}
_COMPARISONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_SECONDARY: Mapping[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
}


def _field(word: Array, first: int, bits: int, *, signed: bool) -> Array:
    """Extracts a field of bits from words, as Python integers."""
    value = (word.astype(object) >> first) & ((1 << bits) - 1)
    return value - ((value >> (bits - 1)) << bits) if signed else value


def _clamp(value: Array, bits: int, *, signed: bool) -> Array:
    least = -(1 << (bits - 1)) if signed else 0
    return np.clip(value, least, least + (1 << bits) - 1)


def _words(value: Array) -> Array:
    """The low 32 bits of Python integers."""
    return (value & _MASK).astype(np.uint32)


def _selected(match: Match, name: str) -> tuple[Operand, str]:
    """The register of an operand, and its selector."""
    operand = match.operands[name]
    if isinstance(operand, Negated) and operand.arithmetic:
        operand = operand.operand
    if isinstance(operand, Selected):
        return operand.operand, operand.selector
    return operand, ""


def _part(match: Match, name: str) -> tuple[int, int]:
    """The first bit and the number of bits that a selector of an operand names."""
    selector = _selected(match, name)[1]
    if selector not in _PARTS:
        raise match.fail(f"expected a selector of a byte or half word, not '.{selector}'")
    return _PARTS[selector]


def _is_negated(match: Match, name: str) -> bool:
    operand = match.operands[name]
    return isinstance(operand, Negated) and operand.arithmetic


def _is_signed(match: Match, name: str) -> bool:
    return match[name] == "s32"


def _result(match: Match) -> Callable[[Array, Array], Array]:
    """The function of an instruction on two operands, which have been extracted before."""
    if match["compare"]:
        compare = _COMPARISONS[match["compare"]]
        return lambda a, b: compare(a, b).astype(object) * 1
    function = _OPERATIONS[match.instruction.opcode.rstrip("24")]
    if match["mode"] == "clamp":
        return lambda a, b: function(a, np.minimum(b, 32))
    if match["mode"] == "wrap":
        return lambda a, b: function(a, b & 31)
    return function


def _scalar(match: Match) -> Callable[..., Array]:
    """A scalar operation, then a second one with `c`, or the replacement of a part of `c`."""
    parts = [_part(match, name) for name in ("a", "b")]
    signs = [_is_signed(match, name) for name in ("left", "right")]
    (first, bits), result = _part(match, "d"), _result(match)
    signed, second = _is_signed(match, "result"), match["second"]
    if bits < 32 and second:
        raise match.fail(f"the result of '.{second}' must be a whole word")
    if ("c" in match.operands) != (bits < 32 or bool(second)):
        raise match.fail(
            "expected a third operand if and only if there is a second operation or a "
            "selector of the result"
        )

    def compute(a: Array, b: Array, c: Array | None = None) -> Array:
        x, y = (
            _field(word, *part, signed=sign)
            for word, part, sign in zip((a, b), parts, signs, strict=True)
        )
        found = result(x, y)
        if match.has("sat"):
            found = _clamp(found, bits, signed=signed)
        if c is None:
            return _words(found)
        if second:
            return _words(_SECONDARY[second](found, _field(c, 0, 32, signed=signed)))
        mask = ((1 << bits) - 1) << first
        return _words((found << first) & mask | c.astype(object) & ~mask)

    return compute


def _multiply_add(match: Match) -> Callable[..., Array]:
    """`vmad`: the product plus or minus `c`, or plus `c` plus one (`.po`), shifted right."""
    parts = [_part(match, name) for name in ("a", "b")]
    signs = [_is_signed(match, name) for name in ("left", "right")]
    negated = _is_negated(match, "a") != _is_negated(match, "b")
    subtracts = _is_negated(match, "c")
    if match.has("po") and any(_is_negated(match, name) for name in "abc"):
        raise match.fail("with '.po', no operand can be negated")
    if negated and subtracts:
        raise match.fail("the product and the third operand cannot both be negated")
    of_signed = any(signs) or negated
    signed = of_signed or subtracts
    scale = int(match["scale"].removeprefix("shr") or 0)

    def compute(a: Array, b: Array, c: Array) -> Array:
        x, y = (
            _field(word, *part, signed=sign)
            for word, part, sign in zip((a, b), parts, signs, strict=True)
        )
        product = -(x * y) if negated else x * y
        third = _field(c, 0, 32, signed=of_signed)
        total = product - third if subtracts else product + third + match.has("po")
        total = total >> scale
        return _words(_clamp(total, 32, signed=signed) if match.has("sat") else total)

    return compute


def _lanes(match: Match, name: str, count: int, default: str) -> list[int]:
    """The parts of `a` and `b` that a selector names, for the lowest part of the result first."""
    selector = _selected(match, name)[1] or default
    letter, digits = selector[0], [int(digit) for digit in reversed(selector[1:])]
    if letter != default[0] or len(digits) != count or max(digits) >= 2 * count:
        raise match.fail(
            f"expected a selector of {count} parts of the words a and b, not '.{selector}'"
        )
    return digits


def _written(match: Match, count: int, default: str) -> list[int]:
    """The parts of the result that are computed."""
    selector = _selected(match, "d")[1] or default
    digits = [int(digit) for digit in reversed(selector[1:])]
    ascending = all(a < b for a, b in pairwise(digits))
    if selector[0] != default[0] or not ascending or max(digits) >= count:
        raise match.fail(
            f"expected a mask that names some of the {count} parts of the result, not '.{selector}'"
        )
    return digits


def _parallel(match: Match) -> Callable[..., Array]:
    """Operates on two or four parts of `a` and `b`; other parts of the result are those of `c`."""
    count = int(match.instruction.opcode[-1])
    bits, letter = 32 // count, {2: "h", 4: "b"}[count]
    low, high = range(count)[::-1], range(count, 2 * count)[::-1]
    selected = [
        _lanes(match, "a", count, letter + "".join(map(str, low))),
        _lanes(match, "b", count, letter + "".join(map(str, high))),
    ]
    written = _written(match, count, letter + "".join(map(str, low)))
    signs = [_is_signed(match, name) for name in ("left", "right")]
    result, signed = _result(match), _is_signed(match, "result")

    def compute(a: Array, b: Array, c: Array) -> Array:
        words = (a, b)
        kept = c.astype(object)
        for lane in written:
            x, y = (
                _field(words[of[lane] // count], of[lane] % count * bits, bits, signed=sign)
                for of, sign in zip(selected, signs, strict=True)
            )
            found = result(x, y)
            if match.has("sat"):
                found = _clamp(found, bits, signed=signed)
            if match.has("add"):
                kept = kept + found
                continue
            mask = ((1 << bits) - 1) << (bits * lane)
            kept = kept & ~mask | (found << (bits * lane)) & mask
        return _words(kept)

    return compute


def _video(syntax: str, function: Callable[[Match], Callable[..., Array]]) -> Form:
    """A form on words whose operands may select parts of words."""

    def emit(builder: BlockBuilder, match: Match) -> None:
        names = list(match.operands)[1:]
        if _is_negated(match, "d") or (function is not _multiply_add and _negates(match, names)):
            raise match.fail("only the source operands of vmad can be negated")
        sources: list[Any] = [_selected(match, name) for name in names]
        if "c" in names and sources[-1][1]:
            raise match.fail("the third operand must be a whole word")
        arguments = [builder.source(register, _WORD) for register, _ in sources]
        call = f"{builder.bind(function(match))}({', '.join(arguments)})"
        builder.assign(_selected(match, "d")[0], _WORD, call)

    return Form(syntax, Compute(emit))


def _negates(match: Match, names: Sequence[str]) -> bool:
    return any(_is_negated(match, name) for name in names)


_SOURCES = "<left:u32|s32>.<right:u32|s32>"
_TYPES = f"<result:u32|s32>.{_SOURCES}"
_SECOND = "{.<second:add|min|max>}"
_COMPARE = "<compare:eq|ne|lt|le|gt|ge>"
_ELEMENTWISE = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")

FORMS: tuple[Form, ...] = (
    *(_video(f"{op}.{_TYPES}{{.sat}}{_SECOND} d, a, b{{, c}}", _scalar) for op in _ELEMENTWISE),
    *(
        _video(
            f"{op}.<result:u32|s32>.<left:u32|s32>.<right:u32>{{.sat}}.<mode:clamp|wrap>{_SECOND}"
            " d, a, b{, c}",
            _scalar,
        )
        for op in ("vshl", "vshr")
    ),
    _video(f"vset.{_SOURCES}.{_COMPARE}{_SECOND} d, a, b{{, c}}", _scalar),
    _video(f"vmad.{_TYPES}{{.po}}{{.sat}}{{.<scale:shr7|shr15>}} d, a, b, c", _multiply_add),
    *(
        _video(f"{op}{count}.{_TYPES}{end} d, a, b, c", _parallel)
        for op in (*_ELEMENTWISE, "vavrg")
        for count in (2, 4)
        for end in ("{.sat}", "{.add}")
    ),
    *(
        _video(f"vset{count}.{_SOURCES}.{_COMPARE}{{.add}} d, a, b, c", _parallel)
        for count in (2, 4)
    ),
)
