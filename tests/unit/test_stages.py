"""Every stage says what it may hold; the check names the first op that has no place."""

import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit import tools
from tileir_xdsl.stages import CUDA_TILE, LLVM, NV_TILEAA, NV_TILEAS, STAGES, check_stage, is_legal


def test_stages_in_the_order_of_the_road():
    assert [stage.name for stage in STAGES] == ["cuda_tile", "nv_tileaa", "nv_tileas", "llvm"]


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("cuda_tile.module @m { entry @k() { } }", [CUDA_TILE]),
        ("%t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token", [NV_TILEAA, NV_TILEAS]),
        (
            "%x = arith.constant 1 : i32\n%y = nv_tileaa.addi %x, %x : i32",
            [NV_TILEAA, NV_TILEAS],
        ),
        ("%c = llvm.mlir.constant(1 : i32) : i32", [LLVM]),
    ],
)
def test_check_stage(text: str, stages: list[object]):
    module = tools.parse(text)
    for stage in STAGES:
        assert is_legal(module, stage) == (stage in stages)
        if stage in stages:
            check_stage(module, stage)
        else:
            with pytest.raises(PassFailedException, match=f"is not legal at stage {stage.name}"):
                check_stage(module, stage)
