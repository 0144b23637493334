"""The tree of reductions: as documented, and the same for every width of vectors."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from bench.framework.jit import Array, aligned, zeros
from tests.unit.transforms.convert_tilecpu_to_llvm.jitted import Jitted
from tileir_xdsl.builders.llvm_code import LLVMCode, vector_of
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.reduction_tree import (
    Values,
    fold_halves,
    partial_results,
)


def documented(values: Array) -> np.float32:
    """The sum of docs/numerics.md, one addition after the other."""
    partials = list(values[: partial_results(len(values))])
    for index in range(len(partials), len(values)):
        partials[index % len(partials)] += values[index]
    while len(partials) > 1:
        half = len(partials) // 2
        partials = [partials[i] + partials[i + half] for i in range(half)]
    return partials[0]


def summed(values: Array, lanes: int) -> np.float32:
    partials = partial_results(len(values))
    lanes = min(lanes, partials)

    def add(earlier: Values, later: Values) -> Values:
        return [code.add(llvm.FAddOp(*pair)) for pair in zip(earlier, later, strict=True)]

    def build(built: LLVMCode, source: SSAValue, target: SSAValue) -> None:
        nonlocal code
        code = built

        def load(start: int) -> SSAValue:
            place = built.offset(source, built.integer(start), f32)
            return built.load(place, vector_of(f32, lanes), 4)

        vectors = [load(start) for start in range(0, partials, lanes)]
        for start in range(partials, len(values), partials):
            vectors = [
                add([vector], [load(start + number * lanes)])[0]
                for number, vector in enumerate(vectors)
            ]
        (total,) = fold_halves(built, [vectors], add)
        built.store(total, target, 4)

    code = LLVMCode([])
    result = zeros(1, np.float32)
    Jitted(2, build)(aligned(values), result)
    return result[0]


@pytest.mark.parametrize("extent", [1, 2, 8, 32, 64, 256])
@pytest.mark.parametrize("lanes", [1, 4, 8, 16, 32])
def test_sums(extent: int, lanes: int):
    values = np.random.default_rng(extent).standard_normal(extent).astype(np.float32)
    assert summed(values, lanes) == documented(values)


def test_order_is_seen():
    values = np.random.default_rng(1).standard_normal(256).astype(np.float32)
    assert documented(values) != documented(values[::-1].copy())
