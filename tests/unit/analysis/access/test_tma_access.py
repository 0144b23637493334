"""What keeps TMA from making an access, one condition at a time."""

import pytest

from tileir_xdsl.analysis.access.access_width import accessed_addresses
from tileir_xdsl.analysis.access.tma_access import tma_problem, viewed_object
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools

LOAD = """
!a = !nv_tileaa.memref<?x?xf16, strides = [?, 1]>
!v = !nv_tileaa.tiled_view<64x32xf16, !a>
!t = !nv_tileaa.mem_token
nv_tileaa.func @k(%p0: !nv_tileaa.ptr<f16>, %m: i32, %n: i32, %s0: i32, %i: i32, %o: i32, %f: i64) attributes {
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %p = nv_tileaa.assume #nv_tileaa.div_by<16>, %p0 : !nv_tileaa.ptr<f16>
  %s = nv_tileaa.assume #nv_tileaa.div_by<8>, %s0 : i32
  %one = arith.constant 1 : i32
  %z = nv_tileaa.create_mem_token : !t
  %a = nv_tileaa.make_memref %p sizes = [%m, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> !a
  %v = nv_tileaa.block_tile %a {tileSizes = array<i64: 64, 32>, dimGroups = [[0], [1]]} : !a -> !v
  %x, %d = nv_tileas.tiled_load weak %v[%i, %i] token = %z {} : !v[i32, i32] -> tensor<64x32xf16>, !t
  nv_tileaa.return
}
"""
STORE = "%w = nv_tileas.tiled_store weak %x, %v[%i, %i] token = %d {} : tensor<64x32xf16>, !v[i32, i32] -> !t\n  nv_tileaa.return"
MISALIGNED = "a base or stride is not a multiple of 16 bytes, as far as is known"
UNKNOWN = "the object depends on more than the arguments of the kernel"

LOADS = {
    "a load": ((), ""),
    "a base that is less aligned": ((("div_by<16>", "div_by<8>"),), MISALIGNED),
    "a stride that is less aligned": ((("div_by<8>", "div_by<4>"),), MISALIGNED),
    "any pointer": ((("%p0 :", "%computed :"), ("%p = ", "%computed = nv_tileaa.addptr %p0, %o : !nv_tileaa.ptr<f16>, i32\n  %p = ")), UNKNOWN),
    "a computed size": ((("sizes = [%m,", "sizes = [%sum,"), ("%a = ", "%sum = arith.addi %m, %o : i32\n  %a = ")), UNKNOWN),
    "a size that is assumed": ((("sizes = [%m,", "sizes = [%sum,"), ("%a = ", "%sum = nv_tileaa.assume #nv_tileaa.div_by<4>, %m : i32\n  %a = ")), ""),
    "a constant size": ((("sizes = [%m,", "sizes = [%one,"),), ""),
    "a size of 64 bits": ((("sizes = [%m, %n : i32, i32]", "sizes = [%f, %n : i64, i32]"),), "coordinates of TMA reach 2147483648 elements along a dimension"),
    "no padding of zeros": ((("token = %z {}", "token = %z {padding_value = #nv_tileaa.padding_value<neg_inf>}"),), ""),
    "a hint against it": ((("token = %z {}", "token = %z {allow_tma = false}"),), "the hint allow_tma forbids TMA"),
    "a hint for it": ((("token = %z {}", "token = %z {allow_tma = true}"),), ""),
    "an order": ((("tiled_load weak", "tiled_load relaxed gpu"),), "TMA gives no relaxed order"),
    "elements of four bits": ((("xf16", "xf4E2M1FN"), ("ptr<f16>", "ptr<f4E2M1FN>"), ("div_by<8>", "div_by<64>")), "TMA needs elements of whole bytes"),
    "elements of a bit": ((("xf16", "xi1"), ("ptr<f16>", "ptr<i1>"), ("div_by<8>", "div_by<16>")), "TMA needs elements of whole bytes"),
    "elements of a byte": ((("xf16", "xi8"), ("ptr<f16>", "ptr<i8>"), ("div_by<8>", "div_by<16>")), ""),
    "no dimension that is dense": ((("strides = [?, 1]", "strides = [?, 2]"),), "no dimension has its elements side by side in memory"),
    "a store before": (
        (("%x, %d", STORE.split("\n")[0].replace("%x", "%h").replace("%d", "%z") + "\n  %x, %d"), ("token = %z {} : !v", "token = %w {} : !v"), ("%z = ", "%h = arith.constant dense<0.0> : tensor<64x32xf16>\n  %z = ")),
        "TMA reads past the stores of threads that the load follows",
    ),
    "a load before": (
        (("%x, %d", "%h, %w = nv_tileas.tiled_load weak %v[%i, %o] token = %z : !v[i32, i32] -> tensor<64x32xf16>, !t\n  %x, %d"), ("token = %z {} : !v", "token = %w {} : !v")),
        "",
    ),
}  # fmt: skip


def problem(text: str, gpu: str = "sm_90a") -> str:
    """Why TMA cannot make the last access."""
    *_, op = (
        op
        for op in tools.parse(text).walk()
        if isinstance(op, nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp)
    )
    return tma_problem(op, accessed_addresses(op, DivisibilityAnalysis()), get_target(gpu))


@pytest.mark.parametrize("name", LOADS)
def test_what_keeps_tma_from_loading(name: str):
    changes, expected = LOADS[name]
    text = LOAD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    assert problem(text) == expected


def test_stores_and_targets():
    text = LOAD.replace("nv_tileaa.return", STORE)
    assert problem(text) == ""
    assert problem(text.replace("store weak", "store release gpu")) == "TMA gives no release order"
    assert problem(LOAD, "sm_80") == "sm_80 has no TMA"


GROUPED = """
%p, %n = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i32)
%a = nv_tileaa.make_memref %p sizes = [%n, %n : i32, i32] strides = [%n : i32] : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<?x4x?xf32, strides = [4, 1, ?]>
%v = nv_tileaa.block_tile %a {tileSizes = array<i64: SIZES>, dimGroups = GROUPS} : !nv_tileaa.memref<?x4x?xf32, strides = [4, 1, ?]> -> !nv_tileaa.tiled_view<TILExf32, !nv_tileaa.memref<?x4x?xf32, strides = [4, 1, ?]>>
"""


@pytest.mark.parametrize(
    ("groups", "sizes", "strides"),
    [
        ("[[0], [1], [2]]", "2, 4, 8", (4, 1, None)),
        ("[[2], [0], [1]]", "8, 2, 4", (None, 4, 1)),
        # Tiles that take several dimensions as one have no coordinates of their own in them.
        ("[[0, 1], [2]]", "8, 8", None),
    ],
)
def test_objects_whose_dimensions_tiles_take_one_for_one(
    groups: str, sizes: str, strides: tuple[int | None, ...] | None
):
    text = GROUPED.replace("GROUPS", groups).replace("SIZES", sizes)
    module = tools.parse(text.replace("TILE", sizes.replace(", ", "x")))
    (view,) = (op for op in module.walk() if isinstance(op, nv_tileaa.BlockTileOp))
    viewed = viewed_object(view.result)
    assert (None if viewed is None else viewed.strides) == strides
    if viewed is not None:
        assert not viewed.is_known and viewed.fastest == viewed.strides.index(1)
