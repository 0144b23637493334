"""What others make of our PTX: the parser of pyptx, and the static race verifier sentryward."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sentryward
from pyptx import emitter, parser

from tests.llvm_programs.comparison import agree, module_text, our_ptx, results
from tests.unit.backend.ptx.harness import ptx
from tests.unit.backend.ptx.nvvm_forms import FORMS, module
from tileir_xdsl import emulator
from tileir_xdsl.testing.llvm_programs.generator import generate


def readable(text: str) -> str:
    """PTX as pyptx reads it: it does not know generic pointers with an alignment."""
    return re.sub(r"\.ptr \.align \d+ ", "", text)


def test_pyptx_parses_every_form() -> None:
    for form in FORMS:
        parsed = parser.parse(readable(ptx(module(form.op), form.gpu)))
        assert parsed.target.targets == (form.gpu,)


def test_what_pyptx_prints_again_computes_the_same() -> None:
    functions = [generate(seed) for seed in range(12)]
    text = our_ptx(module_text(functions), "sm_90a")
    printed: Any = emitter.emit(parser.parse(text))
    ours, theirs = emulator.load(text), emulator.load(printed)
    for function in functions:
        assert all(map(agree, results(ours, function), results(theirs, function)))


def neighbour_exchange(synchronization: str) -> str:
    """Every thread reads what another thread has written to shared memory."""
    return f"""
llvm.mlir.global internal @s() {{addr_space = 3 : i32, alignment = 16 : i64}} : !llvm.array<64 x i32>
llvm.func @k(%out: !llvm.ptr<1>) attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 64>}} {{
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %last = llvm.mlir.constant(63 : i32) : i32
  %base = llvm.mlir.addressof @s : !llvm.ptr<3>
  %own = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %t, %own : i32, !llvm.ptr<3>
  {synchronization}
  %m = llvm.sub %last, %t : i32
  %other = llvm.getelementptr %base[%m] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %v = llvm.load %other : !llvm.ptr<3> -> i32
  %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %v, %to : i32, !llvm.ptr<1>
  llvm.return
}}"""


@pytest.mark.parametrize(
    ("synchronization", "verdict"), [("nvvm.barrier", "race_free"), ("", "potential_race")]
)
def test_sentryward_agrees_about_races(tmp_path: Path, synchronization: str, verdict: str) -> None:
    kernel, configuration = tmp_path / "kernel.ptx", tmp_path / "input.json"
    kernel.write_text(ptx(neighbour_exchange(synchronization), "sm_100a"))
    launch = {
        "grid_dim": [1, 1, 1],
        "block_dim": [64, 1, 1],
        "cluster_dim": [1, 1, 1],
        "dynamic_shared_bytes": 0,
    }
    schema = "spverify.kernel-input/v1"
    configuration.write_text(json.dumps({"schema": schema, "launch": launch}))
    assert sentryward.verify(kernel, input=configuration)["result"] == verdict
