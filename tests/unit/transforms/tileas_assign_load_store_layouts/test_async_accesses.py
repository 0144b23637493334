"""Copies that threads start are as wide as the addresses are known to be aligned, and no wider."""

import pytest

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.async_accesses import atom_of

SHARED = "tensor<4x64xf32, #nv_tileas.memory<smem>>"


def atom(alignment: int, columns: int, place: str) -> str | None:
    """The atom of a copy from an object with such an address and rows of so many columns."""
    memref = f"!nv_tileaa.memref<64x{columns}xf32, strides = [{columns}, 1]>"
    view = f"!nv_tileaa.tiled_view<4x64xf32, {memref}>"
    module = tools.parse(f"""
    nv_tileaa.func @k(%q: !nv_tileaa.ptr<f32>, %i: index) {{
      %p = nv_tileaa.assume #nv_tileaa.div_by<{alignment}>, %q : !nv_tileaa.ptr<f32>
      %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> {memref}
      %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 4, 64>, dimGroups = [[0 : i64], [1 : i64]]}} : {memref} -> {view}
      %b = nv_tileas.alloc_tensor : {SHARED}
      %x = nv_tileas.async.tiled_load weak %v{place} into %b : {SHARED} : {view}[index, index] -> !async.value<{SHARED}>
      nv_tileaa.return
    }}""")
    (load,) = (op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledLoadOp))
    return atom_of(load)


@pytest.mark.parametrize("columns", [128, 130, 129])
@pytest.mark.parametrize("alignment", [4, 8, 16, 64])
def test_width_of_a_copy(alignment: int, columns: int):
    """A tile begins at a multiple of its extent; with an offset it begins anywhere."""
    row = columns * 4
    aligned = min(alignment, row & -row, 16)
    assert atom(alignment, columns, "[%i, %i]") == f"ldgsts_{aligned * 8}"
    assert atom(alignment, columns, "[%i, %i] offset [%i, %i]") == "ldgsts_32"
