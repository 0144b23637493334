"""`exact-division`: its text, its choices and their report, and what kernels compute."""

import json
from pathlib import Path

import numpy as np
import pytest
from exact_division import EXTENSION, ExactDivisionPass, inverse_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

import tileir_xdsl as tileir
from tileir_xdsl.dialects.nv_tileaa import DivFOp
from tileir_xdsl.explain import COLLECTED, collecting_reports
from tileir_xdsl.extensions import register
from tileir_xdsl.testing import assert_same_meaning, check, context, parse

KERNEL = Path(__file__).with_name("kernel.mlir")

OPTIONS = tileir.Options(extensions=(register(EXTENSION).name,))


@pytest.fixture
def module() -> ModuleOp:
    """The kernel where the pass is placed: with layouts, before strategies are chosen."""
    return tileir.load(KERNEL, "sm_90a").lower("tileas-legalize-tmem-copy").module


def run(module: ModuleOp, **options: str) -> ModuleOp:
    after = module.clone()
    ExactDivisionPass(**options).apply(context(), after)
    after.verify()
    return after


def test_the_choice_is_printed(module: ModuleOp):
    check(
        str(run(module)),
        """
CHECK: %[[X:.*]], %{{.*}} = nv_tileas.load
CHECK: %[[INVERSE:.*]] = arith.constant 1.250000e-01 : f32
CHECK-NEXT: %[[TILE:.*]] = nv_tileaa.splat %[[INVERSE]] : f32 -> tensor<128xf32, #nv_tileas.layout
CHECK-NEXT: %[[A:.*]] = nv_tileaa.mulf %[[X]], %[[TILE]] {exact_division.by = "multiplication"}
CHECK: %[[B:.*]] = nv_tileaa.divf %[[A]], %three {exact_division.by = "division"}
CHECK: nv_tileaa.divf %[[B]], %[[X]] {exact_division.by = "division"}
""",
    )


def test_kernels_compute_the_same(module: ModuleOp):
    assert_same_meaning(module, run(module))


def test_it_accepts_what_it_has_left(module: ModuleOp):
    once = run(module)
    assert str(run(once)) == str(once)


def test_a_choice_that_is_written_stays(module: ModuleOp):
    text = str(run(module, force="#10=division"))
    assert text.count("nv_tileaa.divf") == 3
    assert str(run(tileir.load(text).module)) == text


def test_the_report_has_costs_and_reasons(module: ModuleOp):
    with collecting_reports() as reports:
        run(module, explain=COLLECTED)
    first, second, third = json.loads(reports[0].as_json())["functions"]["divide"]
    assert first["op"] == "#10 nv_tileaa.divf %a"
    assert first["strategy"] == "multiplication"
    assert first["costs"] == {"division": 9, "multiplication": 1}
    assert second["pruned"] == {"multiplication": "3 is not a power of two"}
    assert third["pruned"] == {"multiplication": "the divisor is not a constant"}


@pytest.mark.parametrize(
    ("force", "expected"),
    [
        ("#13=multiplication", "cannot be computed by multiplication: 3 is not a power of two"),
        ("#10=shift", "cannot be computed by 'shift', expected division or multiplication"),
        ("#9=division", "has no choice: it is not a division"),
        ("#99=division", "force names op #99"),
    ],
)
def test_choices_that_are_not_possible(module: ModuleOp, force: str, expected: str):
    with pytest.raises(PassFailedException, match=expected):
        run(module, force=force)


@pytest.mark.parametrize(
    ("type", "divisor", "inverse"),
    [
        ("f32", "-0.5", -2.0),
        ("f32", "8.507059e+37", 2.0**-126),
        ("f32", "1.70141183e+38", "f32 has no exact inverse of 1.70141e+38"),
        ("f16", "16384.0", 2.0**-14),
        ("f16", "32768.0", "f16 has no exact inverse of 32768"),
        ("f64", "0.1", "0.1 is not a power of two"),
        ("f64", "0.0", "0 is not a power of two"),
    ],
)
def test_inverses(type: str, divisor: str, inverse: float | str):
    text = f"%x = arith.constant {divisor} : {type}\n%y = nv_tileaa.divf %x, %x : {type}"
    (division,) = [op for op in parse(text).walk() if isinstance(op, DivFOp)]
    assert inverse_of(division) == inverse


def test_ptx():
    ptx = tileir.compile(KERNEL, "sm_90a", options=OPTIONS).text
    check(ptx, "CHECK: mul.rn.f32\nCHECK: div.rn.f32\nCHECK: div.rn.f32\nCHECK-NOT: div.rn.f32")
    x, y = np.linspace(1, 2, 128, dtype=np.float32), np.zeros(128, np.float32)
    tileir.load(KERNEL, "sm_90a", OPTIONS).run(1, x, y, level="ptx")
    assert (y == x / np.float32(8) / np.float32(3) / x).all()
