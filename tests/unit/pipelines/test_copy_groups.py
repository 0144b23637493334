"""Stages that threads copy for themselves: one wait for each iteration, and bugs in it are seen."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from bench.matrix_kernels import CASES
from tests.kernels import launch_arguments
from tests.unit import tools
from tests.unit.pipelines.zoo import Lowered, run
from tileir_xdsl import interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass
from tileir_xdsl.transforms.tileir_pipeline import passes

CASE = CASES["product_128x128x64"]
GRID = (1, 1, 1)
MODES: tuple[dict[str, Any], ...] = ({"late": True, "races": True}, {"races": True, "warp_seed": 1})
DISTANCE = 2
"""How many iterations the loads are ahead."""


def compiled(stages: int, last: str | None = None) -> ModuleOp:
    """The kernel for sm_80 after the pass `last`, or after all of them."""
    module, context = tools.parse(CASE.text_path.read_text()), tools.context()
    for module_pass in passes("sm_80"):
        if isinstance(module_pass, TileASMaterializeAsyncPass):
            module_pass = replace(module_pass, num_stages=stages)
        module_pass.apply(context, module)
        if module_pass.name == last:
            break
    return module


@cache
def kernel() -> Lowered:
    """With three stages, of which two are loaded ahead."""
    module = compiled(DISTANCE + 1)
    return Lowered(module, emit(module))


def test_each_iteration_waits_once_and_makes_a_group():
    module = compiled(DISTANCE + 1, "tileas-unspecialized-pipeline")
    text = str(module)
    steps = (
        "nv_tileas.copy_groups",
        "scf.for",
        "produce_one_async",
        "commit_copies",
        "scf.if",
        r"wait_copies \{pending = 0 : i32\}",
        "scf.for",
        rf"wait_copies \{{pending = {DISTANCE - 1} : i32\}}",
        "scf.if",
        "produce_one_async",
        "commit_copies",
        "consumer_wait",
    )
    assert re.search("(?s:.*)".join(steps), text)
    assert len(re.findall("wait_copies|commit_copies", text)) == 4
    arguments = CASE.make_arguments(CASE.typical)
    expected = CASE.expected(arguments)
    interpreters.launch(module, CASE.name, CASE.grid(CASE.typical), launch_arguments(arguments))
    CASE.check(arguments, expected)


def test_one_stage_keeps_its_barriers():
    text = str(compiled(1, "tileas-unspecialized-pipeline"))
    assert "create_pipeline" in text
    assert "copy_groups" not in text
    assert "_copies" not in text


def test_there_are_no_barrier_objects():
    ptx = kernel().ptx
    assert "mbarrier" not in ptx
    assert ptx.count("cp.async.commit_group") == 2
    assert ptx.count("cp.async.wait_group") == 2


@pytest.mark.parametrize("steps", (1, 2, 5))
def test_any_number_of_steps(steps: int):
    for modes in MODES:
        run(CASE, kernel(), (128, 128, 64 * steps), GRID, **modes)


BUGS: dict[str, tuple[str, str]] = {
    "a group too many may be on its way": (r"wait_group 1;", "wait_group 2;"),
    "copies are not waited for": (r"\tcp\.async\.wait_group 1;\n", ""),
    "a short loop does not wait": (r"\tcp\.async\.wait_group 0;\n", ""),
    "threads do not wait for each other": (r"(cp\.async\.wait_group 1;\n)\tbar\.sync 0;\n", r"\1"),
    "no groups are made": (r"\tcp\.async\.commit_group;\n", ""),
    "loads before the loop make no groups": (
        r"\tcp\.async\.commit_group;\n((?s:.*)\tcp\.async\.commit_group;\n)",
        r"\1",
    ),
    "loads in the loop make no groups": (
        r"(\tcp\.async\.commit_group;\n(?s:.*))\tcp\.async\.commit_group;\n",
        r"\1",
    ),
    "a copy is left out": (r"\tcp\.async\.cg\.shared\.global[^\n]*\n(?!(?s:.*)cp\.async\.cg)", ""),
}
"""What is replaced, and by what."""


@pytest.mark.parametrize("name", BUGS)
def test_bug_is_seen(name: str):
    pattern, instead = BUGS[name]
    ptx, count = re.subn(pattern, instead, kernel().ptx)
    assert count
    broken = replace(kernel(), ptx=ptx)
    with pytest.raises((EmulatorError, AssertionError)):
        for steps in (1, 5):
            for modes in MODES:
                run(CASE, broken, (128, 128, 64 * steps), GRID, **modes)
