"""Which thread issues bulk copies and MMAs, and who executes regions: all compute the same."""

import re
from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tests.unit.road import zoo
from tileir_xdsl.dialects.nv_tileas.strategies import (
    ISSUER,
    REGIONS,
    STRATEGY,
    Issuer,
    IssuerAttr,
    Strategy,
    StrategyAttr,
)
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass
from tileir_xdsl.transforms.tileas_select_lowering.issuers import FAMILY
from tileir_xdsl.transforms.tileas_select_lowering.regions import (
    AGENTS,
    PRODUCERS,
    RegionSelection,
)
from tileir_xdsl.transforms.tileas_select_lowering.selection import Selection, select_lowering
from tileir_xdsl.transforms.tileas_select_lowering.strategies import StrategySelection

KERNELS = {
    "matmul_f16_warpgroup": ("sm_90a", "sm_100a"),
    "persistent_matmul_warpgroup": ("sm_100a",),
    "attention_warpgroup": ("sm_90a",),
}
"""Kernels with bulk copies, and targets for them."""

CASES = [(name, gpu) for name, gpus in KERNELS.items() for gpu in gpus]

Force = Callable[[Selection], bool]
"""Writes something on an op that can have it; whether it did."""


def force_issuer(issuer: Issuer) -> Force:
    def force(selection: Selection) -> bool:
        if not isinstance(selection, StrategySelection) or selection.family is not FAMILY:
            return False
        # What is cheapest is tested everywhere else.
        if issuer not in selection.costs or selection.chosen is issuer:
            return False
        selection.op.attributes[ISSUER] = IssuerAttr(issuer)
        return True

    return force


def leave_regions_to_all(selection: Selection) -> bool:
    everyone = StrategyAttr(Strategy.ALL_THREADS)
    if isinstance(selection, RegionSelection):
        selection.op.attributes[REGIONS] = ArrayAttr([everyone] * len(selection.agents))
        return True
    if not isinstance(selection, StrategySelection) or selection.family is not PRODUCERS:
        return False
    selection.op.attributes[STRATEGY] = everyone
    return True


def count_forced(name: str, gpu: str, force: Force) -> int:
    """Runs a kernel whose ops have what is forced on them; on how many that was."""
    count, case = 0, DIVISIBLE[name]

    def before(step: ModulePass, module: ModuleOp) -> None:
        nonlocal count
        if isinstance(step, TileASSelectLoweringPass):
            plan = select_lowering(module, target_or_default(module), {})
            count += sum(force(each) for selections in plan.values() for each in selections)

    lowered = zoo.lower(tools.parse(case.text_path.read_text()), gpu, before)
    zoo.run(case, lowered, case.typical, case.grid(case.typical), late=True, races=True)
    return count


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "gpu"), CASES)
def test_the_first_thread_issues(name: str, gpu: str):
    assert count_forced(name, gpu, force_issuer(Issuer.FIRST_THREAD))


@pytest.mark.parametrize(("name", "gpu"), CASES[:2])
def test_the_elected_lane_of_the_first_of_one_warp(name: str, gpu: str):
    assert count_forced(name, gpu, force_issuer(Issuer.ELECTED_LANE_OF_FIRST_WARP))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "gpu"), CASES)
def test_all_threads_execute_regions(name: str, gpu: str):
    assert count_forced(name, gpu, leave_regions_to_all)


def test_every_issuer_is_in_the_table():
    assert {row.strategy for row in FAMILY.rows} == set(Issuer)
    for family in (FAMILY, AGENTS):
        assert all(row.source for row in family.rows)


MAP = "!nv_tileas.tma_desc"
TILE = "tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>"
STORE = f"""%s = nv_tileas.async.tiled_tma_store %map, %tile[%i, %i]
    {{ISSUER atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 0 : i32}}
    : {MAP}, {TILE}, i32, i32 -> !nv_tileas.async_token"""


def stored(issuer: str = "", force: str = "", warps: int = 4, gpu: str = "sm_90a") -> str:
    attributes = f"nv_tileas.issuer = {issuer}, " if issuer else ""
    text = f"""
    builtin.module attributes {{nv_tileaa.target_spec = "{gpu}"}} {{
    nv_tileaa.func @k(%i: i32, %map: {MAP}) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = {warps}, num_ctas = 1>}} {{
      %tile = nv_tileas.alloc_tensor : {TILE}
      {STORE.replace("ISSUER", attributes)}
      nv_tileaa.return
    }}
    }}"""
    options = f'{{force="{force}"}}' if force else ""
    return tools.to_text(tools.run_passes(tools.parse(text), f"tileas-select-lowering{options}"))


@pytest.mark.parametrize(
    ("warps", "gpu", "wanted"),
    [
        (4, "sm_90a", Issuer.ELECTED_LANE_OF_FIRST_WARP),
        (1, "sm_90a", Issuer.ELECTED_LANE),
        (4, "sm_80", Issuer.FIRST_THREAD),
    ],
)
def test_selection(warps: int, gpu: str, wanted: Issuer):
    assert re.findall(r"#nv_tileas.issuer<(\w+)>", stored(warps=warps, gpu=gpu)) == [wanted]


def test_a_forced_choice_replaces_a_written_one():
    written = "#nv_tileas.issuer<first_thread>"
    assert "issuer<first_thread>" in stored(written)
    forced = stored(written, force="#1=elected_lane_of_first_warp")
    assert "issuer<elected_lane_of_first_warp>" in forced


STORE_OP = "'nv_tileas.async.tiled_tma_store' op "


@pytest.mark.parametrize(
    ("issuer", "warps", "gpu", "message"),
    [
        ("elected_lane", 4, "sm_90a", "by 'elected_lane': each of 4 warps would elect a lane"),
        ("elected_lane", 1, "sm_80", "by 'elected_lane': the target has no elect.sync"),
        ("only_thread", 4, "sm_90a", "by 'only_thread': 128 threads execute the region around it"),
    ],
)
def test_what_a_store_cannot_have(issuer: str, warps: int, gpu: str, message: str):
    expected = re.escape(f"{STORE_OP}cannot be issued {message}")
    with pytest.raises(PassFailedException, match=expected):
        stored(force=f"#1={issuer}", warps=warps, gpu=gpu)
    with pytest.raises(PassFailedException, match=expected):
        stored(f"#nv_tileas.issuer<{issuer}>", warps=warps, gpu=gpu)


@pytest.mark.parametrize(
    ("force", "message"),
    [
        ("#1=guess", STORE_OP + "has no issuer 'guess', expected one of only_thread, elected_lane"),
        ("#0=first_thread", "'nv_tileas.alloc_tensor' op has no strategies to choose from"),
        ("#1=one_thread", STORE_OP + "has no issuer 'one_thread', expected one of only_thread"),
    ],
)
def test_what_cannot_be_forced(force: str, message: str):
    with pytest.raises(PassFailedException, match=re.escape(message)):
        stored(force=force)


def test_an_attribute_that_is_no_issuer():
    message = STORE_OP + "expects nv_tileas.issuer to be an issuer, got 7 : i32"
    with pytest.raises(PassFailedException, match=re.escape(message)):
        stored("7 : i32")
