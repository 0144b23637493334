"""Tiles between registers and buffers: by vectors or by matrices they are the same."""

import re

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tests.unit.road import zoo
from tileir_xdsl.dialects.nv_tileas.strategies import ACCESSES, AccessAttr, AccessStrategy
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass
from tileir_xdsl.transforms.tileas_select_lowering.buffer_accesses import FAMILY, AccessSelection
from tileir_xdsl.transforms.tileas_select_lowering.selection import select_lowering

CASES = {
    ("matmul_f16", "sm_80"): {
        AccessStrategy.VECTORS: r"ldmatrix",
    },
    ("matmul_f16_warpgroup", "sm_90a"): {
        AccessStrategy.VECTORS: r"stmatrix",
        AccessStrategy.MATRICES: None,
    },
}
"""Kernels, the accesses that are forced on them, and what is in the PTX only without that."""


def lowered(name: str, gpu: str, forced: AccessStrategy | None) -> tuple[zoo.Lowered, int]:
    """A kernel where all accesses that can be are of one kind; how many had been others."""
    count, case = 0, DIVISIBLE[name]

    def before(step: ModulePass, module: ModuleOp) -> None:
        nonlocal count
        if forced is None or not isinstance(step, TileASSelectLoweringPass):
            return
        for op, selections in select_lowering(module, target_or_default(module), {}).items():
            for selection in selections:
                if isinstance(selection, AccessSelection):
                    parts = selection.accesses
                    wanted = [forced if forced in each.costs else each.chosen for each in parts]
                    kinds = [AccessStrategy(kind) for kind in wanted]
                    op.attributes[ACCESSES] = ArrayAttr(map(AccessAttr, kinds))
                    count += tuple(kinds) != selection.chosen

    return zoo.lower(tools.parse(case.text_path.read_text()), gpu, before), count


@pytest.mark.parametrize(("name", "gpu"), CASES)
def test_values(name: str, gpu: str):
    cheapest, _ = lowered(name, gpu, None)
    case = DIVISIBLE[name]
    for forced, lost in CASES[name, gpu].items():
        kernel, count = lowered(name, gpu, forced)
        zoo.run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)
        if lost is not None:
            assert count
            assert re.search(lost, cheapest.ptx)
            assert not re.search(lost, kernel.ptx)


def test_every_kind_is_in_the_table():
    assert {row.strategy for row in FAMILY.rows} == set(AccessStrategy)
    assert all(row.source for row in FAMILY.rows)


FRAGMENTS = "#nv_tileas.layout<((2, 2), (4, 8), 1, 1), ((1, 128), (2, 16), 0, 0)>"
BUFFER = "tensor<16x16xf16, #nv_tileas.memory<smem, <(16, 16), (16, 1)>>>"
HALF = f"tensor<16x16xf16, {FRAGMENTS}>"


def selected(forced: str = "", kinds: str = "", gpu: str = "sm_90a") -> str:
    written = f"{{nv_tileas.accesses = {kinds}}} " if kinds else ""
    text = f"""
    builtin.module attributes {{nv_tileaa.target_spec = "{gpu}"}} {{
    nv_tileaa.func @k(%b: f16) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>}} {{
      %x = nv_tileaa.splat %b : f16 -> {HALF}
      %y = nv_tileas.convert_layout %x {written}: {HALF} -> {BUFFER}
      nv_tileaa.return
    }}
    }}"""
    options = f'{{force="{forced}"}}' if forced else ""
    return tools.to_text(tools.run_passes(tools.parse(text), f"tileas-select-lowering{options}"))


def kinds_of(text: str) -> list[str]:
    return re.findall(r"#nv_tileas.access<(\w+)>", text)


def test_selection():
    assert kinds_of(selected()) == [AccessStrategy.MATRICES]
    assert kinds_of(selected(gpu="sm_80")) == [AccessStrategy.VECTORS]


def test_a_forced_choice_replaces_a_written_one():
    written = "[#nv_tileas.access<vectors>]"
    assert kinds_of(selected(kinds=written)) == [AccessStrategy.VECTORS]
    assert kinds_of(selected("#1=matrices", written)) == [AccessStrategy.MATRICES]


CONVERSION = "'nv_tileas.convert_layout' op "


@pytest.mark.parametrize(
    ("forced", "gpu", "message"),
    [
        ("matrices", "sm_80", "cannot be lowered by 'matrices': the target has no stmatrix"),
        (
            "transposed_matrices",
            "sm_90a",
            "cannot be lowered by 'transposed_matrices': the registers of a matrix are not rows",
        ),
        (
            "vectors/vectors",
            "sm_90a",
            "expects 1 kinds, one for each access of shared memory, but got 2",
        ),
    ],
)
def test_what_a_store_cannot_have(forced: str, gpu: str, message: str):
    with pytest.raises(PassFailedException, match=re.escape(CONVERSION + message)):
        selected(f"#1={forced}", gpu=gpu)


def test_attributes_that_are_no_accesses():
    message = CONVERSION + "expects nv_tileas.accesses to be an array of accesses, got 7 : i32"
    with pytest.raises(PassFailedException, match=re.escape(message)):
        selected(kinds="7 : i32")
