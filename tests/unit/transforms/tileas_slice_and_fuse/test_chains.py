"""Branches and views of sliced tiles: what the folds of slices make of them."""

from math import prod

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl import interpreters
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.canonicalization_patterns import nv_tileas_branches, nv_tileas_slices

TILE = "tile<16x8xi32>"
TENSOR = "tensor_view<16x8xi32, strides=[8,1]>"
PARTITION = f"partition_view<tile=(16x8), {TENSOR}>"
WHOLE = (nv_tileas.AllocTensorOp, nv_tileas.ExtractSliceOp, nv_tileas.InsertSliceOp)
FOLDS = "convert-tileaa-to-tileas,tileas-canonicalize"

# A branch that yields a tile, or two.
BRANCH = f"""
    %n = constant <i32: 3> : tile<i32>
    %few = cmpi less_than %s, %n, signed : tile<i32> -> tile<i1>
    %a, %b = if %few -> ({TILE}, {TILE}) {{
      %c = muli %x, %x : {TILE}
      yield %c, %x : {TILE}, {TILE}
    }} else {{
      %c = addi %x, %x : {TILE}
      yield %x, %c : {TILE}, {TILE}
    }}
    %y = subi %a, %b : {TILE}
"""
# Rows of the tile lie in one dimension of the view; and in none alone.
VIEW = f"""
    %v = reshape %x : {TILE} -> tile<1x16x8xi32>
    %w = muli %v, %v : tile<1x16x8xi32>
    %y = reshape %w : tile<1x16x8xi32> -> {TILE}
"""
HALVES = f"""
    %v = reshape %x : {TILE} -> tile<2x8x8xi32>
    %w = muli %v, %v : tile<2x8x8xi32>
    %y = reshape %w : tile<2x8x8xi32> -> {TILE}
"""


def program(body: str) -> str:
    return f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>,
    %s: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %pt = make_tensor_view %p, shape = [16, 8], strides = [8, 1] : {TENSOR}
    %pv = make_partition_view %pt : {PARTITION}
    %qt = make_tensor_view %q, shape = [16, 8], strides = [8, 1] : {TENSOR}
    %qv = make_partition_view %qt : {PARTITION}
    %x, %k = load_view_tko weak %pv[%zero, %zero] : {PARTITION}, tile<i32> -> {TILE}, token
    {body}
    %t = store_view_tko weak %y, %qv[%zero, %zero] : {TILE}, {PARTITION}, tile<i32> -> token
    return }} }}"""


def at_tileaa(body: str) -> ModuleOp:
    return tools.run_passes(tools.parse(program(body)), "convert-cuda-tile-to-tileaa,canonicalize")


def result(module: ModuleOp, scalar: int) -> np.ndarray:
    arrays = [np.arange(-60, 68, dtype=np.int32), np.zeros(128, np.int32)]
    interpreters.launch(module, "k", (1, 1, 1), [*arrays, scalar])
    return arrays[1]


@pytest.mark.parametrize("body", [BRANCH, VIEW, HALVES])
@pytest.mark.parametrize("count", [2, 8])
def test_no_whole_tile_is_left(body: str, count: int):
    module = at_tileaa(body)
    wanted = [result(module, scalar) for scalar in (1, 5)]
    for passes in (f"tileas-slice-and-fuse{{slices={count}}}", FOLDS):
        tools.run_passes(module, passes)
        for scalar, first in zip((1, 5), wanted, strict=True):
            np.testing.assert_array_equal(result(module, scalar), first)
    assert not [op.name for op in module.walk() if isinstance(op, WHOLE)]
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert not loop.iter_args


def test_a_branch_inserts_into_one_tile_that_is_allocated_before_it():
    module = tools.run_passes(at_tileaa(BRANCH), "tileas-slice-and-fuse{slices=4}")
    (branch,) = (op for op in module.walk() if isinstance(op, scf.IfOp))
    assert [tile_shape(type).shape for type in branch.result_types] == [(16, 8)] * 2
    for region in branch.regions:
        inserts = [op for op in region.block.ops if isinstance(op, nv_tileaa.InsertSliceOp)]
        assert len(inserts) == 2
        assert all(op.destination.owner.parent is branch.parent for op in inserts)  # pyright: ignore
    for branch_result in branch.results:
        (use,) = branch_result.uses
        assert isinstance(use.operation, nv_tileaa.ExtractSliceOp)


@pytest.mark.parametrize(("body", "whole"), [(VIEW, 2), (HALVES, 0)])
def test_a_view_is_one_of_the_whole_tile_where_slices_of_it_are_views(body: str, whole: int):
    module = tools.run_passes(at_tileaa(body), "tileas-slice-and-fuse{slices=2}")
    views = [op for op in module.walk() if isinstance(op, nv_tileaa.ViewOp)]
    sizes = [prod(tile_shape(op.source.type).shape) for op in views]
    assert sizes.count(128) == whole


@pytest.mark.parametrize(
    ("body", "patterns"),
    [
        (
            BRANCH,
            {
                nv_tileas_branches.DecomposeIfByExtractSlice,
                nv_tileas_branches.DecomposeIfByInsertSlice,
                nv_tileas_slices.SimplifyExtractFromInsert,
            },
        ),
        (
            VIEW,
            {
                nv_tileas_slices.SimplifyExtractFromInsert,
                nv_tileas_slices.SwapViewAndExtractSlice,
            },
        ),
    ],
)
def test_which_folds_clean_up(body: str, patterns: set[type], monkeypatch: pytest.MonkeyPatch):
    fired: set[type] = set()
    for cls in patterns:
        original = cls.match_and_rewrite  # pyright: ignore

        def watched(self, op, rewriter: PatternRewriter, original=original):  # pyright: ignore
            original(self, op, rewriter)
            if rewriter.has_done_action:
                fired.add(type(self))

        monkeypatch.setattr(cls, "match_and_rewrite", watched)
    tools.run_passes(at_tileaa(body), f"tileas-slice-and-fuse{{slices=2}},{FOLDS}")
    assert fired == patterns
