"""Whether the staging buffer of a bulk store leaves shared memory for stages of surrounding loads.

    scf.for %tile .. {
      %d = scf.for %k .. {            // loads of the next tile fill stages while this one is stored
        %x = nv_tileas.tiled_load ..
        %e = nv_tileas.async.dot ..
      }
      nv_tileas.tiled_store %d, ..    // by TMA, from a buffer in shared memory
    }

After the last loop a staging buffer reuses the memory of stages that are no longer filled. In an
outer loop a staging buffer has dedicated memory.
"""

from collections.abc import Iterator
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.walking import ancestors, ops_in

FEWEST_STAGES = 2
"""The stages that a loop needs: with one stage, no load overlaps the previous dot."""

BARRIER_BYTES = 1024
"""Shared memory reserved for the mbarriers of stages and for alignment."""


def leaves_stages(op: nv_tileas.TiledStoreOp, target: Target) -> bool:
    """Whether two stages fit next to a staging buffer, or would not fit without it either.

    The loads counted are those of loops of MMAs that accumulate in tensor memory. From tensor
    memory each thread loads whole parts of rows, which it can store without staging.
    """
    stage = max(map(_stage_bytes, _loops_of_mmas(op)), default=0)
    capacity = target.limits.shared_memory_per_block - BARRIER_BYTES
    needed = FEWEST_STAGES * stage
    return not stage or needed > capacity or needed + _bytes(op.tile.type) <= capacity


def _loops_of_mmas(op: Operation) -> Iterator[Operation]:
    """The loops of MMAs in tensor memory that are executed again after a store."""
    for around in ancestors(op):
        if isinstance(around, scf.ForOp | scf.WhileOp):
            for inner in ops_in(around):
                loop = inner.parent_op()
                if loop is not around and isinstance(inner, MMAOp) and _is_in_tensor_memory(inner):
                    assert loop is not None
                    yield loop


def _is_in_tensor_memory(mma: MMAOp) -> bool:
    atom = None if mma.atom is None else MMA_ATOMS.get(mma.atom.data)
    return atom is not None and atom.kind is MMAKind.TENSOR_MEMORY


def _stage_bytes(loop: Operation) -> int:
    """The bytes that a loop loads in an iteration."""
    return sum(
        _bytes(inner.results[0].type)
        for inner in ops_in(loop)
        if isinstance(inner, LoadTileOp | nv_tileas.AsyncTiledLoadOp)
    )


def _bytes(type: Attribute) -> int:
    """The bytes of a tile, available or in flight."""
    tile = tile_shape(awaited(type))
    return prod(tile.shape) * element_bytes(tile.element)
