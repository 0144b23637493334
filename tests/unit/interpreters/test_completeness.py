"""Every op of the tile dialects has a meaning."""

from __future__ import annotations

from tileir_xdsl.dialects.cuda_tile import CudaTile
from tileir_xdsl.dialects.nv_tileaa import NVTileAA
from tileir_xdsl.dialects.nv_tileas import NVTileAS
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

INTERPRETED = {
    "nv_tileas.convert_layout",
    "nv_tileas.load",
    "nv_tileas.store",
    "nv_tileas.tiled_load",
    "nv_tileas.tiled_store",
}
"""The ops of `nv_tileas` with a meaning of their own; the others appear where work is asynchronous
or buffers are placed, after the last stage that is interpreted."""


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
    }
    scheduled = [op for op in NVTileAS.operations if op.name in INTERPRETED]
    assert len(scheduled) == len(INTERPRETED)
    ops = [*CudaTile.operations, *NVTileAA.operations, *scheduled]
    missing = [op.name for op in ops if op not in known and op.name not in STRUCTURE]
    assert missing == []
