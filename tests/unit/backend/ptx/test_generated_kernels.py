"""Generated kernels: no spills, no serialised wgmma, the right results in every mode."""

import re
from typing import Any

import pytest

from tests.kernel_generators import CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.tools import parse, to_text
from tileir_xdsl.backend.ptx import emit

MODES: dict[str, dict[str, Any]] = {
    "fast": {},
    "late": {"late": True},
    "random order": {"warp_seed": 3},
    "late in random order": {"warp_seed": 5, "late": True},
}

LOOP = re.compile(r"^(\$L\d+):\n((?:(?!^\$L).*\n)*?)\t@%p\d+ bra \1;$", re.MULTILINE)


@pytest.mark.parametrize("name", CASES)
def test_assembler_keeps_registers_and_overlap(name: str) -> None:
    case = CASES[name]
    report = assemble(case.ptx(), case.gpu)
    assert "0 bytes spill stores, 0 bytes spill loads" in report
    assert "C75" not in report


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_result(name: str, mode: str) -> None:
    assert CASES[name].launch(**MODES[mode]).error() <= 1.0


@pytest.mark.parametrize("name", CASES)
def test_text_is_the_same_after_a_round_trip(name: str) -> None:
    case = CASES[name]
    again = parse(to_text(case.build(None)))
    assert emit(again, case.gpu) == case.ptx()


@pytest.mark.parametrize("name", CASES)
def test_every_bug_changes_the_kernel(name: str) -> None:
    case = CASES[name]
    right = case.ptx()
    assert all(case.ptx(bug) != right for bug in case.bugs)
