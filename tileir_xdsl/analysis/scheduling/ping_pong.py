"""Runs of MMAs that one warpgroup issues by itself in ping-pong scheduling.

A run costs two barriers, so neighbouring MMAs with only short ops between them form one run.
"""

from collections.abc import Iterable

from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.layouts.groups import tiles_of
from tileir_xdsl.analysis.mma.mmas_in_flight import is_warpgroup_mma
from tileir_xdsl.analysis.mma.tensor_memory_mmas import shared_operands, writers_of
from tileir_xdsl.dialects.nv_tileas import IncIterOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import TileMoveOpInterface

PING_PONG_KEY = "nv_tile.aws.ping_pong"
"""The unit attribute of a loop whose warpgroups are to issue their MMAs in ping-pong."""


def runs_of_mmas(ops: Iterable[Operation]) -> list[tuple[Operation, Operation]]:
    """The first and the last MMA of every run among the ops of a block."""
    runs: list[tuple[Operation, Operation]] = []
    is_open = False
    for op in ops:
        if is_warpgroup_mma(op):
            first = runs.pop()[0] if is_open else op
            runs.append((first, op))
            is_open = True
        elif not _is_brief(op):
            is_open = False
    return runs


def meeting_for_operand(mma: Operation) -> Operation | None:
    """The op by which threads of all warpgroups store an operand of an MMA; None if there is no
    such op.

    These threads synchronise before the MMA, so no warpgroup may wait for the mutex then.
    """
    assert isinstance(mma, MMAOp)
    for operand in shared_operands(mma):
        for writer in writers_of(operand, set()):
            if isinstance(writer, TileMoveOpInterface):
                return writer
    return None


def _is_brief(op: Operation) -> bool:
    """Whether an op between MMAs takes negligible time: an index, a view, an iterator.

    Filling a stage counts as brief, because another agent does it.
    """
    if isinstance(op, IncIterOp | ProduceOp):
        return True
    return is_side_effect_free(op) and not op.regions and not any(tiles_of(op))
