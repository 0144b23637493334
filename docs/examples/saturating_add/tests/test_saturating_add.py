"""What becomes of an unchanged kernel that adds and looks for the overflow, level by level."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tileir_xdsl as tileir
from tileir_xdsl.testing import check

KERNEL = Path(__file__).parent / "brighten.mlir"
NAMED = tileir.Options(extensions=("saturating_add",))
GRID = (4,)


def arrays():
    """An image, the light to add, and room for the result; a third of the sums overflow."""
    image, light = np.random.default_rng(1).integers(0, 2**32, (2, 1000), dtype=np.uint32)
    return image, light // 3 * 2, np.zeros_like(image)


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa", "nv_tileas", "ptx"])
def test_values(level: str):
    image, light, out = arrays()
    program = tileir.load(KERNEL, "sm_120a", NAMED)
    program.run(GRID, image, light, out, level=level)
    expected = np.minimum(image.astype(np.uint64) + light, 2**32 - 1)
    assert (out == expected).all() and (out == 2**32 - 1).any()


def test_the_pattern_makes_the_op():
    checks = """
    // CHECK: %[[A:.*]], %{{.*}} = nv_tileaa.tiled_load
    // CHECK: %[[B:.*]], %{{.*}} = nv_tileaa.tiled_load
    // CHECK-NEXT: %[[SUM:.*]] = saturating.add %[[A]], %[[B]] : tensor<256xi32>
    // CHECK-NOT: arith.select
    // CHECK: nv_tileaa.tiled_store weak %[[SUM]]
    """
    program = tileir.load(KERNEL, "sm_120a", NAMED)
    check(program.lower("nv_tileaa").text, checks)


def test_each_thread_adds_its_registers():
    checks = """
    // CHECK: .version 9.2
    // CHECK: .target sm_120a
    // CHECK: ld.global.v2.b32 {%[[A0:.*]], %[[A1:.*]]}, [
    // CHECK: ld.global.v2.b32 {%[[B0:.*]], %[[B1:.*]]}, [
    // CHECK: add.sat.u32 %[[S0:.*]], %[[A0]], %[[B0]];
    // CHECK-NEXT: add.sat.u32 %[[S1:.*]], %[[A1]], %[[B1]];
    // CHECK-NOT: selp
    // CHECK: st.global.v2.b32 [{{.*}}], {%[[S0]], %[[S1]]};
    """
    check(tileir.compile(KERNEL, "sm_120a", options=NAMED).text, checks)


@pytest.mark.parametrize(("gpu", "options"), [("sm_90a", NAMED), ("sm_120a", None)])
def test_nothing_changes_without_the_instruction_or_the_name(
    gpu: str, options: tileir.Options | None
):
    text = tileir.compile(KERNEL, gpu, options=options).text
    assert text == tileir.compile(KERNEL, gpu).text
    assert "add.sat" not in text


def run(*command: str) -> str:
    """What a command of this environment prints."""
    program = shutil.which(command[0], path=str(Path(sys.executable).parent))
    assert program is not None
    given = [program, *command[1:]]
    done = subprocess.run(given, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_levels_agree():
    given = ("--with", "saturating_add", "--gpu", "sm_120a", "--grid", "4")
    assert "ptx" in run("tileir", "check", str(KERNEL), *given)


def test_xdsl_opt():
    pipeline = "tileir-pipeline{gpu=sm_120a extensions=saturating_add}"
    assert "saturating.add" in run("xdsl-opt", str(KERNEL), "-p", pipeline)
