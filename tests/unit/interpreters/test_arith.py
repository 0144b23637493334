"""Integer ops of `arith` compute what Python's unbounded integers do."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import evaluate

Binary = Callable[[int, int], int]

UNSIGNED: Mapping[str, Binary] = {
    "addi": lambda x, y: x + y,
    "subi": lambda x, y: x - y,
    "muli": lambda x, y: x * y,
    "divui": lambda x, y: x // y,
    "ceildivui": lambda x, y: -(-x // y),
    "remui": lambda x, y: x % y,
    "minui": min,
    "maxui": max,
    "andi": lambda x, y: x & y,
    "ori": lambda x, y: x | y,
    "xori": lambda x, y: x ^ y,
}
SIGNED: Mapping[str, Binary] = {
    "divsi": lambda x, y: math.trunc(Fraction(x, y)),
    "floordivsi": lambda x, y: x // y,
    "ceildivsi": lambda x, y: -(-x // y),
    "remsi": lambda x, y: x - y * math.trunc(Fraction(x, y)),
    "minsi": min,
    "maxsi": max,
}
SHIFTS: Mapping[str, Binary] = {"shli": lambda x, n: x << n, "shrui": lambda x, n: x >> n}
SIGNED_SHIFTS: Mapping[str, Binary] = {"shrsi": lambda x, n: x >> n}
COUNT = 256


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_integers(width: int):
    dtype, rng = np.dtype(f"i{width // 8}"), np.random.default_rng(width)
    least, most = -(1 << width - 1), (1 << width - 1) - 1
    corners = np.array([least, least + 1, -7, -2, 1, 2, 3, 7, most - 1, most], dtype)
    values = np.concatenate([corners, rng.integers(least, most, 54, dtype, endpoint=True)])
    # Division by zero, and by -1, which may overflow, have no meaning.
    x = rng.choice(np.array([0, -1, *values], dtype), COUNT)
    y = rng.choice(values[(values != 0) & (values != -1)], COUNT)
    n = rng.integers(0, width, COUNT).astype(dtype)
    type = f"{COUNT}xi{width}"
    groups = [(UNSIGNED, y, False), (SIGNED, y, True), (SHIFTS, n, False), (SIGNED_SHIFTS, n, True)]
    lines: list[str] = []
    expected: dict[str, list[int]] = {}
    for table, second, is_signed in groups:
        view = dtype if is_signed else np.dtype(f"u{width // 8}")
        pairs = list(zip(x.view(view).tolist(), second.view(view).tolist(), strict=True))
        for name, function in table.items():
            operand = "%in1" if second is y else "%in2"
            lines.append(f"%out{len(lines)} = arith.{name} %in0, {operand} : tensor<{type}>")
            expected[name] = [function(a, b) % (1 << width) for a, b in pairs]
    results = evaluate("\n".join(lines), [(type, x), (type, y), (type, n)], [type] * len(lines))
    for (name, wanted), found in zip(expected.items(), results, strict=True):
        assert [value % (1 << width) for value in found.tolist()] == wanted, name
