"""Every elementwise operation on drawn operands, against exact arithmetic on single numbers.

Operands are bit patterns, corners (zeros, subnormals, ones, extremes, infinities, NaN) among them.
All operations on the same types are in one kernel. `test_oracles` says where the other operations
are tested.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.interpreters.cuda_tile.elementwise import (
    CASES,
    FLOATS,
    INTEGERS,
    SIZE,
    Case,
    as_tile,
    draws,
    patterns,
    random_tile,
    width_of,
)
from tests.unit.interpreters.evaluation import apply, evaluate, typed
from tileir_xdsl.testing.kernels.agreement import assert_agrees

BY_OPERANDS: dict[tuple[str, ...], list[Case]] = defaultdict(list)
for _case in CASES:
    BY_OPERANDS[_case.operands].append(_case)


@pytest.mark.parametrize("operands", BY_OPERANDS, ids="-".join)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_values(operands: tuple[str, ...], seed: int) -> None:
    generator, cases = np.random.default_rng(seed), BY_OPERANDS[operands]
    tiles = [random_tile(element, generator) for element in operands]
    inputs = [(f"{SIZE}x{e}", tile) for e, tile in zip(operands, tiles, strict=True)]
    results = [f"{SIZE}x{case.result}" for case in cases]
    body = "\n".join(
        f"%out{i} = {typed(case.text, inputs[0][0], result)}"
        for i, (case, result) in enumerate(zip(cases, results, strict=True))
    )
    with np.errstate(all="ignore"):
        for case, found in zip(cases, evaluate(body, inputs, results), strict=True):
            assert_agrees(found, case.expected(tiles), case.name)


BITCASTS = [
    (source, target)
    for source in (*FLOATS, "i8", "i16", "i32", "i64")
    for target in (*FLOATS, "i8", "i16", "i32", "i64")
    if source != target and width_of(source) == width_of(target)
]


@pytest.mark.parametrize(("source", "target"), BITCASTS)
@draws(max_examples=2)
@given(data=st.data())
def test_bitcast(source: str, target: str, data: st.DataObject) -> None:
    tile = as_tile(source, data.draw(patterns(source)))
    result = apply("bitcast %in0 : T -> R", f"{SIZE}x{target}", (f"{SIZE}x{source}", tile))
    assert result.tobytes() == tile.tobytes()


@pytest.mark.parametrize("element", [*FLOATS, *INTEGERS])
@draws(max_examples=2)
@given(data=st.data())
def test_select(element: str, data: st.DataObject) -> None:
    condition = as_tile("i1", data.draw(patterns("i1")))
    lhs, rhs = (as_tile(element, data.draw(patterns(element))) for _ in range(2))
    shape = f"{SIZE}x{element}"
    text = f"select %in2, %in0, %in1 : tile<{SIZE}xi1>, tile<{shape}>"
    result = apply(text, shape, (shape, lhs), (shape, rhs), (f"{SIZE}xi1", condition))
    rows = zip(condition.tolist(), lhs, rhs, strict=True)
    assert result.tobytes() == b"".join((x if c else y).tobytes() for c, x, y in rows)
