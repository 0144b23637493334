"""What a user types, in processes of their own."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from programs import elementwise

LEVELS = ["cuda_tile", "nv_tileaa", "nv_tileas", "ptx"]


def finished(*command: str) -> subprocess.CompletedProcess[str]:
    """A command of this environment."""
    program = shutil.which(command[0], path=str(Path(sys.executable).parent))
    assert program is not None
    words = [program, *command[1:]]
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=False)


def run(*command: str) -> str:
    """What a command prints that succeeds."""
    done = finished(*command)
    assert done.returncode == 0, done.stderr
    return done.stdout


NAMED = ("--with", "linalg_door", "--gpu", "sm_90a")


ADD = elementwise(
    ["%e = arith.addf %a0, %a1 : f32", "%r = arith.negf %e : f32"],
    ["tensor<?x?xf32>", "tensor<?x?xf32>"],
    "f32",
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with a function."""
    (path := tmp_path / "add.mlir").write_text(ADD, "utf-8")
    return str(path)


def test_xdsl_opt(file: str):
    """It finds the pass by its entry point, and the pipeline the extension."""
    passes = "convert-linalg-to-cuda-tile,tileir-pipeline{gpu=sm_90a extensions=linalg_door}"
    assert ".visible .entry f(" in run("xdsl-opt", file, "-p", passes, "-t", "ptx")


def test_compile(file: str):
    assert ".visible .entry f(" in run("tileir", "compile", file, *NAMED, "-o", "-")


def test_check(file: str):
    """The levels agree on random arguments."""
    launch = [f"--arg={value}" for value in (*["random:f32:21x37"] * 2, "zeros:f32:21x37")]
    table = run("tileir", "check", file, *NAMED, "--grid", "2,3", *launch)
    levels = [line.split()[0] for line in table.splitlines()[2:]]
    # Where llvmlite is installed, this machine is one more level.
    assert levels in (LEVELS, [*LEVELS, "cpu"])


def test_explain(file: str, tmp_path: Path):
    """Lines of the report are those of the function."""
    page = tmp_path / "report.json"
    run("tileir", "explain", file, *NAMED, "-o", str(page))
    text = page.read_text("utf-8")
    assert json.loads(text) and "%e = arith.addf %a0, %a1 : f32" in text


def test_an_op_that_is_not_converted_is_one_line(file: str):
    Path(file).write_text(ADD.replace("arith.negf", "math.sin"), "utf-8")
    done = finished("tileir", "compile", file, *NAMED, "-o", "-")
    assert done.returncode == 1
    line = 1 + ADD.partition("arith.negf")[0].count("\n")
    message = "error: 'math.sin' op cannot be converted to cuda_tile: it is not one of the ops"
    assert re.fullmatch(rf"{re.escape(file)}:{line}:9: {message}.*\n", done.stderr)
