"""Operands of dots that programs name in different ways: right values, and equal loops."""

import re
from itertools import product

import pytest

from bench.framework.machine_code import dump, functions_of
from bench.framework.steady_loops import Work, loop_figures
from bench.sweep.kinds import Generated
from bench.sweep.measuring import compile_ours, emulate
from bench.sweep.plan import point_of
from bench.sweep.spellings import SPELLINGS, axes
from tileir_xdsl.runtime.ptxas import assemble

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
CASES = sorted(
    (gpu, str(operand), spelling, str(type))
    for gpu in GPUS
    for operand, spelling, type in product("ab", SPELLINGS, axes(gpu)["type"])
)
TILE = (64, 64, 32)
TOLERANCE = 1.02
SPELLED_PLAINLY = {True: "transpose", False: "plain"}


def generated(operand: str, spelling: str, type: str, tile: tuple[int, int, int]) -> Generated:
    m, n, k = tile
    name = f"spelling operand={operand} spelling={spelling} type={type} m={m} n={n} k={k}"
    return point_of(name).generate()


@pytest.mark.one_in(120)
@pytest.mark.parametrize(("gpu", "operand", "spelling", "type"), CASES)
def test_values_on_a_ragged_shape(gpu: str, operand: str, spelling: str, type: str):
    point = generated(operand, spelling, type, TILE)
    program = point.text()
    lowered, _ = compile_ours(program, gpu)
    emulate(point, program, lowered)


def executed(gpu: str, operand: str, spelling: str, type: str) -> tuple[float, float]:
    """Instructions of an iteration, and global loads that are not asynchronous."""
    point = generated(operand, spelling, type, (64, 64, 64))
    lowered, _ = compile_ours(point.text(), gpu)
    assert lowered.ptx is not None
    (code,) = functions_of(dump(assemble(lowered.ptx, gpu, "-O3").cubin, "-sass")).values()
    threads = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", lowered.ptx)
    assert threads is not None
    found = loop_figures(code, int(threads[1]) // 32, Work(64 * 64 * 64, 4))
    assert found is not None
    return found.instructions, found.synchronous_loads


@pytest.mark.one_in(80)
@pytest.mark.parametrize(
    ("gpu", "operand", "spelling"), sorted(product(GPUS, "ab", set(SPELLINGS) - {"heads"}))
)
def test_equal_bytes_have_equal_loops(gpu: str, operand: str, spelling: str):
    plainly = SPELLED_PLAINLY[SPELLINGS[spelling].is_permuted]
    found, loads = executed(gpu, operand, spelling, "bf16")
    expected, _ = executed(gpu, operand, plainly, "bf16")
    # A coordinate more of a copy is one instruction or two of the warp that starts it.
    assert abs(found - expected) <= max((TOLERANCE - 1) * expected, 4)
    assert loads == 0
