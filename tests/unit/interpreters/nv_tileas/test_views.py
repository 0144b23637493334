"""Slices, views and other looks at tiles and buffers."""

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileas.kernels import SHARED, VIEW, run
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.numerics import Array

TILE = "tensor<4x8xf32>"
LOAD = f"%t = nv_tileas.tiled_load weak %in[%c0, %c0] : {VIEW}[index, index] -> {TILE}\n"
STORE = f"nv_tileas.tiled_store weak %r, %out[%c0, %c0] : {TILE}, {VIEW}[index, index]\n"
T = np.arange(32, dtype=np.float32).reshape(4, 8)


def _replaced(part: Array, rows: slice, columns: slice) -> Array:
    result = T.copy()
    result[rows, columns] = part
    return result


# Bodies that make `%r` of the first tile, `%t`.
VIEWS: dict[str, tuple[str, Array]] = {
    "a slice put elsewhere": (
        f"%s = nv_tileas.extract_slice %t[1, 2][2, 3][1, 2] : {TILE} to tensor<2x3xf32>\n"
        f"%r = nv_tileas.insert_slice %s into %t[%c2, 0][2, 3][1, 1] : tensor<2x3xf32> into {TILE}\n",
        _replaced(T[1:3, 2:8:2], slice(2, 4), slice(0, 3)),
    ),
    "slices of values being computed": (
        f"%a = nv_tileas.async.to_async %t : {TILE} -> !async.value<{TILE}>\n"
        f"%s = nv_tileas.async.extract_slice %a[0, 0][2, 8][1, 1] : !async.value<{TILE}> to !async.value<tensor<2x8xf32>>\n"
        f"%b = nv_tileas.async.insert_slice %s into %a[2, 0][2, 8][1, 1] : !async.value<tensor<2x8xf32>> into !async.value<{TILE}>\n"
        f"%r = nv_tileas.async.future_wait %b : !async.value<{TILE}> -> {TILE}\n",
        np.vstack([T[:2], T[:2]]),
    ),
    "views and expansions": (
        f"%v = nv_tileas.view %t : {TILE} to tensor<32xf32>\n"
        "%e = nv_tileas.expand_dims %v {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>\n"
        f"%r = nv_tileas.view %e : tensor<1x32xf32> to {TILE}\n",
        T,
    ),
    "bits of floats": (
        f"%b = nv_tileas.reinterpret %t : {TILE} -> tensor<4x8xi32>\n"
        "%one = arith.constant -2147483648 : i32\n"
        "%ones = nv_tileaa.splat %one : i32 -> tensor<4x8xi32>\n"
        "%x = arith.xori %b, %ones : tensor<4x8xi32>\n"
        f"%r = nv_tileas.reinterpret %x : tensor<4x8xi32> -> {TILE}\n",
        -T,
    ),
    "bits of floats as elements of half a byte": (
        f"%b = nv_tileas.reinterpret %t : {TILE} -> tensor<256xf4E2M1FN>\n"
        f"%r = nv_tileas.reinterpret %b : tensor<256xf4E2M1FN> -> {TILE}\n",
        T,
    ),
    "another layout": (f"%r = nv_tileas.convert_layout %t : {TILE} -> {TILE}\n", T),
    "a generated tile": (
        f"%r = nv_tileas.generate : {TILE} {{\n^bb0(%i: i32, %j: i32):\n"
        "%s = arith.muli %i, %j : i32\n%f = arith.sitofp %s : i32 to f32\n"
        "nv_tileas.yield %f : f32\n}\n",
        np.outer(np.arange(4), np.arange(8)).astype(np.float32),
    ),
    "a pragma": (
        f'%r = nv_tileas.pragma attributes {{ocgEnterDirectives = ["a"]}} : {TILE} {{\nnv_tileas.yield %t : {TILE}\n}}\n',
        T,
    ),
    "one of two slots of a buffer": (
        f"%b = nv_tileas.alloc_tensor : tensor<2x4x8xf32, {SHARED}>\n"
        "%true = arith.constant true\n%slot = arith.constant 32 : index\n"
        "%o = tile.select %true, %slot, %c0 : index\n"
        f"%s = nv_tileas.view %b offset %o : tensor<2x4x8xf32, {SHARED}> to tensor<4x8xf32, {SHARED}>\n"
        f"nv_tileas.tiled_store weak %t, %s : {TILE}, tensor<4x8xf32, {SHARED}>\n"
        f"%z = nv_tileas.view %b {{offset = 32 : i64}} : tensor<2x4x8xf32, {SHARED}> to tensor<4x8xf32, {SHARED}>\n"
        f"%r = nv_tileas.copy %z : tensor<4x8xf32, {SHARED}> -> {TILE}\n",
        T,
    ),
    "one of two buffers": (
        f"%a = nv_tileas.alloc_tensor : tensor<4x8xf32, {SHARED}>\n"
        f"%b = nv_tileas.alloc_tensor : tensor<4x8xf32, {SHARED}>\n"
        "%false = arith.constant false\n"
        f"%s = tile.select %false, %a, %b : tensor<4x8xf32, {SHARED}>\n"
        f"nv_tileas.tiled_store weak %t, %s : {TILE}, tensor<4x8xf32, {SHARED}>\n"
        f"%r = nv_tileas.copy %b : tensor<4x8xf32, {SHARED}> -> {TILE}\n",
        T,
    ),
    "a buffer that a loop carries": (
        f"%b = nv_tileas.alloc_tensor : tensor<4x8xf32, {SHARED}>\n"
        f"%e = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %b) -> (tensor<4x8xf32, {SHARED}>) {{\n"
        f"nv_tileas.tiled_store weak %t, %x : {TILE}, tensor<4x8xf32, {SHARED}>\n"
        f"scf.yield %x : tensor<4x8xf32, {SHARED}>\n}}\n"
        f"%r = nv_tileas.copy %b : tensor<4x8xf32, {SHARED}> -> {TILE}\n",
        T,
    ),
    "a token as completion": (
        "%m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token\n"
        "%w = nv_tileas.async.token_to_async %m : !nv_tileaa.mem_token -> !nv_tileas.async_token\n"
        "nv_tileas.async.wait %w : !nv_tileas.async_token\n"
        f"nv_tileas.fence acq_rel gpu\n%r = nv_tileas.copy %t : {TILE} -> {TILE}\n",
        T,
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_look(name: str):
    body, expected = VIEWS[name]
    _, out = run(LOAD + body + STORE)
    np.testing.assert_array_equal(out[:4], expected)


def test_new_tiles_are_undefined():
    _, out = run(f"%r = nv_tileas.alloc_tensor : {TILE}\n" + STORE)
    assert np.isnan(out[:4]).all()
    _, out = run(f"%r = nv_tileas.create_none : {TILE}\n" + STORE)
    assert np.isnan(out[:4]).all()


def slice_of(offset: int, size: int, stride: int) -> str:
    values = "".join(
        f"%{name} = arith.constant {value} : index\n"
        for name, value in (("offset", offset), ("stride", stride))
    )
    part = f"tensor<{size}x8xf32>"
    taken = f"%t[%offset, 0][{size}, 8][%stride, 1]"
    put = f"%r = nv_tileas.insert_slice %s into {taken} : {part} into {TILE}\n"
    return f"{values}%s = nv_tileas.extract_slice {taken} : {TILE} to {part}\n{put}"


@pytest.mark.parametrize("offset", range(-2, 5))
@pytest.mark.parametrize(("size", "stride"), [(1, 1), (2, 1), (2, 2), (2, -1), (4, 1), (4, -1)])
def test_slices_stay_inside(offset: int, size: int, stride: int):
    """Elements are counted from the first one; none is counted from the end."""
    rows = [offset + stride * i for i in range(size)]
    body = slice_of(offset, size, stride)
    if set(rows) <= set(range(4)):
        _, out = run(LOAD + body + STORE)
        np.testing.assert_array_equal(out[:4], T)
        return
    with pytest.raises(InterpreterError, match=f"slice of {size} elements from {offset} on"):
        run(LOAD + body + STORE)


FAULTS = {
    f"%i = arith.constant 3 : index\n%s = nv_tileas.extract_slice %t[%i, 0][2, 8][1, 1] : {TILE} to tensor<2x8xf32>\n": (
        "a slice of 2 elements from 3 on, with stride 1, exceeds a dimension of extent 4"
    ),
    f"%s = nv_tileas.extract_slice %t[%c4, 0][2, 8][1, 1] : {TILE} to tensor<2x8xf32>\n": (
        "a slice of 2 elements from 4 on, with stride 1, exceeds a dimension of extent 4"
    ),
    f"%s = nv_tileas.view %b offset %c4 : tensor<4x8xf32, {SHARED}> to tensor<4x8xf32, {SHARED}>\n": (
        "the view from element 4 to 35 exceeds the 32 elements"
    ),
    f"%s = nv_tileas.reinterpret %b : tensor<4x8xf32, {SHARED}> -> tensor<256xi4, {SHARED}>\n": (
        "a buffer with elements of less than a byte cannot be reinterpreted"
    ),
}


@pytest.mark.parametrize("body", FAULTS)
def test_fault(body: str):
    alloc = f"%b = nv_tileas.alloc_tensor : tensor<4x8xf32, {SHARED}>\n"
    with pytest.raises(InterpreterError, match=FAULTS[body]):
        run(LOAD + alloc + body)
