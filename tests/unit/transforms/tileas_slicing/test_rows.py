"""Which views can be cut into views of slices."""

from itertools import product

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing.rows import part_view

OBJECT = "!nv_tileaa.memref<256x256xf32, strides = [256, 1]>"


def elements(index: int, size: int, stride: int) -> set[int]:
    """The rows of one tile."""
    return set(range(index * stride, index * stride + size))


def test_tiles_whose_slices_are_tiles():
    """Not those that overlap or leave gaps between their rows; columns are not divided."""
    rows = 8
    for step, column_step in product((1, 4, 7, 8, 9, 12, 16), (2, 4, 8)):
        module = tools.parse(
            f"""
            %m = "test.op"() : () -> {OBJECT}
            %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: {rows}, 4>, tileStrides = array<i64: {step}, {column_step}>, dimGroups = [[0 : i64], [1 : i64]]}} : {OBJECT} -> !nv_tileaa.tiled_view<{rows}x4xf32, {OBJECT}>
            """
        )
        (cut,) = (op for op in module.walk() if isinstance(op, nv_tileaa.BlockTileOp))
        for count in (2, 3, 4, 8):
            size = rows // count
            slices = [elements(n, size, size) for n in range(3 * count)]
            are_tiles = all(
                elements(tile, rows, step) == set().union(*slices[tile * count :][:count])
                for tile in range(3)
            )
            found = part_view(cut.result, count)
            assert found is (cut if are_tiles else None), (step, count)


def test_a_view_that_comes_from_elsewhere():
    module = tools.parse(f'%v = "test.op"() : () -> !nv_tileaa.tiled_view<8x4xf32, {OBJECT}>')
    (op,) = module.body.block.ops
    assert part_view(op.results[0], 2) is None
