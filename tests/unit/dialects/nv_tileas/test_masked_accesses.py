"""Accesses of tiles of views with a mask: text, verifier, meaning, and PTX."""

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from tests.unit.backend.ptx.harness import assemble
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.analysis.access.access_width import addresses_of_view
from tileir_xdsl.analysis.access.tma_access import tma_problem
from tileir_xdsl.analysis.layouts.uses import has_async_copies
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools

TILE, BITS = "tensor<16x32xf32>", "tensor<16x32xi1>"
MEMREF = "!nv_tileaa.memref<?x96xf32, strides = [96, 1]>"
VIEW = f"!nv_tileaa.tiled_view<16x32xf32, {MEMREF}>"
TOKEN = "!nv_tileaa.mem_token"
SPEC = "nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>"
GPUS = ("sm_80", "sm_90a", "sm_100a")
ROWS, GRID = 40, (3, 3, 1)
"""The last row of tiles is partly out of bounds."""


def program(semantics: str = "weak", padding: str = "zero") -> str:
    """A kernel that picks the elements of %q, and writes those of %p, where %p is less than 0."""
    views = "".join(
        f"""
  %{p}a = nv_tileaa.assume #nv_tileaa.div_by<16>, %{p} : !nv_tileaa.ptr<f32>
  %{p}m = nv_tileaa.make_memref %{p}a sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> {MEMREF}
  %{p}v = nv_tileaa.block_tile %{p}m {{tileSizes = array<i64: 16, 32>, dimGroups = [[0], [1]]}} : {MEMREF} -> {VIEW}"""
        for p in "pqrs"
    )
    pointers = ", ".join(f"%{p}: !nv_tileaa.ptr<f32>" for p in "pqrs")
    pad = f"{{padding_value = #nv_tileaa.padding_value<{padding}>}}"
    store = semantics.replace("acquire", "release")
    return f"""
nv_tileaa.func @k({pointers}, %n: i32) attributes {{{SPEC}}} {{
  %i = nv_tileaa.get_program_id 0 : i32
  %j = nv_tileaa.get_program_id 1 : i32{views}
  %zero = arith.constant dense<0.0> : {TILE}
  %none = nv_tileaa.create_mem_token : {TOKEN}
  %x = nv_tileas.tiled_load weak %pv[%i, %j] {{padding_value = #nv_tileaa.padding_value<zero>}} : {VIEW}[i32, i32] -> {TILE}
  %mask = arith.cmpf olt, %x, %zero : {TILE}
  %y, %t = nv_tileas.tiled_load {semantics} %qv[%i, %j] token = %none mask = %mask : {BITS} {pad} : {VIEW}[i32, i32] -> {TILE}, {TOKEN}
  nv_tileas.tiled_store weak %y, %rv[%i, %j] : {TILE}, {VIEW}[i32, i32]
  %u = nv_tileas.tiled_store {store} %x, %sv[%i, %j] token = %none mask = %mask : {BITS} : {TILE}, {VIEW}[i32, i32] -> {TOKEN}
  nv_tileaa.return
}}"""


def arguments() -> list[np.ndarray | int]:
    arrays = np.random.default_rng(2).standard_normal((4, ROWS, 96)).astype(np.float32)
    return [*(array.copy() for array in arrays), ROWS]


def check(found: list[np.ndarray | int], padding: float) -> None:
    p, q, _, s, _ = arguments()
    assert isinstance(p, np.ndarray) and isinstance(s, np.ndarray)
    np.testing.assert_array_equal(found[2], np.where(p < 0, q, np.float32(padding)))
    np.testing.assert_array_equal(found[3], np.where(p < 0, p, s))


PADDINGS = {"zero": 0.0, "nan": np.nan, "neg_inf": -np.inf}
ORDERS = ("weak", "relaxed gpu", "acquire sys")


@pytest.mark.parametrize("padding", PADDINGS)
def test_meaning(padding: str):
    values = arguments()
    interpreters.launch(tools.parse(program(padding=padding)), "k", GRID, values)
    check(values, PADDINGS[padding])


@pytest.mark.one_in(3, "sm_100a-weak")
@pytest.mark.parametrize("semantics", ORDERS)
@pytest.mark.parametrize("gpu", GPUS)
def test_ptx(gpu: str, semantics: str):
    module = tools.parse(program(semantics, "nan"))
    ptx = lower(tools.context(), module, "ptx", gpu=gpu, file="k.mlir").ptx
    values = arguments()
    assert ptx is not None
    assert "warning" not in assemble(ptx, gpu)
    # Neither reads nor writes a vector of which elements are left out.
    assert "ld.global.v4" in ptx and "cp.async" not in ptx
    emulator.load(ptx).launch("k", GRID, values, late=True, races=True)
    check(values, np.nan)


def test_there_is_no_bulk_copy_of_single_elements():
    divisibility, target = DivisibilityAnalysis(), get_target("sm_90a")
    module = tools.parse(program())
    plain, masked = [op for op in module.walk() if isinstance(op, nv_tileas.TiledLoadOp)]
    for op, problem in ((plain, ""), (masked, "TMA leaves out no single elements")):
        position = addresses_of_view(op.view, tile_shape(op.tile.type), divisibility)
        assert tma_problem(op, position, target) == problem
        assert has_async_copies(op, position, target) is (op is plain)


def test_a_segment_for_the_mask_may_be_missing():
    load = f"%t = nv_tileas.tiled_load weak %v[%i, %i] : {VIEW}[i32, i32] -> {TILE}"
    store = f"nv_tileas.tiled_store weak %t, %v[%i, %i] : {TILE}, {VIEW}[i32, i32]"
    text = f'%v, %i = "test.op"() : () -> ({VIEW}, i32)\n{load}\n{store}'
    generic = tools.to_text(tools.parse(text), generic=True)
    assert "array<i32: 1, 2, 0, 0, 0>" in generic and "array<i32: 1, 1, 2, 0, 0, 0>" in generic
    shorter = generic.replace("1, 2, 0, 0, 0>", "1, 2, 0, 0>")
    assert shorter.count("1, 2, 0, 0>") == 2
    assert tools.to_text(tools.parse(shorter)) == tools.to_text(tools.parse(text))


def masked_load(view: str, mask: str, tile: str = TILE, rest: str = "") -> str:
    return f"""
    %v, %i, %m = "test.op"() : () -> ({view}, i32, {mask})
    %t = nv_tileas.tiled_load weak %v[%i, %i] mask = %m : {mask} {rest} : {view}[i32, i32] -> {tile}
    """


SHARED_VIEW = "!nv_tileas.tiled_view<16x32xf32, smem>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (masked_load(VIEW, "tensor<16x32xi8>"), "expects a mask of i1 elements with the shape of"),
        (masked_load(VIEW, "tensor<32x16xi1>"), "expects a mask of i1 elements with the shape of"),
        (masked_load(SHARED_VIEW, BITS), "expects a masked access to be of global memory"),
        (
            masked_load(VIEW, BITS, rest="{atom = #nv_tileas<atom tma_load_2d>}"),
            r"expects an atom that can omit single elements \(a plain load .*\), but got tma_load",
        ),
        (
            f"""
            %b, %t, %m = "test.op"() : () -> (memref<16x32xf32>, {TILE}, {BITS})
            nv_tileas.tiled_store weak %t, %b mask = %m : {BITS} : {TILE}, memref<16x32xf32>
            """,
            "expects a masked access to be of a view, but got memref<16x32xf32>",
        ),
    ],
)
def test_diagnostics(text: str, message: str):
    with pytest.raises(VerifyException, match=message):
        tools.parse(text).verify()


def test_text():
    text = tools.to_text(tools.parse(program()))
    assert f"token = %none mask = %mask : {BITS} {{padding_value" in text
    assert tools.roundtrip(text) == text
