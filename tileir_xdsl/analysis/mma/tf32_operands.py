"""Tiles of tf32 that only matrix units read.

A `.b32` register with a tf32 has 13 bits more than the number. `cvt` leaves these 13 bits
unspecified (PTX ISA, "cvt"), so matrix units ignore them. All other readers of the tile use the
register as an f32.
"""

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.element_interfaces import RepeatedElementsOpInterface
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOneAsyncOp, ConsumeOneOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.targets.mma import MMA_ATOMS

CONSUME_OPS = ConsumeOneOp | ConsumeOneAsyncOp


def is_read_by_mmas_alone(tile: SSAValue) -> bool:
    """Whether a tile, or the same tile in another layout, is only used as operand A or B of
    matrix units.
    """
    for use in tile.uses:
        op = use.operation
        match op:
            case MMAOp():
                has_unit = op.atom is not None and op.atom.data in MMA_ATOMS
                is_read = has_unit and tile in (op.a, op.b)
            case RepeatedElementsOpInterface():
                is_read = is_read_by_mmas_alone(op.results[0])
            case nv_tileas.PipelineYieldOp() if isinstance(consume := op.parent_op(), CONSUME_OPS):
                is_read = is_read_by_mmas_alone(consume.values[use.index])
            case _:
                is_read = False
        if not is_read:
            return False
    return True
