"""Every op of the tile dialects has a meaning."""

from __future__ import annotations

from tileir_xdsl.dialects.cuda_tile import CudaTile
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileas import NVTileAS
from tileir_xdsl.dialects.tile import Tile
from tileir_xdsl.interpreters import cuda_tile, nv_tileaa, nv_tileas
from tileir_xdsl.interpreters.cuda_tile.blocks import TERMINATORS

STRUCTURE = {
    "cuda_tile.module",
    "cuda_tile.entry",
    "cuda_tile.global",
    # Functions that only tests of the reference implementation use; nothing calls them.
    "cuda_tile.experimental$func",
    "cuda_tile.testing$func",
    "nv_tileaa.func",
    "nv_tileaa.global",
}
"""Ops that are launched or looked up, not run."""


def test_every_op_is_interpreted() -> None:
    known = {
        *cuda_tile.PURE,
        *cuda_tile.STATEFUL,
        *cuda_tile.REGIONS,
        *TERMINATORS,
        *nv_tileaa.PURE,
        *nv_tileaa.STATEFUL,
        *nv_tileaa.REGIONS,
        *nv_tileaa.TERMINATORS,
        *nv_tileas.PURE,
        *nv_tileas.STATEFUL,
        *nv_tileas.ON_BUFFERS,
        *nv_tileas.REGIONS,
        *nv_tileas.REGIONS_ON_BUFFERS,
        *nv_tileas.TERMINATORS,
    }
    ops = [*CudaTile.operations, *NVTileAA.operations, *NVTileAS.operations, *Tile.operations]
    missing = [op.name for op in ops if op not in known and op.name not in STRUCTURE]
    assert missing == []
