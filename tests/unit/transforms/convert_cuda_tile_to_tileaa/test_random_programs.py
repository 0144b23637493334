"""The first conversion keeps what random programs compute, bit for bit."""

from __future__ import annotations

import pytest

from tileir_xdsl.testing.programs import compare, coverage, generate
from tileir_xdsl.testing.programs.generator import DEFAULT_SIZE

PROGRAMS = 2000
SMALL_SIZE = 6
BATCH = 25


def _size(seed: int) -> int:
    """Mostly small programs, which cover as much in less time; every tenth is large."""
    return DEFAULT_SIZE if seed % 10 == 0 else SMALL_SIZE


def test_the_programs_have_every_operation_and_element_type():
    modules = (generate(seed, _size(seed)).module for seed in range(PROGRAMS // 10))
    assert coverage.missing(modules) == []


@pytest.mark.one_in(80)
@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_the_conversion_keeps_what_programs_compute(first: int):
    for seed in range(first, first + BATCH):
        compare(generate(seed, _size(seed)), "convert-cuda-tile-to-tileaa")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(PROGRAMS, PROGRAMS + 200, BATCH))
def test_so_it_is_after_other_passes_and_before_canonicalization(first: int):
    passes = "loop-split,canonicalize,convert-cuda-tile-to-tileaa,canonicalize"
    for seed in range(first, first + BATCH):
        compare(generate(seed, _size(seed)), passes)
