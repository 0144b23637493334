"""Tensor maps become arguments: their order and recipes, and what no launch can make."""

import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.tensor_maps import tensor_map_recipes
from tileir_xdsl.targets.abi import MOST_MULTIPROCESSORS
from tileir_xdsl.testing import tools

ATTACH = "tileas-attach-tma-desc-args"
KERNEL = "{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"
MEMREF = "!nv_tileaa.memref<?x?xf16, strides = [?, 1]>"
VIEW = f"!nv_tileaa.tiled_view<128x64xf16, {MEMREF}>"
DESCRIPTOR = "!nv_tileas.tma_desc"
SHARED = "tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>"


def kernel(body: str, attributes: str = KERNEL, parameters: str = "") -> str:
    """A kernel with a view `%v` of an object that arguments describe, and a buffer `%b`."""
    return f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %m: i32, %s: i32{parameters}) attributes {attributes} {{
      %n = arith.constant 512 : i32
      %q = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f16>
      %r = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %m : i32
      %o = nv_tileaa.make_memref %q sizes = [%r, %n : i32, i32] strides = [%s : i32] : !nv_tileaa.ptr<f16> -> {MEMREF}
      %v = nv_tileaa.block_tile %o {{tileSizes = array<i64: 128, 64>, dimGroups = [[0], [1]]}} : {MEMREF} -> {VIEW}
      %c0 = arith.constant 0 : i32
      %c128 = arith.constant 128 : index
      %c64 = arith.constant 64 : index
      %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %b = nv_tileas.alloc_tensor : {SHARED}
      {body}
      nv_tileaa.return
    }}
    """


def make(number: int | None = 0, name: str = "d", view: str = "v", more: str = "") -> str:
    index = "" if number is None else f", tmaIdx = {number} : i32"
    type = VIEW if view == "v" else MEMREF
    return (
        f"%{name} = nv_tileas.make_tiled_tma_desc %{view}[%c128, %c64] {{atom = #nv_tileas<atom "
        f"tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>{index}{more}}} : {type}, "
        f"index, index -> {DESCRIPTOR}\n"
    )


def load(number: int = 0, name: str = "d") -> str:
    return (
        f"%a{number} = nv_tileas.async.tiled_tma_load %{name}, %b[%c0, %c0], %t {{atom = #nv_tileas<atom "
        f"tma_load_2d>, tx_count = 16384 : i32, tmaIdx = {number} : i32}} : {DESCRIPTOR}, {SHARED}, "
        f"i32, i32, !nv_tileaa.mem_token -> !nv_tileas.async_token\n"
    )


def attached(text: str) -> str:
    module = tools.run_passes(tools.parse(text), ATTACH)
    tools.roundtrip(tools.to_text(module))
    return tools.to_text(module)


def test_an_argument_and_its_recipe():
    text = attached(kernel(make() + load()))
    tools.check(
        text,
        """
// CHECK: nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %m: i32, %s: i32, %d: !nv_tileas.tma_desc {grid_constant})
// CHECK-SAME: "nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32
// CHECK-SAME: nv_tileas.tensor_maps = [#nv_tileas.tensor_map<128x64xf16, arg0, sizes = [arg1, 512], strides = [arg2, 1], swizzle = 128B, oob = zero>]
// CHECK-NOT: make_memref
// CHECK: nv_tileas.async.tiled_tma_load %d, %b[%c0, %c0], %t {
        """,
    )
    # What was attached stays.
    assert attached(text) == text


def test_arguments_stand_in_the_order_of_their_numbers():
    nan = ", oob_mode = #nv_tileas.oob_mode<nan>"
    body = make(1, "e", more=nan) + make(0, "d", "o") + load(0) + load(1, "e")
    text = attached(kernel(body))
    assert f"%d: {DESCRIPTOR} {{grid_constant}}, %e: {DESCRIPTOR} {{grid_constant}})" in text
    (function,) = (op for op in tools.parse(text).walk() if isinstance(op, nv_tileaa.FuncOp))
    assert [recipe.outside for recipe in tensor_map_recipes(function)] == ["zero", "nan"]


def test_a_kernel_that_has_some_gets_more():
    once = attached(kernel(make() + load()))
    again = once.replace(
        "%t = nv_tileaa.create_mem_token",
        f"%o = nv_tileaa.make_memref %p sizes = [%m, %m : i32, i32] strides = [%s : i32] : "
        f"!nv_tileaa.ptr<f16> -> {MEMREF}\n%c128 = arith.constant 128 : index\n"
        "%c64 = arith.constant 64 : index\n"
        + make(1, "e", "o")
        + "%t = nv_tileaa.create_mem_token",
    )
    text = attached(again)
    assert text.count("#nv_tileas.tensor_map<") == 2
    assert '"nv_tileas.num-host-tmas" = 2 : i32' in text


COMPUTED = (
    "%w = arith.addi %m, %s : i32\n"
    "%x = nv_tileaa.make_memref %q sizes = [%w, %n : i32, i32] strides = [%s : i32] : "
    f"!nv_tileaa.ptr<f16> -> {MEMREF}\n"
)
POINTER = (
    "%u = arith.cmpi slt, %m, %s : i32\n"
    "%z = arith.select %u, %p, %q : !nv_tileaa.ptr<f16>\n"
    "%x = nv_tileaa.make_memref %z sizes = [%m, %n : i32, i32] strides = [%s : i32] : "
    f"!nv_tileaa.ptr<f16> -> {MEMREF}\n"
)
BOX = "%c128 = arith.constant 128 : index"
ARGUMENT = f", %d: {DESCRIPTOR}"

REFUSED = {
    "not find tmaIdx.": kernel(make(None)),
    "tmaIdx exceed tmaHostNum.": kernel(make(1)),
    "expects a unique tmaIdx, but 0 is that of another descriptor": kernel(make(0) + make(0, "e")),
    "funcOp lack tmaDeviceNum and tmaHostNum attr": kernel(load(), KERNEL, ARGUMENT),
    "expects a descriptor to depend on kernel arguments and constants alone": kernel(
        COMPUTED + make(0, "d", "x")
    ),
    "expects box dims that are integer constants of arith.constant": kernel(make()).replace(
        BOX, "%c128 = arith.index_cast %m : i32 to index"
    ),
    "expects padding of zero or NaN for a tensor map, but got another constant": kernel(
        make(more=", oob_mode = #nv_tileas.oob_mode<constant>")
    ),
    "expects make_tiled_tma_desc only in kernels: calls of other functions pass no tensor maps": kernel(
        make(), "{}"
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(message: str):
    with pytest.raises(PassFailedException) as raised:
        tools.run_passes(tools.parse(REFUSED[message]), ATTACH)
    assert str(raised.value) == message


@pytest.mark.parametrize("body", [COMPUTED, POINTER])
def test_an_object_of_computed_values_is_refused(body: str):
    with pytest.raises(PassFailedException, match="on kernel arguments and constants alone"):
        attached(kernel(body + make(0, "d", "x")))


def test_elements_in_order_need_no_swizzle():
    text = kernel(make()).replace(", swizzle_mode = #nv_tileas.swizzle_mode<128B>", "")
    assert "strides = [arg2, 1], swizzle = none, oob = zero>" in attached(text)


ABI = 'builtin.module attributes {nv_tileaa.abi = "tile", nv_tileaa.target_spec = "%s"} {%s}'
BY_KERNEL = KERNEL.replace("}", ", nv_tileas.device_tensor_maps}", 1)


def test_a_kernel_of_abi_tile_makes_its_tensor_maps_or_has_none():
    with pytest.raises(PassFailedException, match="ABI 'tile' passes none"):
        attached(ABI % ("sm_90a", kernel(make())))


@pytest.mark.parametrize(
    ("gpu", "warps", "blocks"),
    [
        # 2,048 threads of a multiprocessor, and at most 32 blocks.
        ("sm_90a", 1, 32),
        ("sm_90a", 4, 16),
        ("sm_90a", 32, 2),
        # 1,536 threads, and at most 24 blocks.
        ("sm_120a", 1, 24),
        ("sm_120a", 16, 3),
        ("sm_120a", 32, 1),
    ],
)
def test_room_for_the_blocks_that_run_at_once(gpu: str, warps: int, blocks: int):
    attributes = BY_KERNEL.replace("num_warps = 4", f"num_warps = {warps}")
    text = attached(ABI % (gpu, kernel(make(), attributes)))
    assert f"slots = {MOST_MULTIPROCESSORS * blocks} : i32" in text


COUNTS = '"nv_tileas.num-host-tmas" = 1 : i32, "nv_tileas.num-device-tmas" = 0 : i32'
COUNTED = f"{{{COUNTS}}}"


def test_a_copy_in_a_function_that_counts_tensor_maps():
    """A function that is called has them as arguments: no map of its own has a number."""
    text = kernel(load(), COUNTED, ARGUMENT)
    with pytest.raises(PassFailedException, match="tmaIdx exceed tmaHostNum"):
        attached(text)
    unnumbered = text.replace(", tmaIdx = 0 : i32", "")
    assert "nv_tileas.async.tiled_tma_load %d" in attached(unnumbered)


def test_a_copy_of_a_tensor_map_that_is_not_there():
    with pytest.raises(PassFailedException, match="tmaIdx exceed tmaHostNum"):
        attached(kernel(make() + load(3)))
