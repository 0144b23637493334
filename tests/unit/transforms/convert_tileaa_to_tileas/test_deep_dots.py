"""Dots of tiles that are loaded whole along K, as loops over parts of K."""

import pytest

from tests.unit.transforms.convert_tileaa_to_tileas.test_convert_tileaa_to_tileas import convert
from tileir_xdsl.testing import tools

MEMREF = "!nv_tileaa.memref<?x?xf16, strides = [?, 1]>"


def view(shape: str) -> str:
    return f"!nv_tileaa.tiled_view<{shape}xf16, {MEMREF}>"


def load(name: str, shape: str, coordinates: str) -> str:
    return (
        f"%{name}, %{name}_token = nv_tileaa.tiled_load weak %{name}_view[{coordinates}] "
        f"token = %token {{padding_value = #nv_tileaa.padding_value<zero>}} : {view(shape)}"
        f"[i32, i32] -> tensor<{shape}xf16>, !nv_tileaa.mem_token\n"
    )


def kernel(depth: int = 1024, around: str = "{}", after: str = "", b: str = "b") -> str:
    """A product of 64x64 of tiles with so many columns and rows; `around` is around all of it."""
    shapes = {"a": f"64x{depth}", "b": f"{depth}x64"}
    views = "".join(
        f"%{name}_view = nv_tileaa.block_tile %{name}_object {{tileSizes = array<i64: "
        f"{shape.replace('x', ', ')}>, dimGroups = [[0], [1]]}} : {MEMREF} -> {view(shape)}\n"
        for name, shape in shapes.items()
    )
    body = (
        load("a", shapes["a"], "%i, %n")
        + load("b", shapes["b"], "%n, %i")
        + f"%d = nv_tileaa.dot %a, %{b}, %c : tensor<{shapes['a']}xf16>, "
        f"tensor<{shapes['b']}xf16>, tensor<64x64xf32>\n"
        '"test.op"(%d) : (tensor<64x64xf32>) -> ()\n' + after
    )
    return f"""
    nv_tileaa.func @k(%i: i32, %n: i32, %a_object: {MEMREF}, %b_object: {MEMREF}, %c: tensor<64x64xf32>) {{
      %token = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      {views}{around.format(body)}
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
def test_parts_are_loaded_and_multiplied_in_a_loop(target: str):
    module = convert(kernel(), target)
    dot = "dot" if target == "sm_80" else "async.dot"
    tools.check(
        tools.to_text(module),
        f"""
        // CHECK: [[A:%.*]] = nv_tileaa.block_tile %a_object {{tileSizes = array<i64: 64, 64>
        // CHECK: [[B:%.*]] = nv_tileaa.block_tile %b_object {{tileSizes = array<i64: 64, 64>
        // CHECK: [[COUNT:%.*]] = arith.constant 16 : i32
        // CHECK: scf.for [[PART:%.*]] = %{{{{.*}}}} to [[COUNT]] step %{{{{.*}}}} iter_args([[ACC:%.*]] = %c)
        // CHECK: [[PARTS:%.*]] = arith.constant 16 : i64
        // CHECK: [[X:%.*]], %{{{{.*}}}} = nv_tileas.tiled_load weak [[A]][%{{{{.*}}}}, %{{{{.*}}}}] token = %token {{padding_value
        // CHECK-SAME: -> tensor<64x64xf16>
        // CHECK: [[Y:%.*]], %{{{{.*}}}} = nv_tileas.tiled_load weak [[B]][%{{{{.*}}}}, %{{{{.*}}}}] token = %token {{padding_value
        // CHECK: nv_tileas.{dot} [[X]], [[Y]], [[ACC]]
        // CHECK: scf.yield
        """,
    )
    assert "1024" not in tools.to_text(module)


LOOP = """
%zero, %one = "test.op"() : () -> (i32, i32)
scf.for %j = %zero to %n step %one : i32 {{
{}
}}
"""


@pytest.mark.parametrize(
    "source",
    [
        # Fewer parts than pay.
        kernel(256),
        # Loads of a loop overlap those of other iterations already.
        kernel(around=LOOP),
        # Something else has the tile.
        kernel(after='"test.op"(%a) : (tensor<64x1024xf16>) -> ()\n'),
        # Something else follows the load.
        kernel(after='"test.op"(%b_token) : (!nv_tileaa.mem_token) -> ()\n'),
    ],
)
def test_dots_that_stay_whole(source: str):
    text = tools.to_text(convert(source, "sm_90a"))
    assert text.count("scf.for") == source.count("scf.for")
    assert text.count("nv_tileas.async.dot") == 1


@pytest.mark.parametrize("step", [512, 1023, 1025, 2048])
@pytest.mark.parametrize("cut", ["64, 1024", "1024, 64"])
def test_tiles_that_overlap_or_leave_gaps_stay_whole(cut: str, step: int):
    """Along K, where parts would be tiles of a view; not along the other dimension."""

    def loops(strides: str) -> int:
        tiles = f"tileSizes = array<i64: {cut}>"
        source = kernel().replace(tiles, f"{tiles}, tileStrides = array<i64: {strides}>")
        assert strides in source
        return tools.to_text(convert(source, "sm_90a")).count("scf.for")

    assert loops(cut.replace("1024", str(step))) == 0
    assert loops(cut.replace("64", str(step))) == loops(cut) == 1
