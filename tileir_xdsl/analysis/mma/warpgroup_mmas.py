"""MMAs in tensor memory of which each warpgroup issues its own block of 128 rows.

    %d = nv_tileas.async.dot %a, %b, %c
        {.., nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_each_warpgroup>}
        : .., tile<256x64xf32> -> !async.value<..>

Each warpgroup has its own barrier for copies, so one issues MMAs while the other computes. Either
each warpgroup issues its rows of all MMAs in tensor memory of a function, or none does.
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.mma.mma_loops import pipelines_of_mmas
from tileir_xdsl.analysis.mma.tensor_memory_mmas import (
    buffer_of,
    is_tensor_memory_mma,
    operand_a_columns,
    readers_of,
    shared_operands,
    stage_of,
    tensor_memory_mmas,
)
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_tokens import AwaitOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.strategies import is_of_each_warpgroup
from tileir_xdsl.layout.tensor_memory import row_blocks
from tileir_xdsl.walking import ops_in

FEWEST_WARPGROUPS = 2


def blocks_of_rows(mma: MMAOp) -> int:
    """The blocks of 128 rows of an MMA."""
    return row_blocks(tile_shape(mma.a.type).shape[-2])


def issuing_warpgroups(function: Operation) -> int:
    """The warpgroups that issue MMAs of their own rows; 1 where one thread issues all MMAs."""
    found = (op for op in tensor_memory_mmas(ops_in(function)) if is_of_each_warpgroup(op))
    return max(map(blocks_of_rows, found), default=1)


def why_not_of_each_warpgroup(
    function: nv_tileaa.FuncOp, mmas: Sequence[MMAOp], warpgroups: int
) -> str | None:
    """Why so many warpgroups cannot issue the MMAs of a function each for its own rows."""
    if warpgroups < FEWEST_WARPGROUPS:
        return "there are no two warpgroups"
    of_mmas = pipelines_of_mmas(function)
    for mma in mmas:
        if blocks_of_rows(mma) != warpgroups:
            return f"a dot has no 128 rows for each of {warpgroups} warpgroups"
        if not mma.IS_ASYNCHRONOUS or mma.scales or mma.cta_group is not None:
            return "a dot has block scales, is of a pair of CTAs or is waited for at once"
        if not all(_is_left_alone(operand, of_mmas) for operand in shared_operands(mma)):
            return "threads fill, or also read, an operand in shared memory"
    # One thread issues MMAs on operands that threads do not touch, without a barrier.
    if not any(operand_a_columns(mma) is not None for mma in mmas):
        return "no dot has an operand that threads compute"
    return None


def _is_left_alone(operand: SSAValue, of_mmas: frozenset[nv_tileas.CreatePipelineOp]) -> bool:
    """Whether MMAs alone read an operand, and it is overwritten only when all of them are done.

    A thread that has waited for the MMAs of its own rows does not know whether those of other rows
    are complete.
    """
    if (read := stage_of(operand)) is not None:
        return pipeline_of(read.token) in of_mmas
    buffer = buffer_of(operand)
    if not isinstance(buffer, AwaitOp) or is_repeated(buffer):
        return False
    readers = readers_of(buffer.results[0])
    return all(isinstance(op, MMAOp) and is_tensor_memory_mma(op) for op in readers)
