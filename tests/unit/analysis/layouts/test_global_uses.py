"""What accesses of global memory offer: by alignment, runs of neighbours, lanes and boxes."""

import pytest

from tests.unit.analysis.layouts.sample_uses import answered, global_use, names
from tileir_xdsl.analysis.access.copy_costs import CopyCost
from tileir_xdsl.analysis.layouts.candidates import Candidate, Family
from tileir_xdsl.analysis.layouts.global_uses import (
    BoxTransfer,
    box_transfer,
    has_chunks,
    vector_along,
)
from tileir_xdsl.layout.constructors import blocked, mma_accumulator
from tileir_xdsl.layout.shared import default_shared_layout, shared
from tileir_xdsl.targets.atoms import Memory


@pytest.mark.parametrize(
    ("alignment", "run", "size", "expected"),
    [
        (16, 64, 2, ["ldg_128", "ldg_64", "ldg_32", "ldg_16"]),
        (4, 64, 2, ["ldg_32", "ldg_16"]),
        (16, 2, 2, ["ldg_32", "ldg_16"]),
        (16, 1, 4, ["ldg_32"]),
        (256, 64, 8, ["ldg_128", "ldg_64"]),
    ],
)
def test_widths_of_global_memory(alignment: int, run: int, size: int, expected: list[str]):
    use = global_use(size=size, run=run, alignment=alignment)
    assert names(use) == expected
    pruned = {pruned.name for pruned in use.pruned}
    assert not pruned & set(expected)
    assert pruned | set(expected) == {
        *(f"ldg_{bits}" for bits in (8, 16, 32, 64, 128)),
        "tma_load_2d",
    }


def test_vectors_that_leave_lanes_with_copies_are_taken_only_where_they_are_forced():
    use = global_use(shape=(1, 64))
    assert names(use) == ["ldg_32", "ldg_16"]
    assert [candidate.name for candidate in use.only_forced] == ["ldg_128", "ldg_64"]
    reasons = {pruned.name: pruned.reason for pruned in use.pruned}
    assert reasons["ldg_128"] == "leaves a warp with 64 elements for 32 lanes"
    assert not global_use().only_forced


@pytest.mark.parametrize("shape", [(64, 64), (1, 64), (8,)])
@pytest.mark.parametrize("size", [2, 4, 8])
def test_atomic_accesses_take_element_by_element(size: int, shape: tuple[int, ...]):
    """Whatever the alignment, and whatever the layout has side by side."""
    use = global_use(shape, size, vectors=False)
    assert names(use) == [f"atom_{8 * size}"] and not use.only_forced
    for vector in (1, 2, 8):
        candidate = answered(use, blocked(shape, vector, 4))
        assert (candidate.name, candidate.alignment) == (f"atom_{8 * size}", size)
        assert candidate.atom is None


def test_a_layout_of_others_limits_the_vector():
    use = global_use()
    assert answered(use, mma_accumulator((64, 64), (2, 2))).name == "ldg_32"
    assert answered(use, blocked((64, 64), 8, 4, order=(0, 1))).name == "ldg_16"
    assert answered(use, blocked((64, 64), 8, 4)).alignment == 16


def test_boxes():
    use = global_use(box=box_transfer((64, 64), 16, 1))
    (*_, memory) = use.own
    assert (memory.name, memory.memory, memory.family) == (
        "tma_load_2d",
        Memory.SHARED,
        Family.SHARED,
    )
    assert memory.bucket == "A memory" and memory.alignment == 128
    assert memory.cost == CopyCost(transactions=1.0)
    assert use.in_layout(shared((64, 64), 16)) == "TMA writes another shared layout"
    preferred = global_use(box=box_transfer((64, 64), 16, 1), prefer_tma=True, is_load=False)
    assert set(names(preferred)) == {"tma_store_2d"}
    assert {p.reason for p in preferred.pruned if p.name == "stg_128"} == {"TMA is preferred"}
    narrow = box_transfer((64, 4), 16, 1)
    assert narrow.boxes is None
    assert narrow.problem == "TMA box rows must be multiples of 16 bytes, got 8"


def test_vectors_along_a_dimension():
    layout = blocked((64, 64), 8, 4)
    assert (vector_along(layout, 1), vector_along(layout, 0)) == (8, 1)


def test_copies_of_threads_to_shared_memory():
    """They take any image in which 16 bytes of a row lie together, TMA takes its own alone."""
    rows, columns = default_shared_layout((64, 64), 16), default_shared_layout((64, 64), 16, (0, 1))
    assert has_chunks(rows, 1) and not has_chunks(rows, 0)
    assert has_chunks(columns, 0) and not has_chunks(columns, 1)
    assert not has_chunks(shared((64, 4), 16), 1)
    use = global_use(box=BoxTransfer(None, "no TMA"), async_copies=True)
    (own,) = (candidate for candidate in use.own if candidate.atom == "ldgsts_128")
    assert own.layout == rows and own.cost.registers == 0
    assert use.in_layout(columns) == "no TMA"
    both = global_use(box=box_transfer((64, 64), 16, 1), async_copies=True)
    in_memory = both.in_layout(rows)
    assert isinstance(in_memory, Candidate) and in_memory.atom == "tma_load_2d"
    plain = both.in_layout(shared((64, 64), 16))
    assert isinstance(plain, Candidate) and plain.atom == "ldgsts_128"
