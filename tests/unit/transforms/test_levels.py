"""Every registered pass on IR of every level: it takes that of its own, and refuses the others."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.levels import LEVELS, SCHEDULED
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.convert_tileaa_to_tileas import counterparts
from tileir_xdsl.universe import PASSES

TEXT = KERNELS["vector_add"].text_path.read_text(encoding="utf-8")
TO_LEVEL = {
    "cuda_tile": "",
    "nv_tileaa": "convert-cuda-tile-to-tileaa",
    "nv_tileas": "convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas",
    "llvm": "tileir-pipeline{gpu=sm_90a}",
}
EXPECTED = {
    **dict.fromkeys(PASSES, "nv_tileas"),
    "synthesize-debug-info-scopes": "cuda_tile",
    "fuse-fma": "cuda_tile",
    "loop-split": "cuda_tile",
    "convert-cuda-tile-to-tileaa": "cuda_tile",
    "tileir-pipeline": "cuda_tile",
    "convert-tileaa-to-tileas": "nv_tileaa",
    "tileas-plan-cta": "nv_tileaa",
    "tileas-slice-and-fuse": "nv_tileaa",
    "tilecpu-group": "nv_tileaa",
    "convert-tileaa-to-tilecpu": "nv_tileaa",
    "tilecpu-assign-buffers": "tilecpu",
    "convert-tilecpu-to-llvm": "tilecpu",
}
FIRST_OPS = {
    "cuda_tile": "'cuda_tile.module'",
    "nv_tileaa": "'nv_tileaa.tiled_load'",
    "nv_tileas": "'nv_tileas.tiled_load'",
    "llvm": "'llvm.func'",
}
"""What the first op of a level is that the next one, or the one before, has not."""

FUNCTION_FIRST = {
    ("nv_tileaa", "cuda_tile"),
    ("nv_tileas", "cuda_tile"),
    ("nv_tileaa", "tilecpu"),
    ("nv_tileas", "tilecpu"),
}
"""The pairs of levels, as given and as expected, of which the function is the first foreign op."""


def at(level: str) -> ModuleOp:
    module = tools.parse(TEXT)
    return tools.run_passes(module, TO_LEVEL[level]) if TO_LEVEL[level] else module


def test_the_levels_are_the_stages():
    assert list(TO_LEVEL) == [level.name for level in LEVELS]
    assert {op.name for op in counterparts()} == SCHEDULED


@pytest.mark.one_in(6, "lower-ldgsts-load-to-async-nv_tileas")
@pytest.mark.parametrize("level", TO_LEVEL)
@pytest.mark.parametrize("name", PASSES)
def test_every_pass_on_every_level(name: str, level: str):
    module = at(level)
    before = str(module)
    expected = EXPECTED[name]
    if expected == level:
        try:
            tools.run_passes(module, name, verify=False)
        except PassFailedException as error:
            # It may miss what the passes before it leave, but not the level.
            assert "is at another level" not in str(error)
        return
    with pytest.raises(PassFailedException) as raised:
        tools.run_passes(module, name)
    message = f"op is at another level: {name} expects level {expected}"
    assert message in str(raised.value)
    op = "'nv_tileaa.func'" if (level, expected) in FUNCTION_FIRST else FIRST_OPS[level]
    assert f"{op} op is at another level" in str(raised.value)
    assert str(module) == before


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("blocks", [0, 1])
def test_modules_without_ops(name: str, blocks: int):
    module = ModuleOp(Region([Block() for _ in range(blocks)]))
    PASSES[name]()().apply(Context(), module)
    assert list(module.walk()) == [module]


def test_ops_of_no_level_pass():
    module = tools.parse('"test.op"() : () -> ()', allow_unregistered=True)
    PASSES["tileas-slicing"]()().apply(Context(), module)


def test_a_checked_pass_has_the_options_of_the_pass():
    checked = PASSES["convert-cuda-tile-to-tileaa"]()
    assert checked is PASSES["convert-cuda-tile-to-tileaa"]()
    assert checked.__doc__ and "compute_capability" in checked.__dataclass_fields__
