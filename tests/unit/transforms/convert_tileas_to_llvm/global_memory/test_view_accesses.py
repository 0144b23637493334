"""Accesses of tiles of views in every order and scope, with and without a mask: against numpy."""

from itertools import product

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

ORDERS = [
    ("weak", "weak"),
    *(
        (f"{load} {scope}", f"{store} {scope}")
        for (load, store), scope in product(
            (("relaxed", "relaxed"), ("acquire", "release")), MemScope
        )
    ),
]
"""Of a load, and of a store."""

FORMS = ("loaded", "loaded in part", "stored", "stored in part")
ROWS, COLUMNS, TILE_ROWS = 6, 8, 4
"""The last tile is partly out of bounds."""
FILL = 9
"""What memory has before; an element out of bounds, or left out by the mask, is loaded as zero."""

SPEC = "nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>"
MEMREF = f"!nv_tileaa.memref<?x{COLUMNS}xE, strides = [{COLUMNS}, 1]>"
VIEW = f"!nv_tileaa.tiled_view<{TILE_ROWS}x{COLUMNS}xE, {MEMREF}>"
TILE, BITS = (f"tensor<{TILE_ROWS}x{COLUMNS}x{element}>" for element in ("E", "i1"))
TOKEN = "!nv_tileaa.mem_token"


def view(name: str, pointer: str, place: int = 0) -> str:
    """The view of one of the arrays behind a pointer."""
    return f"""
  %{name}_at = arith.constant {place * ROWS * COLUMNS} : i32
  %{name}_p = nv_tileaa.addptr {pointer}, %{name}_at : !nv_tileaa.ptr<E>, i32
  %{name}_m = nv_tileaa.make_memref %{name}_p sizes = [%n : i32] : !nv_tileaa.ptr<E> -> {MEMREF}
  %{name} = nv_tileaa.block_tile %{name}_m {{tileSizes = array<i64: {TILE_ROWS}, {COLUMNS}>, dimGroups = [[0], [1]]}} : {MEMREF} -> {VIEW}"""


def load(name: str, order: str, source: str, mask: str = "") -> str:
    pad = "{padding_value = #nv_tileaa.padding_value<zero>}"
    return f"""
  %{name}, %{name}_t = nv_tileas.tiled_load {order} {source}[%i, %none] token = %start {mask} {pad} : {VIEW}[i32, i32] -> {TILE}, {TOKEN}"""


def store(name: str, order: str, tile: str, target: str, mask: str = "") -> str:
    return f"""
  %{name} = nv_tileas.tiled_store {order} {tile}, {target}[%i, %none] token = %start {mask} : {TILE}, {VIEW}[i32, i32] -> {TOKEN}"""


def program(element: str) -> str:
    """A kernel that does each form of access in each order, with an array of results for each."""
    is_float = element.startswith("f")
    lines = [
        "%i = nv_tileaa.get_program_id 0 : i32",
        "%none = arith.constant 0 : i32",
        f"%zero = arith.constant dense<{'0.0' if is_float else '0'}> : {TILE}",
        f"%start = nv_tileaa.create_mem_token : {TOKEN}",
        view("p", "%in"),
        view("q", "%in", 1),
        load("x", "weak", "%p"),
        load("y", "weak", "%q"),
        f"%mask = arith.{'cmpf olt' if is_float else 'cmpi slt'}, %x, %zero : {TILE}",
    ]
    for place, ((of_load, of_store), form) in enumerate(product(ORDERS, FORMS)):
        lines.append(view(f"v{place}", "%out", place))
        mask = f"mask = %mask : {BITS}" if form.endswith("in part") else ""
        if form.startswith("loaded"):
            lines.append(load(f"l{place}", of_load, "%q", mask))
            lines.append(store(f"s{place}", "weak", f"%l{place}", f"%v{place}"))
        else:
            lines.append(store(f"s{place}", of_store, "%y", f"%v{place}", mask))
    body = "\n".join(lines)
    return f"""
    nv_tileaa.func @k(%in: !nv_tileaa.ptr<E>, %out: !nv_tileaa.ptr<E>, %n: i32) attributes {{{SPEC}}} {{
      {body}
      nv_tileaa.return
    }}
    """.replace("xE", f"x{element}").replace("<E>", f"<{element}>")


@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("i8", np.int8)])
def test_every_order_leaves_out_the_same(element: str, dtype: type):
    module = tools.parse(program(element))
    ptx = lower(tools.context(), module, "ptx", gpu="sm_90a", file="k.mlir").ptx
    assert ptx is not None
    p, q = np.random.default_rng(1).integers(-9, 9, (2, ROWS, COLUMNS)).astype(dtype)
    found: Array = np.full((len(ORDERS), len(FORMS), ROWS, COLUMNS), FILL, dtype)
    emulator.load(ptx).launch("k", (2, 1, 1), [np.stack([p, q]), found, ROWS])
    expected = np.stack([q, np.where(p < 0, q, 0), q, np.where(p < 0, q, FILL)])
    for order, results in zip(ORDERS, found, strict=True):
        np.testing.assert_array_equal(results, expected, str(order))
