"""Agents: how many threads and registers a kernel is launched with, and what does not fit."""

import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_pipelines import specialised
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools


def _ptx(warps: str, occupancy: int = 1) -> str:
    text = specialised(2, f", {warps}").text(maps_are_arguments=True)
    text = text.replace("num_ctas = 1>", f"num_ctas = 1, occupancy = {occupancy}>")
    return emit(tools.run_passes(tools.parse(text), tools.TO_LLVM), "sm_90a")


@pytest.mark.parametrize(
    ("warps", "occupancy", "directives"),
    [
        ("num_warps = array<i32: 4, 1>", 1, (".reqntid 256,", ".minnctapersm 1")),
        ("num_warps = array<i32: 4, 1>", 3, (".reqntid 256,", ".minnctapersm 3")),
        (
            "max_regs = array<i32: 240, 40>, num_warps = array<i32: 4, 1>",
            1,
            (
                ".reqntid 256,",
                ".minnctapersm 1",
                ".maxnreg 248",
                "setmaxnreg.dec.sync.aligned.u32 240",
            ),
        ),
        (
            "max_regs = array<i32: 152, 40>, num_warps = array<i32: 4, 1>",
            2,
            (".minnctapersm 2", ".maxnreg 128", "setmaxnreg.inc.sync.aligned.u32 152"),
        ),
        (
            "max_regs = array<i32: 152, 40>, num_warps = array<i32: 4, 1>",
            3,
            (".minnctapersm 2", ".maxnreg 128"),
        ),
        (
            "max_regs = array<i32: 240, 40>, num_warps = array<i32: 4, 1>",
            2,
            (".minnctapersm 1", ".maxnreg 248"),
        ),
    ],
    ids=[
        "no registers",
        "several blocks",
        "registers",
        "share of a block",
        "fewer blocks",
        "more than the share",
    ],
)
def test_what_a_kernel_is_launched_with(warps: str, occupancy: int, directives: tuple[str, ...]):
    ptx = _ptx(warps, occupancy)
    for directive in directives:
        assert directive in ptx
    assert (".maxnreg" in ptx) == ("max_regs" in warps)


@pytest.mark.parametrize(
    ("warps", "message"),
    [
        (
            "max_regs = array<i32: 240, 240>, num_warps = array<i32: 8, 4>",
            "asks for 92160 registers, but a thread block of 12 warps has at most 64512",
        ),
        (
            "num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 3>",
            "each warp to run at most one agent",
        ),
    ],
)
def test_agents_that_do_not_fit(warps: str, message: str):
    with pytest.raises(PassFailedException, match=message):
        _ptx(warps)
