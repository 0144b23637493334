"""Programs of every level are made small, and end in a test that runs."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.cli.main import main as tileir
from tileir_xdsl.options import UNSPECIALIZE, Options
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import Program, reducing
from tileir_xdsl.testing.programs.__main__ import main
from tileir_xdsl.testing.programs.comparison import Failure
from tileir_xdsl.testing.programs.reducing import (
    LEVELS,
    Level,
    check_command,
    lit_test,
    reduce_program,
)
from tileir_xdsl.testing.programs.reduction import reduce_module

WANTED = {"cuda_tile": "cuda_tile.muli", "nv_tileaa": "arith.muli", "nv_tileas": "nv_tileas.view"}


def _blaming(level: str) -> Level:
    """A level at which programs fail that have a certain op."""

    def find(_program: Program, module: ModuleOp) -> Failure | None:
        found = any(op.name == WANTED[level] for op in module.walk())
        return Failure("it is there", f"{WANTED[level]} is there") if found else None

    return replace(LEVELS[level], find=find)


def _first(level: Level) -> Program:
    programs = (level.generate(seed, 6, "sm_90a") for seed in range(100))
    return next(p for p in programs if level.find(p, p.module) is not None)


@pytest.mark.parametrize("name", LEVELS)
def test_small_programs_are_valid_and_fail(name: str) -> None:
    level = _blaming(name)
    program = _first(level)
    reduced = reduce_program(level, program)
    assert reduced is not None and level.find(program, reduced.module) is not None
    reduced.module.verify()
    sizes = [sum(1 for _ in module.walk()) for module in (reduced.module, program.module)]
    assert 2 * sizes[0] < sizes[1]


BRANCHES = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %x: tile<i32>, %c: tile<i1>) {
    for %i in (%x to %x, step %x) : tile<i32> {
      %y = if %c -> (tile<i32>) {
        %square = muli %i, %i : tile<i32>
        yield %square : tile<i32>
      } else {
        continue
      }
      if %c {
        %token = store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token
      }
      continue
    }
    return
  }
}
"""


def test_branches_are_taken_away() -> None:
    def has_product_and_loop(module: ModuleOp) -> bool:
        names = {op.name for op in module.walk()}
        return {"cuda_tile.muli", "cuda_tile.for"} <= names

    reduced = reduce_module(tools.parse(BRANCHES), has_product_and_loop)
    names = {op.name for op in reduced.walk()}
    assert "cuda_tile.if" not in names and "cuda_tile.store_ptr_tko" not in names

    def has_loop_without_product(module: ModuleOp) -> bool:
        names = {op.name for op in module.walk()}
        return {"cuda_tile.continue", "cuda_tile.for"} <= names

    reduced = reduce_module(tools.parse(BRANCHES), has_loop_without_product)
    assert sum(op.name == "cuda_tile.continue" for op in reduced.walk()) == 1


@pytest.mark.parametrize("name", ["cuda_tile", "nv_tileaa"])
def test_the_test_runs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    level = _blaming(name)
    reduced = reduce_program(level, _first(level))
    assert reduced is not None
    text = lit_test(replace(reduced, passes="canonicalize"))
    file = tmp_path / "reduced.mlir"
    file.write_text(text, "utf-8")
    first, second = (line for line in text.splitlines() if line.startswith("// RUN: "))
    words = shlex.split(first.removeprefix("// RUN: tileir ").partition(" | ")[0])
    assert tileir([str(file) if word == "%s" else word for word in words]) == 0
    tools.check(capsys.readouterr().out, text)
    assert "xdsl-opt %s -p 'canonicalize' | filecheck %s --check-prefix=PASSES" in second


@pytest.mark.parametrize(
    "options",
    [
        Options(dynamic_persistent=True, warps=4, strategy=UNSPECIALIZE),
        Options(abi="tile", device_tensor_maps=False, opt_level=2),
        Options(stages=2, ctas=1, occupancy=2),
    ],
    ids=lambda options: "-".join(options.given()),
)
def test_the_command_has_the_options_of_the_program(
    options: Options, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = replace(LEVELS["cuda_tile"].generate(0, 3, "sm_100a"), options=options)
    file = tmp_path / "program.mlir"
    file.write_text(tools.to_text(program.module), "utf-8")
    words = shlex.split(check_command(program).removeprefix("tileir "))
    assert tileir([str(file) if word == "%s" else word for word in words]) == 0
    assert "disagrees" not in capsys.readouterr().out


def test_the_command_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reducing, "LEVELS", {"nv_tileaa": _blaming("nv_tileaa")})
    seed = _first(_blaming("nv_tileaa")).seed
    command = ["reduce", "--level", "nv_tileaa", "--size", "6", "--gpu", "sm_90a"]
    file = tmp_path / "x.mlir"
    assert main([*command, "--seed", str(seed), "--write", str(file)]) == 0
    assert "// Once: arith.muli is there" in file.read_text("utf-8")
    assert capsys.readouterr().out.endswith("arith.muli is there\n")
    monkeypatch.setitem(WANTED, "nv_tileaa", "no.op")
    assert main([*command, "--seed", "0"]) == 1
