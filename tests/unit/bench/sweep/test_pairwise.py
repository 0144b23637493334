"""Covering arrays contain every pair that a row may contain."""

from collections.abc import Mapping
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.reference import GPUS
from bench.sweep.pairwise import all_pairs, covering_rows, pairs_of
from bench.sweep.plan import KINDS

AXES = st.dictionaries(
    st.sampled_from("abcde"), st.integers(1, 4).map(lambda n: tuple(range(n))), min_size=2
)


@given(AXES, st.integers(0, 99), st.integers(2, 7))
def test_every_possible_pair_is_covered_first(
    axes: Mapping[str, tuple[int, ...]], seed: int, divisor: int
):
    def allowed(row: Mapping[str, int]) -> bool:
        return sum(row.values()) % divisor != 1

    space = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    possible = {pair for row in space if allowed(row) for pair in pairs_of(row)}
    rows = list(covering_rows(axes, seed, allowed))
    assert all(map(allowed, rows))
    # All rows come in the end, each once.
    keys = [tuple(row[name] for name in axes) for row in rows]
    assert sorted(keys) == sorted(tuple(row.values()) for row in space if allowed(row))
    # Until all pairs are covered, each row covers a new one.
    covered: set[object] = set()
    for row in rows:
        new = pairs_of(row) - covered
        assert new or covered == possible
        covered |= new
    assert rows == list(covering_rows(axes, seed, allowed))


def test_few_rows_cover_many_pairs():
    axes = {name: tuple(range(4)) for name in "abcdefgh"}
    rows = list(islice(covering_rows(axes, 1), 45))
    assert set(all_pairs(axes)) == set().union(*map(pairs_of, rows))


@pytest.mark.parametrize("gpu", GPUS)
def test_the_large_kinds_of_a_sweep_are_covered(gpu: str):
    for name, count in (("matmul", 85), ("attention", 60), ("attention_backward", 30)):
        axes = KINDS[name].axes(gpu)
        rows = list(islice(covering_rows(axes, 19), count))
        assert set().union(*map(pairs_of, rows)) == set(all_pairs(axes)), name
