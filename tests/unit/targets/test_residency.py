"""How many blocks a GPU runs at once, against the tables of the CUDA C++ Programming Guide."""

import pytest

from tileir_xdsl.targets import TARGETS, get_target
from tileir_xdsl.targets.residency import MULTIPROCESSORS, blocks_by_resource, resident_blocks

CASES = [
    # Target, threads, registers, shared memory: blocks of a multiprocessor.
    ("sm_90a", 128, 32, 0, 16),
    ("sm_90a", 32, 32, 0, 32),
    ("sm_90a", 1024, 32, 0, 2),
    ("sm_90a", 384, 168, 0, 1),
    ("sm_90a", 128, 255, 0, 2),
    ("sm_90a", 128, 0, 227 * 1024, 1),
    ("sm_90a", 128, 0, 100 * 1024, 2),
    ("sm_80", 256, 64, 48 * 1024, 3),
    ("sm_86", 256, 64, 48 * 1024, 2),
    ("sm_120a", 128, 32, 0, 12),
]


@pytest.mark.parametrize(("gpu", "threads", "registers", "shared", "blocks"), CASES)
def test_blocks_of_a_multiprocessor(
    gpu: str, threads: int, registers: int, shared: int, blocks: int
):
    target = get_target(gpu)
    assert min(blocks_by_resource(target.limits, threads, registers, shared).values()) == blocks
    count = MULTIPROCESSORS[target.compute_capability]
    assert resident_blocks(target, threads, registers, shared) == blocks * count


def test_one_block_runs_in_any_case():
    assert resident_blocks(get_target("sm_90a"), 1024, 255, 0) == 132


def test_all_targets_are_known():
    assert {target.compute_capability for target in TARGETS.values()} == set(MULTIPROCESSORS)
