"""Elementwise operations as cases of a test: text, types, and the meaning on single numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from hypothesis import Phase, settings
from hypothesis import strategies as st

from tests.unit.interpreters import float_oracle, integer_oracle, oracle
from tileir_xdsl.interpreters.numerics import ELEMENTS, FLOAT_FORMATS, Array, RoundingMode
from tileir_xdsl.testing.kernels.agreement import ULPS, Expected, within_bound

SIZE = 32
"""Elements of a tile."""

draws = partial(
    settings,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # without making tiles smaller, which takes minutes
)
"""How tests draw: the same in every run; `draws(max_examples=N)`."""

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
SMALL_FLOATS = ("f8E4M3FN", "f8E5M2", "tf32")
NEAREST = RoundingMode.NEAREST_EVEN

_WIDTHS = {**{f"i{w}": w for w in (1, 4, 8, 16, 32, 64)}, "tf32": 32}
_TWO_OPERANDS = ("atan2", "pow")


def width_of(element: str) -> int:
    """The bits of an element in a numpy array."""
    return _WIDTHS.get(element) or FLOAT_FORMATS[element].bits


@cache
def corners(element: str) -> tuple[int, ...]:
    """Bit patterns that are more likely to go wrong than others."""
    width = width_of(element)
    top = 1 << width
    if element in FLOATS or element == "tf32":
        dtype = ELEMENTS[element].dtype
        values = oracle.corner_values(dtype, random=0)
        return tuple(int(p) for p in values.view(f"u{dtype.itemsize}"))
    near = {0, 1, 2, 3, 7, 8, width - 1, width, top - 1, top - 2, top // 2, top // 2 - 1, top // 3}
    return tuple(sorted(p % top for p in near))


def _chosen(element: str, choices: bytes, bits: bytes) -> list[int]:
    """A corner for each odd byte of `choices`, and the pattern in `bits` for each even one."""
    width, known = width_of(element), corners(element)
    anything = np.frombuffer(bits, f"u{max(width // 8, 1)}").astype(object) % (1 << width)
    pairs = zip(choices, anything, strict=True)
    return [known[c // 2 % len(known)] if c % 2 else int(x) for c, x in pairs]


def patterns(element: str) -> st.SearchStrategy[list[int]]:
    """Tiles of bit patterns of an element type, about half of them corners."""
    # Bytes are drawn much faster than numbers.
    exactly = (
        st.binary(min_size=n, max_size=n) for n in (SIZE, SIZE * max(width_of(element) // 8, 1))
    )
    return st.builds(partial(_chosen, element), *exactly)


def random_tile(element: str, generator: np.random.Generator) -> Array:
    """Such a tile, from a generator; its first element is zero."""
    bits = generator.bytes(SIZE * max(width_of(element) // 8, 1))
    return as_tile(element, [0, *_chosen(element, generator.bytes(SIZE), bits)[1:]])


def as_tile(element: str, drawn: Sequence[int]) -> Array:
    """The array of an element type that has the drawn patterns; of fnv8E5M3FNU its codes."""
    dtype = ELEMENTS[element].dtype
    if element == "fnv8E5M3FNU":
        return np.array(drawn, np.uint8)
    if dtype == np.bool_:
        return np.array(drawn, np.bool_)
    bits = np.array(drawn, np.uint64).astype(f"u{dtype.itemsize}")
    if element == "tf32":
        bits &= np.uint32(0xFFFFE000)  # no more digits than tf32 has
    return bits.view(dtype)


def as_patterns(tile: Array, element: str) -> list[int]:
    """The bit patterns of a tile of integers."""
    return [int(value) % (1 << width_of(element)) for value in tile]


@dataclass(frozen=True)
class Case:
    """An operation with its types.

    `meaning` takes numbers, of integers their bit patterns, and gives a number of the type
    `result`, or of an operation of `ULPS` the exact result.
    """

    text: str
    operands: tuple[str, ...]
    result: str
    meaning: Callable[..., Any]

    @property
    def name(self) -> str:
        types = "-".join(dict.fromkeys((*self.operands, self.result)))
        return f"{self.text.split(' :')[0].replace('%in', '')} {types}".replace(" ", "_")

    def numbers(self, tiles: Sequence[Array]) -> list[list[Any]]:
        """The operands element by element."""
        columns = [
            tile.astype(np.float64).tolist()
            if element in FLOAT_FORMATS
            else as_patterns(tile, element)
            for element, tile in zip(self.operands, tiles, strict=True)
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def expected(self, tiles: Sequence[Array]) -> Expected:
        """What the operation gives."""
        values = [self.meaning(*row) for row in self.numbers(tiles)]
        dtype = ELEMENTS[self.result].dtype
        if self.result not in FLOAT_FORMATS:
            width = width_of(self.result)
            return Expected(as_tile(self.result, [int(v) % (1 << width) for v in values]))
        doubles = np.array(values, np.float64)
        if self.operation in ULPS:
            return within_bound(self.operation, doubles, dtype)
        # The values are numbers of the type; ml_dtypes converts from float32.
        exact = doubles.astype(np.float32) if dtype.itemsize < 4 else doubles
        return Expected(exact.astype(dtype))

    @property
    def operation(self) -> str:
        """The operation as `ULPS` spells it."""
        words = self.text.split(" :")[0].replace(",", " ").split()
        return " ".join(w for w in words if not w.startswith("%") and w != "flush_to_zero")


def _operands(count: int) -> str:
    return ", ".join(f"%in{i}" for i in range(count))


def _sign(signed: bool) -> str:
    return "signed" if signed else "unsigned"


def rounding_cases() -> Iterator[Case]:
    """Correctly rounded operations in every mode."""
    for op, (count, function) in float_oracle.ROUNDED.items():
        for element in FLOATS:
            for mode in oracle.ARITHMETIC_MODES:
                text = f"{op} {_operands(count)} rounding<{mode}> : T"
                meaning = partial(function, FLOAT_FORMATS[element], mode)
                yield Case(text, (element,) * count, element, meaning)


def _flushed(value: float) -> float:
    return float(np.copysign(0.0, value)) if abs(value) < 2.0**-126 else value


def _flush(function: Callable[..., float], *operands: float) -> float:
    return _flushed(function(*map(_flushed, operands)))


def flushing_cases() -> Iterator[Case]:
    """Operations of f32 with `flush_to_zero`."""
    functions: dict[str, tuple[int, Callable[..., float]]] = {
        "maxf": (2, partial(float_oracle.maximum, False)),
        "minf": (2, partial(float_oracle.minimum, False)),
        "exp2": (1, float_oracle.ELEMENTARY["exp2"]),
        "rsqrt": (1, float_oracle.ELEMENTARY["rsqrt"]),
    }
    for op, (count, function) in float_oracle.ROUNDED.items():
        functions[op] = (count, partial(function, FLOAT_FORMATS["f32"], NEAREST))
    for op, (count, function) in functions.items():
        text = f"{op} {_operands(count)} flush_to_zero : T"
        yield Case(text, ("f32",) * count, "f32", partial(_flush, function))


def _integer_power(width: int, base: float, exponent: int) -> float:
    return float_oracle.power(base, float(integer_oracle.read(exponent, width, True)))


def elementary_cases() -> Iterator[Case]:
    """Operations that are judged within a bound."""
    for op, function in float_oracle.ELEMENTARY.items():
        count = 2 if op in _TWO_OPERANDS else 1
        for element in FLOATS:
            yield Case(f"{op} {_operands(count)} : T", (element,) * count, element, function)
    power = float_oracle.ELEMENTARY["pow"]
    for element in FLOATS:
        yield Case("fpowf %in0, %in1 : T", (element, element), element, power)
        for integer in ("i1", "i8", "i16", "i32"):
            meaning = partial(_integer_power, width_of(integer))
            text = f"fpowi %in0, %in1 : T, tile<{SIZE}x{integer}>"
            yield Case(text, (element, integer), element, meaning)
    double_root = partial(float_oracle.square_root, FLOAT_FORMATS["f64"], NEAREST)
    approximations: dict[str, Callable[..., float]] = {
        "exp %in0 rounding<approx> : T": float_oracle.ELEMENTARY["exp"],
        "tanh %in0 rounding<approx> : T": float_oracle.ELEMENTARY["tanh"],
        "sqrt %in0 rounding<approx> : T": double_root,
    }
    for text, function in approximations.items():
        yield Case(text, ("f32",), "f32", function)


def exact_float_cases() -> Iterator[Case]:
    """Operations whose results are numbers of the format without rounding."""
    one: dict[str, Callable[[float], float]] = {
        "absf": abs,
        "negf": float_oracle.negate,
        "ceil": float_oracle.ceil,
        "floor": float_oracle.floor,
    }
    two: dict[str, Callable[[float, float], float]] = {
        "remf %in0, %in1": float_oracle.remainder,
        "maxf %in0, %in1": partial(float_oracle.maximum, False),
        "minf %in0, %in1": partial(float_oracle.minimum, False),
        "maxf %in0, %in1 propagate_nan": partial(float_oracle.maximum, True),
        "minf %in0, %in1 propagate_nan": partial(float_oracle.minimum, True),
    }
    for element in FLOATS:
        for op, function in one.items():
            yield Case(f"{op} %in0 : T", (element,), element, function)
        for text, function in two.items():
            yield Case(f"{text} : T", (element, element), element, function)


def _of_integers(function: Callable[..., Any], width: int, signed: bool, *operands: int) -> Any:
    return function(*(integer_oracle.read(x, width, signed) for x in operands))


def integer_cases() -> Iterator[Case]:
    """Integer operations of every width and signedness."""
    for element in INTEGERS:
        width, two = width_of(element), (element, element)
        for op, (ways, function) in integer_oracle.BINARY.items():
            for signed in ways:
                sign = f" {_sign(signed)}" if len(ways) > 1 else ""
                meaning = partial(_of_integers, partial(function, width), width, signed)
                yield Case(f"{op} %in0, %in1{sign} : T", two, element, meaning)
        for op, function in integer_oracle.UNARY.items():
            meaning = partial(_of_integers, function, width, True)
            yield Case(f"{op} %in0 : T", (element,), element, meaning)
        for rounding, signed in (
            ("negative_inf", True),
            ("positive_inf", True),
            ("positive_inf", False),
        ):
            divide = partial(integer_oracle.divide, rounding, width)
            text = f"divi %in0, %in1 {_sign(signed)} rounding<{rounding}> : T"
            yield Case(text, two, element, partial(_of_integers, divide, width, signed))


def _of_floats(
    relation: Callable[[float, float], bool], unordered: bool, x: float, y: float
) -> bool:
    return unordered if x != x or y != y else relation(x, y)


def comparison_cases() -> Iterator[Case]:
    """Every predicate, signedness and ordering."""
    for predicate, relation in integer_oracle.RELATIONS.items():
        for element in INTEGERS:
            for signed in (False, True):
                text = f"cmpi {predicate} %in0, %in1, {_sign(signed)} : T -> R"
                meaning = partial(_of_integers, relation, width_of(element), signed)
                yield Case(text, (element, element), "i1", meaning)
        for element in FLOATS:
            for ordering in ("ordered", "unordered"):
                text = f"cmpf {predicate} {ordering} %in0, %in1 : T -> R"
                meaning = partial(_of_floats, relation, ordering == "unordered")
                yield Case(text, (element, element), "i1", meaning)


def _to_float(element: str, mode: RoundingMode, value: float) -> float:
    return float_oracle.convert(FLOAT_FORMATS[element], mode, value)


def conversion_cases() -> Iterator[Case]:
    """Conversions between all types that have them."""
    floats = (*FLOATS, *SMALL_FLOATS)
    for source in floats:
        for target in floats:
            if source != target:
                meaning = partial(_to_float, target, NEAREST)
                yield Case("ftof %in0 : T -> R", (source,), target, meaning)
    away = partial(_to_float, "tf32", RoundingMode.NEAREST_AWAY)
    yield Case("ftof %in0 rounding<nearest_away> : T -> R", ("f32",), "tf32", away)
    for integer in INTEGERS:
        width = width_of(integer)
        for narrower in INTEGERS:
            if width_of(narrower) < width:
                yield Case("trunci %in0 : T -> R", (integer,), narrower, int)
        for signed in (False, True):
            sign = _sign(signed)
            read = partial(_of_integers, int, width, signed)
            for wider in INTEGERS:
                if width_of(wider) > width:
                    yield Case(f"exti %in0 {sign} : T -> R", (integer,), wider, read)
            for element in floats:
                rounded = partial(_of_integers, partial(_to_float, element, NEAREST), width, signed)
                yield Case(f"itof %in0 {sign} : T -> R", (integer,), element, rounded)
                whole = partial(integer_oracle.from_float, width, signed)
                yield Case(f"ftoi %in0 {sign} : T -> R", (element,), integer, whole)


CASES = [
    *rounding_cases(),
    *flushing_cases(),
    *elementary_cases(),
    *exact_float_cases(),
    *integer_cases(),
    *comparison_cases(),
    *conversion_cases(),
]
"""Every elementwise operation with every modifier and type, but for moves."""
