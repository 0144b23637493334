"""Which kernels have an agent of MMAs, how many accumulators it has in turn, and what says so."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from tests.unit.tools import REPOSITORY
from tests.unit.transforms.accumulator_changes import read_in_between
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.dialects.nv_tileas.accumulators import accumulators_of
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.explain.report import collecting_reports
from tileir_xdsl.options import Options
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_overlap_epilogue.plan import plan_overlap, switch_of

EXAMPLE = REPOSITORY / "tests" / "filecheck" / "transforms" / "tileas-overlap-epilogue.mlir"
PASS = "tileas-overlap-epilogue"


def program() -> str:
    """A persistent product of tiles of 128x128."""
    return EXAMPLE.read_text()


def run(text: str, options: str = "") -> ModuleOp:
    return tools.run_passes(tools.parse(text), PASS + options)


def shape(module: ModuleOp) -> tuple[int | None, int]:
    """The accumulators in turn, and the agents."""
    (switch,) = (op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp))
    return accumulators_of(switch), len(switch.bodies)


def test_two_accumulators_without_a_remark():
    module = run(program())
    assert shape(module) == (2, 3)
    assert REMARKS_ATTRIBUTE not in module.attributes


def test_loops_guard_mmas_unless_all_accumulators_surely_have_one():
    """A stage of which one accumulator is not written is not published."""
    module = tools.parse(program())
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    switch = switch_of(function)
    assert switch is not None
    plan = plan_overlap(function, switch)
    (accumulator,) = plan.accumulators
    (mma,) = accumulator.mmas
    loop = mma.parent_op()
    assert plan.guards == (loop,)
    again = mma.clone()
    assert isinstance(again, MMAOp) and isinstance(loop, scf.ForOp)
    Rewriter.insert_op(again, InsertPoint.after(loop))
    surely = replace(accumulator, mmas=(again,))
    assert replace(plan, accumulators=(surely,)).guards == ()
    assert replace(plan, accumulators=(surely, accumulator)).guards == (loop,)


def with_occupancy(text: str, blocks: int) -> str:
    return text.replace("num_ctas = 1>", f"num_ctas = 1, occupancy = {blocks}>")


@pytest.mark.parametrize(("blocks", "count"), [(2, 2), (3, 1), (4, 1), (5, 0)])
def test_blocks_share_tensor_memory(blocks: int, count: int):
    """Of 512 columns each has its part, of which it allocates a power of two."""
    module = run(with_occupancy(program(), blocks))
    assert shape(module)[0] == count
    said = str(module.attributes.get(REMARKS_ATTRIBUTE, ""))
    assert ("accumulators in turn take" in said) == (count < 2)


def asking(text: str, count: int) -> str:
    asked = f"num_warps = array<i32: 8, 1>, nv_tileas.accumulators = {count} : i32}}"
    return text.replace("num_warps = array<i32: 8, 1>}", asked)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_what_is_asked_for(count: int):
    module = run(asking(program(), count))
    assert shape(module) == (count, 3 if count else 2)
    assert REMARKS_ATTRIBUTE not in module.attributes


def from_one(text: str) -> str:
    """The accumulator begins at other numbers than zero."""
    return text.replace("arith.constant 0.000000e+00 : f32", "arith.constant 1.000000e+00 : f32")


def printed_in_between(text: str) -> str:
    """Something is printed in the loop of MMAs."""
    release = re.search(r" *%\w+ = nv_tileas\.async\.pipeline\.consumer_release", text)
    assert release is not None
    fence = "nv_tileas.fence acq_rel tl_blk\n"
    return text[: release.start()] + fence + text[release.start() :]


def with_longer_stages(text: str) -> str:
    """Seven stages of 32 KiB in place of six, next to the tile that is stored."""
    text = text.replace("tensor<6x", "tensor<7x").replace("tile<6x", "tile<7x")
    return text.replace("numStages = 6", "numStages = 7")


REASONS: tuple[tuple[Callable[[str], str], str], ...] = (
    (from_one, "an accumulator does not begin at zero for each tile"),
    (read_in_between, "an accumulator is not read exactly once for each tile"),
    (printed_in_between, "one thread cannot execute 'nv_tileas.fence', which issues MMAs"),
    (with_longer_stages, "stages leave no shared memory for barriers"),
    (lambda text: with_occupancy(text, 5), "1 accumulators in turn take 128 columns"),
)
"""What is changed, and why one agent does both then."""


@pytest.mark.parametrize(("change", "reason"), REASONS)
def test_why_one_agent_does_both(change: Callable[[str], str], reason: str):
    text = change(program())
    assert text != program()
    with collecting_reports() as reports:
        module = run(text, '{explain="<collected>"}')
    assert shape(module) == (0, 2)
    ((decision,),) = reports[0].functions.values()
    assert decision["strategy"] == "mmas_in_the_epilogue"
    assert decision["pruned"] == {"one_accumulator": reason, "two_accumulators": reason}
    assert f"{reason}; one agent does both" in str(module.attributes[REMARKS_ATTRIBUTE])
    found = re.search(r"#(\d+) nv_tileas.async.pipeline.agent_switch", str(decision))
    assert found is not None
    with pytest.raises(PassFailedException, match="cannot have 1 accumulators in turn: " + reason):
        run(text, f'{{force="#{found[1]}=one_accumulator"}}')


@pytest.mark.parametrize(
    ("force", "message"),
    [
        (
            "#0=one_accumulator",
            "'nv_tileas.alloc_tensor' op has no choice of accumulators: only ops with agents have one",
        ),
        ("#66=three", "has no choice 'three', expected one of mmas_in_the_epilogue, one_accum"),
    ],
)
def test_what_cannot_be_forced(force: str, message: str):
    with pytest.raises(PassFailedException, match=re.escape(message)):
        run(program(), f'{{force="{force}"}}')


@pytest.mark.parametrize("predicate", [2, 3])
def test_a_stage_is_not_published_without_an_mma(predicate: int):
    """With `lb <= ub` in place of `lb < ub` the loop of MMAs might not run."""
    module = run(program())
    (switch,) = (op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp))
    context = tools.context()
    branches = [op for op in switch.bodies[1].walk() if isinstance(op, arith.CmpiOp)]
    for op in branches:
        op.predicate = IntegerAttr(predicate, op.predicate.type)
    road = steps("sm_100a", Options())
    names = [step.name for step in road]
    for step in road[names.index(PASS) + 1 : -1]:
        step.module_pass.apply(context, module)
    if predicate == 2:
        road[-1].module_pass.apply(context, module)
        return
    message = "'nv_tileas.async.pipeline.producer_write' op publishes an accumulator that may be"
    with pytest.raises(PassFailedException, match=message):
        road[-1].module_pass.apply(context, module)
