"""The forms of loops with asynchronous dots: which is taken, forced, asked for or refused."""

import json
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.chained_dots import HALF, chained
from tests.unit.transforms.dot_loops import A_TILE, LOOP, SUM, kernel
from tileir_xdsl.testing import tools

PING_PONG = "nv_tile.aws.ping_pong"
BY_WARPGROUP = dict.fromkeys(
    ("in_order_by_warpgroup", "alongside_by_warpgroup"), "no dot is in tensor memory"
)
"""Forms of dots whose accumulators are not in registers."""


def scheduled(text: str, options: str = "", warps: int = 8, then: str = "") -> ModuleOp:
    passes = f"tileas-materialize-async,tileas-generate-schedule{options}{then}"
    text = text.replace("num_warps = 4", f"num_warps = {warps}")
    return tools.run_passes(tools.parse(text), passes)


def facts_of(text: str, folder: Path, warps: int = 8) -> dict[str, dict[str, int]]:
    report = folder / "report.json"
    scheduled(text, f'{{explain="{report}"}}', warps)
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    return facts


def asking(form: str) -> str:
    attribute = f'nv_tileas.mma_schedule = "{form}", nv_tileaa.kernel_spec'
    return chained().replace("{nv_tileaa.kernel_spec", f"{{{attribute}", 1)


def test_small_tiles_stay_without_ping_pong(tmp_path: Path):
    facts = facts_of(chained(), tmp_path)
    assert facts["strategy"] == "alongside" and facts["pruned"] == BY_WARPGROUP
    assert facts["costs"]["alongside"] < facts["costs"]["alongside_ping_pong"]


def test_one_warpgroup_has_nobody_to_alternate_with(tmp_path: Path):
    facts = facts_of(chained(), tmp_path, warps=4)
    reason = "there are no two warpgroups"
    pruned = dict.fromkeys(("in_order_ping_pong", "alongside_ping_pong"), reason)
    assert facts["pruned"] == pruned | BY_WARPGROUP


def stored_by_threads(first: bool, second: bool) -> str:
    """The chained dots, of which some have an operand that threads store to shared memory."""
    text = chained()
    if first:
        half = f"%half = nv_tileaa.fp_to_fp %zero : {SUM} to {HALF}"
        kept = f"%kept_1 = nv_tileas.convert_layout %half : {HALF} -> {A_TILE}"
        start = "%scores_started = nv_tileas.async.dot"
        text = text.replace(f"{start} %w,", f"{half}\n{kept}\n{start} %kept_1,")
    if second:
        kept = f"%kept_2 = nv_tileas.convert_layout %weights : {HALF} -> {A_TILE}"
        start, types = "%started = nv_tileas.async.dot", f"{A_TILE}, {SUM} -> "
        text = text.replace(f"{start} %weights,", f"{kept}\n{start} %kept_2,")
        text = text.replace(f": {HALF}, {types}", f": {A_TILE}, {types}")
    return text


@pytest.mark.parametrize("second", (False, True))
@pytest.mark.parametrize("first", (False, True))
def test_one_operand_that_threads_store_is_enough(first: bool, second: bool, tmp_path: Path):
    """All warpgroups meet before that dot, and one of them would wait for its turn."""
    pruned = facts_of(stored_by_threads(first, second), tmp_path)["pruned"]
    reason = "all warpgroups meet for an operand that threads store"
    assert pruned.get("in_order_ping_pong") == (reason if first or second else None)


def test_dots_alone_gain_nothing(tmp_path: Path):
    """The matrix unit of a plain product is busy all the time."""
    facts = facts_of(kernel(LOOP), tmp_path)
    assert facts["strategy"] == "in_order"
    reason = "no dot is independent of the iterations before"
    pruned = dict.fromkeys(("alongside", "alongside_ping_pong"), reason)
    assert facts["pruned"] == pruned | BY_WARPGROUP


@pytest.mark.parametrize(
    "form", ("in_order", "in_order_ping_pong", "alongside", "alongside_ping_pong")
)
def test_what_is_forced_is_taken(form: str):
    forced = str(scheduled(chained(), f'{{force="#28={form}"}}'))
    assert (PING_PONG in forced) == form.endswith("ping_pong")
    assert ("iter_offset" in forced) == form.startswith("alongside")
    assert forced == str(scheduled(asking(form))).replace(
        f'nv_tileas.mma_schedule = "{form}", ', ""
    )


REFUSED = {
    "#28=in_ping_pong": "'scf.for' op has no form 'in_ping_pong', expected one of in_order, in_order_ping_pong",
    "#27=in_order": "op has no asynchronous dots to schedule",
    "#28=alongside_ping_pong": "dots of a loop are not alongside_ping_pong: there are no two warpgroups",
}


@pytest.mark.parametrize("force", REFUSED)
def test_what_cannot_be_forced(force: str):
    with pytest.raises(PassFailedException) as error:
        scheduled(chained(), f'{{force="{force}"}}', warps=4)
    assert REFUSED[force] in str(error.value)


def test_what_a_kernel_asks_for_in_vain_has_a_remark():
    module = scheduled(asking("in_order_ping_pong"), warps=4)
    assert PING_PONG not in str(module)
    assert "dots of a loop are not in_order_ping_pong: there are no two warpgroups" in str(
        module.attributes["nv_tileaa.remarks"]
    )


@pytest.mark.parametrize(("option", "expected"), [("", True), ("{ping-pong=false}", False)])
def test_agents_are_in_ping_pong(option: str, expected: bool):
    then = f",tileas-materialize-schedule{option}"
    module = str(scheduled(asking("in_order_ping_pong"), then=then))
    assert ("acquire_mutex" in module) == expected
    assert PING_PONG not in module


def test_a_function_that_is_no_kernel_has_one_warpgroup(tmp_path: Path):
    """Nothing says how many warps run it, or which registers they have."""
    text = chained()
    spec = text.index("attributes {nv_tileaa.kernel_spec")
    called = text[:spec] + text[text.index("}", spec) + 1 :]
    facts = facts_of(called, tmp_path)
    reason = "there are no two warpgroups"
    assert facts["pruned"]["in_order_ping_pong"] == reason
