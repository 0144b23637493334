"""Ops that read a buffer have its elements of then, whatever is stored into it later."""

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileas.kernels import SHARED, VIEW, run
from tileir_xdsl.interpreters.buffers import Buffer, tiles_of

BUFFER, TILE = f"tensor<4x8xf32, {SHARED}>", "tensor<4x8xf32>"
TOKEN = "!nv_tileaa.mem_token"


def test_tiles_share_nothing_with_their_buffers():
    """Neither with a whole buffer nor with one that is a part of another; arrays are not copied."""
    storage = np.arange(12, dtype=np.int32)
    for array in (storage, storage[3:7], storage.reshape(3, 4)[1], storage[::-2], storage[:0]):
        found, same = tiles_of([Buffer(array, storage), storage])
        np.testing.assert_array_equal(found, array)
        assert not np.shares_memory(found, storage) and same is storage


READS = {
    "convert_layout": f"%r = nv_tileas.convert_layout %b : {BUFFER} -> {TILE}",
    "copy": f"%r = nv_tileas.copy %b : {BUFFER} -> {TILE}",
    "tiled_load": f"%r = nv_tileas.tiled_load weak %b : {BUFFER} -> {TILE}",
    "view": f"%v = nv_tileas.view %b : {BUFFER} to tensor<32xf32, {SHARED}>\n"
    f"%w = nv_tileas.convert_layout %v : tensor<32xf32, {SHARED}> -> tensor<32xf32>\n"
    f"%r = nv_tileas.view %w : tensor<32xf32> to {TILE}",
}
"""Each makes a tile `%r` of the buffer `%b`."""


@pytest.mark.parametrize("read", READS)
def test_what_is_stored_after_a_read(read: str):
    """The first tile in the buffer is read before the second one replaces it."""
    body = f"""
        %t = nv_tileas.tiled_load weak %in[%c1, %c0] : {VIEW}[index, index] -> {TILE}
        %u = nv_tileas.tiled_load weak %in[%c2, %c0] : {VIEW}[index, index] -> {TILE}
        %b = nv_tileas.copy %t : {TILE} -> {BUFFER}
        {READS[read]}
        %none = nv_tileaa.create_mem_token : {TOKEN}
        %m = nv_tileas.tiled_store weak %u, %b token = %none : {TILE}, {BUFFER} -> {TOKEN}
        %s = nv_tileas.copy %b : {BUFFER} -> {TILE}
        nv_tileas.tiled_store weak %r, %out[%c0, %c0] : {TILE}, {VIEW}[index, index]
        nv_tileas.tiled_store weak %s, %out[%c1, %c0] : {TILE}, {VIEW}[index, index]
    """
    data, out = run(body)
    np.testing.assert_array_equal(out[:8], data[4:12])
