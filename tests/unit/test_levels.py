"""Every level says what it may hold; the check names the first op that has no place."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.levels import (
    CUDA_TILE,
    LEVELS,
    LLVM,
    NV_TILEAA,
    NV_TILEAS,
    check_legal,
    check_view_accesses,
    is_legal,
    view_accesses,
)
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms import convert_tileaa_to_tileas
from tileir_xdsl.transforms.convert_tileaa_to_tileas import ConvertTileAAToTileASPass


def test_levels_in_the_order_of_the_road():
    assert [level.name for level in LEVELS] == ["cuda_tile", "nv_tileaa", "nv_tileas", "llvm"]


@pytest.mark.parametrize(
    ("text", "levels"),
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
def test_check_legal(text: str, levels: list[object]):
    module = tools.parse(text)
    for level in LEVELS:
        assert is_legal(module, level) == (level in levels)
        if level in levels:
            check_legal(module, level)
        else:
            with pytest.raises(PassFailedException, match=f"is not legal at level {level.name}"):
                check_legal(module, level)


OBJECT = "!nv_tileaa.memref<64x64xf32, strides = [64, 1]>"
VIEW = f"!nv_tileaa.tiled_view<8x8xf32, {OBJECT}>"
TOKEN = "!nv_tileaa.mem_token"
GROUPS = "dimGroups = [[0 : i64], [1 : i64]]"
ACCESSES = f"""
nv_tileaa.func @f(%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>, %i: i32) {{
  %t = nv_tileaa.create_mem_token : {TOKEN}
  %a = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> {OBJECT}
  %b = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> {OBJECT}
  %v = nv_tileaa.block_tile %a {{tileSizes = array<i64: 8, 8>, {GROUPS}}} : {OBJECT} -> {VIEW}
  %w = nv_tileaa.block_tile %b {{tileSizes = array<i64: 8, 8>, {GROUPS}}} : {OBJECT} -> {VIEW}
  %x, %t1 = nv_tileaa.tiled_load weak %v[%i, %i] token = %t : {VIEW}[i32, i32] -> tensor<8x8xf32>, {TOKEN}
  %y, %t2 = nv_tileaa.tiled_load weak %w[%i, %i] token = %t : {VIEW}[i32, i32] -> tensor<8x8xf32>, {TOKEN}
  %j = nv_tileaa.join_mem_token [%t1, %t2] : {TOKEN}
  %u = nv_tileaa.tiled_store weak %x, %w[%i, %i] token = %j : tensor<8x8xf32>, {VIEW}[i32, i32] -> {TOKEN}
  nv_tileaa.return
}}
"""
"""A kernel that copies one tile between two objects."""


def test_the_conversion_keeps_what_accesses_are_about():
    module = tools.parse(ACCESSES)
    before = view_accesses(module)
    assert [access.memory_object for access in before] == [0, 1, 1]
    assert [sorted(access.token_order) for access in before] == [[], [], [0, 1]]
    tools.run_passes(module, "convert-tileaa-to-tileas")
    check_view_accesses(module, before)


def test_memory_objects_may_be_made_in_another_order():
    """As where a loop over tile blocks is put around those of one tile block alone."""
    first, second = (
        next(line for line in ACCESSES.splitlines() if line.startswith(f"  %{name} = "))
        for name in "ab"
    )
    swapped = ACCESSES.replace(f"{first}\n{second}", f"{second}\n{first}")
    assert swapped != ACCESSES
    check_view_accesses(tools.parse(swapped), view_accesses(tools.parse(ACCESSES)))


BREAKS = {
    "memory object": ("%v[%i, %i] token = %t", "%w[%i, %i] token = %t"),
    "shape": (OBJECT, OBJECT.replace("[64, 1]", "[1, 64]")),
    "layout intent": ("[[0 : i64], [1 : i64]]", "[[1 : i64], [0 : i64]]"),
    "token order": ("[%t1, %t2]", "[%t1]"),
    "memory order": ("tiled_store weak", "tiled_store relaxed gpu"),
    "access": ("%u = nv_tileas.tiled_store weak %x, %w", "%z, %u = nv_tileas.tiled_load weak %w"),
}
"""What a pass could change, and how."""


@pytest.mark.parametrize("what", BREAKS)
def test_a_broken_access_is_found(what: str):
    before = view_accesses(tools.parse(ACCESSES))
    old, new = BREAKS[what]
    text = tools.to_text(tools.run_passes(tools.parse(ACCESSES), "convert-tileaa-to-tileas"))
    assert old in text
    text = text.replace(old, new)
    if what == "access":
        text = text.replace(
            f"tensor<8x8xf32>, {VIEW}[i32, i32] -> {TOKEN}",
            f"{VIEW}[i32, i32] -> tensor<8x8xf32>, {TOKEN}",
        )
    with pytest.raises(PassFailedException) as caught:
        check_view_accesses(tools.parse(text), before)
    assert f"has another {what} than before the pass" in caught.value.args[0]


@pytest.mark.parametrize(("rows", "columns"), [(4, 8), (8, 2), (2, 4), (8, 8)])
def test_the_tiles_of_an_access_may_be_divided(rows: int, columns: int):
    """A load of parts stands for one of the whole, never the other way round."""
    whole = "tiled_load weak %v[%i, %i] token = %t"
    assert whole in ACCESSES
    shape = f"{rows}x{columns}xf32"
    part_view = f"!nv_tileaa.tiled_view<{shape}, {OBJECT}>"
    sizes = f"{{tileSizes = array<i64: {rows}, {columns}>, {GROUPS}}}"
    made = f"  %part = nv_tileaa.block_tile %a {sizes} : {OBJECT} -> {part_view}\n"
    load = f"  %x, %t1 = nv_tileaa.{whole} : {VIEW}[i32, i32] -> tensor<8x8xf32>, {TOKEN}\n"
    assert load in ACCESSES
    first = f"  %z, %t1 = nv_tileaa.tiled_load weak %part[%i, %i] token = %t : {part_view}[i32, i32] -> tensor<{shape}>, {TOKEN}\n"
    divided = ACCESSES.replace(load, made + first).replace("weak %x, %w", "weak %y, %w")
    before = view_accesses(tools.parse(ACCESSES))
    check_view_accesses(tools.parse(divided), before)
    if (rows, columns) != (8, 8):
        with pytest.raises(PassFailedException, match="has another shape than before the pass"):
            check_view_accesses(tools.parse(ACCESSES), view_accesses(tools.parse(divided)))


@pytest.mark.parametrize(("rows", "columns"), [(16, 8), (8, 16), (16, 4)])
def test_tiles_that_do_not_divide_are_found(rows: int, columns: int):
    before = view_accesses(tools.parse(ACCESSES))
    other = ACCESSES.replace("8x8xf32", f"{rows}x{columns}xf32")
    other = other.replace("array<i64: 8, 8>", f"array<i64: {rows}, {columns}>")
    with pytest.raises(PassFailedException, match="has another shape than before the pass"):
        check_view_accesses(tools.parse(other), before)


def test_a_lost_access_is_found():
    before = view_accesses(tools.parse(ACCESSES))
    lines = [line for line in ACCESSES.splitlines() if "tiled_store" not in line]
    with pytest.raises(
        PassFailedException,
        match="expects the 3 accesses of views from before the pass, or their parts, but got 2",
    ):
        check_view_accesses(tools.parse("\n".join(lines)), before)


def test_the_pipeline_checks_views_before_layouts(monkeypatch: pytest.MonkeyPatch):
    class ConfusingPass(ConvertTileAAToTileASPass):
        """The conversion, with all views of the first memory object."""

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            super().apply(ctx, op)
            objects = [o for o in op.walk() if isinstance(o, nv_tileaa.MakeMemRefOp)]
            for user in op.walk():
                if isinstance(user, nv_tileaa.BlockTileOp):
                    user.operands[0] = objects[0].result

    text = KERNELS["vector_add"].text_path.read_text()
    tools.run_passes(tools.parse(text), "tileir-pipeline")
    monkeypatch.setattr(convert_tileaa_to_tileas, "ConvertTileAAToTileASPass", ConfusingPass)
    with pytest.raises(PassFailedException, match="has another memory object"):
        tools.run_passes(tools.parse(text), "tileir-pipeline")
