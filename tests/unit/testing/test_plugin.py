"""The fixtures and the lit configuration, in the tests of another package."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest

TEXT = "cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>) { return } }"

def test_fixtures(filecheck, run_passes, assert_same_meaning):
    module = run_passes(TEXT, "convert-cuda-tile-to-tileaa")
    filecheck(str(module), "// CHECK: nv_tileaa.func @k")
    assert_same_meaning(TEXT, module)

def test_a_wrong_check(filecheck):
    with pytest.raises(AssertionError):
        filecheck("a", "// CHECK: b")
"""
CONFIGURATION = """
from tileir_xdsl.testing import configure_lit
configure_lit(config, __file__)
"""
LIT = "from lit.main import main; main()"
IR = """// RUN: xdsl-opt %s -p convert-cuda-tile-to-tileaa | filecheck %s
// RUN: tileir compile %s --gpu sm_90a | filecheck %s --check-prefix=PTX
// CHECK: nv_tileaa.func @k
// PTX: .target sm_90a
cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>) { return } }
"""


def run(folder: Path, *words: str) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_fixtures_of_another_package(tmp_path: Path):
    (tmp_path / "conftest.py").write_text(
        'pytest_plugins = ["tileir_xdsl.testing.plugin"]', "utf-8"
    )
    (tmp_path / "test_others.py").write_text(TESTS, "utf-8")
    assert "2 passed" in run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", ".")


def test_lit_of_another_package(tmp_path: Path):
    (tmp_path / "lit.cfg.py").write_text(CONFIGURATION, "utf-8")
    (tmp_path / "test.mlir").write_text(IR, "utf-8")
    printed = run(tmp_path, "-c", LIT, "-v", ".")
    assert "Passed: 1 (100.00%)" in printed, printed
    (tmp_path / "test.mlir").write_text(IR.replace(".target sm_90a", ".target sm_80"), "utf-8")
    assert "Failed: 1 (100.00%)" in run(tmp_path, "-c", LIT, "-v", ".")
