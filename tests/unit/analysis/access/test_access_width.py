"""Vector widths of accesses: alignment, strides and tile extents each limit them."""

import pytest

from tileir_xdsl.analysis.access.access_width import AccessWidth, accessed_addresses
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools


def view_width(
    element: str = "f32",
    align: int = 16,
    shape: str = "?",
    strides: str = "1",
    tile: str = "1024",
    groups: str = "[0]",
    stride_divisor: int = 1,
    steps: str | None = None,
    offset: str = "",
) -> AccessWidth:
    """The width of a load of one tile of a view with the given alignment, strides and tile."""
    rank = len(tile.split(","))
    memref = f"!nv_tileaa.memref<{shape}x{element}, strides = [{strides}]>"
    tile_type = "x".join(t.strip() for t in tile.split(",")) + f"x{element}"
    view = f"!nv_tileaa.tiled_view<{tile_type}, {memref}>"
    sizes = ", ".join(["%n"] * shape.count("?"))
    size_types = ", ".join(["i32"] * shape.count("?"))
    dynamic = ", ".join(["%s"] * strides.count("?"))
    dynamic_types = ", ".join(["i32"] * strides.count("?"))
    sizes_text = f"sizes = [{sizes} : {size_types}]" if sizes else ""
    strides_text = f"strides = [{dynamic} : {dynamic_types}]" if dynamic else ""
    coords = ", ".join(["%i"] * rank)
    steps = steps or tile
    module = tools.parse(f"""
%p, %n, %i, %s0 = "test.op"() : () -> (!nv_tileaa.ptr<{element}>, i32, i32, i32)
%s = nv_tileaa.assume #nv_tileaa.div_by<{stride_divisor}>, %s0 : i32
%q = nv_tileaa.assume #nv_tileaa.div_by<{align}>, %p : !nv_tileaa.ptr<{element}>
%m = nv_tileaa.make_memref %q {offset} {sizes_text} {strides_text} : !nv_tileaa.ptr<{element}> -> {memref}
%v = nv_tileaa.block_tile %m {{tileSizes = array<i64: {tile}>, tileStrides = array<i64: {steps}>, dimGroups = [{groups}]}} : {memref} -> {view}
%x, %t = nv_tileaa.tiled_load weak %v[{coords}] : {view}[{", ".join(["i32"] * rank)}] -> tensor<{tile_type}>, !nv_tileaa.mem_token
""")
    (load,) = (op for op in module.walk() if isinstance(op, nv_tileaa.TiledLoadOp))
    return accessed_addresses(load, DivisibilityAnalysis()).width


@pytest.mark.parametrize(
    ("element", "elements"), [("i8", 16), ("f16", 8), ("f32", 4), ("f64", 2), ("i1", 16)]
)
def test_sixteen_bytes_at_most(element: str, elements: int):
    assert view_width(element) == AccessWidth(elements, 0)


@pytest.mark.parametrize(("align", "elements"), [(1, 1), (4, 1), (8, 2), (16, 4), (128, 4)])
def test_alignment_of_the_base_limits_the_vector(align: int, elements: int):
    assert view_width(align=align).elements == elements


def test_an_offset_in_bytes_may_be_any():
    assert view_width(offset="offset = %n : i32") == AccessWidth(1, 0)


@pytest.mark.parametrize(
    ("steps", "elements"), [("1", 1), ("3", 1), ("2", 2), ("12", 4), ("64", 4)]
)
def test_the_step_between_tiles_limits_the_vector(steps: str, elements: int):
    assert view_width(tile="16", steps=steps).elements == elements


def test_extent_of_the_tile_limits_the_vector():
    assert view_width(tile="2").elements == 2


def test_other_strides_limit_the_vector():
    def width(strides: str, stride_divisor: int = 1) -> int:
        return view_width(
            shape="?x?",
            tile="16, 32",
            groups="[0], [1]",
            strides=strides,
            stride_divisor=stride_divisor,
        ).elements

    assert width("?, 1") == 1
    assert width("?, 1", stride_divisor=2) == 2
    assert width("?, 1", stride_divisor=64) == 4
    assert width("6, 1") == 2


def test_vector_lies_along_the_dimension_of_unit_stride():
    def width(strides: str, groups: str) -> AccessWidth:
        return view_width(shape="?x?", tile="16, 32", strides=strides, groups=groups)

    assert width("1, 64", "[0], [1]") == AccessWidth(4, 0)
    assert width("64, 1", "[1], [0]") == AccessWidth(4, 0)
    assert width("64, 2", "[0], [1]") == AccessWidth(1, 1)
