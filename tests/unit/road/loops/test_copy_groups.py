"""Stages that threads copy for themselves: one wait for each iteration, and bugs in it are seen."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, f16
from xdsl.rewriter import InsertPoint, Rewriter

from bench.matrix_kernels import CASES
from tests.unit.road import agreement
from tests.unit.road.zoo import Lowered, run
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.dialects.target_attributes import ABI_ATTRIBUTE
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import launch_arguments
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass
from tileir_xdsl.transforms.tileas_unspecialized_pipeline import TileASUnspecializedPipelinePass

CASE = CASES["product_128x128x64"]
GRID = (1, 1, 1)
MODES: tuple[dict[str, Any], ...] = ({"late": True, "races": True}, {"races": True, "warp_seed": 1})
DISTANCE = 2
"""How many iterations the loads are ahead."""


def compiled(stages: int, last: str | None = None, text: str | None = None) -> ModuleOp:
    """A kernel for sm_80 after the pass `last`, or after all of them."""
    module, context = tools.parse(text or CASE.text_path.read_text()), tools.context()
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


def test_a_branch_has_copies_alone():
    (arm,) = re.findall(r"@!%p\d+ bra \$L\d+;\n((?:\t[^\n]*\n)*?)\tbra\.uni", kernel().ptx)
    words = {line.split()[0] for line in arm.splitlines()}
    # What is the same in all iterations is known to be only outside of the branch.
    assert words == {"cp.async.cg.shared.global", "mov.b32"}


@pytest.mark.one_in(3)
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


@pytest.mark.one_in(3)
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


SIZE, TILES = 64, 5
OBJECT = f"tensor_view<{TILES * SIZE}x{SIZE}xf16, strides=[{SIZE},1]>"
VIEW = f"partition_view<tile=({SIZE}x{SIZE}), {OBJECT}>"
HALF, SUM = f"tile<{SIZE}x{SIZE}xf16>", f"tile<{SIZE}x{SIZE}xf32>"
RESULT = f"tensor_view<{SIZE}x{SIZE}xf32, strides=[{SIZE},1]>"
RESULT_VIEW = f"partition_view<tile=({SIZE}x{SIZE}), {RESULT}>"
ROUNDS = f"""
%a = assume div_by<16>, %p0 : tile<ptr<f16>>
%b = assume div_by<16>, %p1 : tile<ptr<f16>>
%a_object = make_tensor_view %a, shape = [{TILES * SIZE}, {SIZE}], strides = [{SIZE}, 1] : {OBJECT}
%b_object = make_tensor_view %b, shape = [{TILES * SIZE}, {SIZE}], strides = [{SIZE}, 1] : {OBJECT}
%a_view = make_partition_view %a_object : {VIEW}
%b_view = make_partition_view %b_object : {VIEW}
%one = constant <i32: 1> : tile<i32>
%none = constant <f32: 0.0> : {SUM}
%total = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%before = %none) -> ({SUM}) {{
  %sum = for %k in (%i to %n, step %one) : tile<i32> iter_values(%acc = %before) -> ({SUM}) {{
    %x, %t = load_view_tko weak %a_view[%k, %zero] : {VIEW}, tile<i32> -> {HALF}, token
    %y, %u = load_view_tko weak %b_view[%k, %zero] : {VIEW}, tile<i32> -> {HALF}, token
    %d = mmaf %x, %y, %acc : {HALF}, {HALF}, {SUM}
    continue %d : {SUM}
  }}
  continue %sum : {SUM}
}}
%result = make_tensor_view %p2, shape = [{SIZE}, {SIZE}], strides = [{SIZE}, 1] : {RESULT}
%result_view = make_partition_view %result : {RESULT_VIEW}
%stored = store_view_tko weak %total, %result_view[%zero, %zero] : {SUM}, {RESULT_VIEW}, tile<i32> -> token
"""
"""Adds products of the tiles from i on, for all i: the loads of each round begin anew."""


def test_a_stage_that_hardware_reads_too_keeps_its_barriers():
    """The wait for a group brings no fence, without which `wgmma` does not see the copies."""
    text = agreement.kernel(ROUNDS, ["f16", "f16", "f32"]).replace(
        "%p2: tile<ptr<f32>>", "%p2: tile<ptr<f32>>, %n: tile<i32>"
    )
    computed = f"%twice = addf %x, %x : {HALF}\n%d = mmaf %twice,"
    module, context = tools.parse(text.replace("%d = mmaf %x,", computed)), tools.context()
    # No launch makes tensor maps, so that threads copy.
    module.attributes[ABI_ATTRIBUTE] = StringAttr("tile")
    for module_pass in passes("sm_90a"):
        if module_pass.name == "tileas-unspecialized-pipeline":
            break
        module_pass.apply(context, module)
    (dot,) = (op for op in module.walk() if isinstance(op, nv_tileas.AsyncDotOp))
    assert isinstance(dot.b.owner, nv_tileas.ConsumerReadOp)
    held = TensorType(f16, (SIZE, SIZE), register_layout(blocked((SIZE, SIZE), 4, 4)))
    Rewriter.insert_op(nv_tileas.ConvertLayoutOp(dot.b, held), InsertPoint.before(dot))
    TileASUnspecializedPipelinePass().apply(context, module)
    assert "nv_tileas.copy_groups" not in str(module) and "wait_copies" not in str(module)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("stages", (2, 3, 4))
def test_rounds_begin_where_no_thread_reads_a_stage(stages: int):
    text = agreement.kernel(ROUNDS, ["f16", "f16", "f32"]).replace(
        "%p2: tile<ptr<f32>>", "%p2: tile<ptr<f32>>, %n: tile<i32>"
    )
    module = compiled(stages, text=text)
    ptx = emit(module)
    assert "cp.async.wait_group" in ptx and "mbarrier" not in ptx
    rng = np.random.default_rng(stages)
    a, b = (rng.integers(-2, 3, (TILES, SIZE, SIZE)).astype(np.float16) for _ in "ab")
    expected = sum((k + 1) * a[k].astype(int) @ b[k].astype(int) for k in range(TILES))
    for warp_seed in (None, 1, 2, 3):
        found = np.zeros((SIZE, SIZE), np.float32)
        emulator.load(ptx).launch(
            "k",
            GRID,
            [a, b, found, TILES],
            dynamic_shared=dynamic_shared_memory(module, "k"),
            races=True,
            warp_seed=warp_seed,
        )
        np.testing.assert_array_equal(found, expected)
