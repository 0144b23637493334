"""The FileCheck tests of the road are of the kernels and targets that the generator lists."""

import re

import pytest

from tests import pipeline_checks
from tests.pipeline_checks import CHECKS, FOLDER, check_text, chosen, op_of, run_line


def test_every_kernel_has_its_file():
    assert {path.stem for path in FOLDER.glob("*.mlir")} == CHECKS.keys()


@pytest.mark.parametrize("name", CHECKS)
def test_every_target_has_its_run_line(name: str):
    check, text = CHECKS[name], (FOLDER / f"{name}.mlir").read_text("utf-8")
    runs = re.findall(r"^// RUN: .*", text, re.MULTILINE)
    assert runs == [run_line(check, gpu) for gpu in check.gpus]
    for gpu in check.gpus:
        passes = re.findall(rf"{pipeline_checks.prefix_of(gpu)}-LABEL: IR after (\S+):", text)
        assert passes[0] == "convert-cuda-tile-to-tileaa"
        assert passes[-1] == "convert-tileas-to-llvm"


def test_values_are_bound_by_their_first_line():
    bound: dict[str, str] = {}
    first = check_text("%a, %b = nv_tileas.x %c[%d] {n = [[0], [1]]} : i32", bound)
    assert first == r"%[[V0:\w+]], %[[V1:\w+]] = nv_tileas.x %[[V2:\w+]][%[[V3:\w+]]] {n ="
    assert check_text("nv_tileas.y %a, %c", bound) == "nv_tileas.y %[[V0]], %[[V2]]"


def test_only_new_lines_of_ops_of_the_road_are_shown():
    before = ["%0 = nv_tileas.x %1 : i32", "%2 = arith.addi %0, %0 : i32"]
    after = [*before, "%3 = nv_tileas.x %2 : i64", "%4 = nv_tileas.x %3 : i8", "llvm.return"]
    assert chosen(before, after) == ["%3 = nv_tileas.x %2 : i64"]
    assert op_of("%3 = arith.addi %0, %0 : i32") == op_of("llvm.return") == ""
