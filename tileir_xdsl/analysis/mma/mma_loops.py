"""Loops of `tcgen05` MMAs, and whether one thread can execute all that is in them.

One thread can execute a loop of scalars, bulk copies, waits for stages that only MMAs read, and
these MMAs.
"""

from collections.abc import Container
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import (
    holds_accumulators,
    pipeline_of,
    reads_answer,
)
from tileir_xdsl.analysis.mma import tensor_memory_mmas
from tileir_xdsl.analysis.mma.accumulators import accumulator_values
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.analysis.threads.one_thread import fills_by_copies, is_in_registers, is_scalar
from tileir_xdsl.builders.dots import is_positive_zero
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerStepOp, ProducerStepOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.types import (
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
)
from tileir_xdsl.walking import ops_in


def pipelines_of_mmas(
    function: nv_tileaa.FuncOp,
) -> frozenset[nv_tileas.CreatePipelineOp]:
    """The pipelines that copies, with bulk copies among them, fill and only `tcgen05` MMAs read."""
    found: set[nv_tileas.CreatePipelineOp] = set()
    others: set[nv_tileas.CreatePipelineOp | None] = set()
    for op in ops_in(function):
        match op:
            case nv_tileas.ConsumerReadOp():
                group = found if _is_read_by_mmas(op) else others
            case nv_tileas.ConsumerWaitOp():
                reader = op.result.get_user_of_unique_use()
                # A wait without a read is for the threads themselves.
                group = found if isinstance(reader, nv_tileas.ConsumerReadOp) else others
            case ProduceOp():
                if fills_by_copies(op) and not op.has_values:
                    continue
                group = others
            case ConsumeOp() | ProducerStepOp():
                # Threads fill or read the stage themselves.
                group = others
            case _:
                continue
        pipeline = pipeline_of(op.token)
        if pipeline is not None:
            group.add(pipeline)
    # One other reader is enough: a stage is released in one way by all.
    return frozenset(found - others)


def _is_read_by_mmas(op: nv_tileas.ConsumerReadOp) -> bool:
    """Whether only MMAs read a stage, and one of them follows the wait in its block."""
    wait = op.token.owner
    # In another block the MMAs might not run though the wait did, and the stage never be released.
    if not isinstance(wait, nv_tileas.ConsumerWaitOp) or wait.parent is not op.parent:
        return False
    readers = stage_readers(op)
    return all(map(tensor_memory_mmas.is_tensor_memory_mma, readers)) and any(
        reader.parent is op.parent for reader in readers
    )


def stage_readers(op: nv_tileas.ConsumerReadOp) -> list[Operation]:
    """The ops that read what a stage holds."""
    return [reader for tile in op.values for reader in tensor_memory_mmas.readers_of(tile)]


# Work that one thread can execute.

CARRIERS = (scf.ForOp, scf.IfOp, scf.YieldOp)
"""Ops that forward values."""

OF_THE_ONE_THREAD = (
    MemTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
)
"""Types of loop results that only the thread that executes the loop reads."""


def is_start(op: Operation) -> bool:
    """Whether an op begins an accumulator at zero, or makes only those zeros."""
    if isinstance(op, nv_tileas.ToAsyncOp):
        return is_positive_zero(op.source)
    users = {use.operation for result in op.results for use in result.uses}
    return (
        bool(users)
        and all(isinstance(user, nv_tileas.ToAsyncOp) for user in users)
        and (is_positive_zero(op.results[0]))
    )


def are_operands_left_to_hardware(op: MMAOp, of_mmas: Container[Operation]) -> bool:
    """Whether no thread has to wait for an MMA before its operands are overwritten.

    `of_mmas` are the pipelines whose stages only MMAs read.
    """
    # Threads store A again after a wait for the accumulator that they add to, or replace.
    is_stored_late = (
        tensor_memory_mmas.operand_a_columns(op) is None
        or isinstance(op.c.type, ValueType)
        or tensor_memory_mmas.is_awaited_before_repeated(op)
    )
    return is_stored_late and all(
        _is_kept(o, op, of_mmas) for o in tensor_memory_mmas.shared_operands(op)
    )


def _is_kept(operand: SSAValue, op: MMAOp, of_mmas: Container[Operation]) -> bool:
    read = tensor_memory_mmas.stage_of(operand)
    if read is None:
        return tensor_memory_mmas.is_awaited_before_rewritten(operand, op)
    created = pipeline_of(read.token)
    return created is not None and created in of_mmas


@dataclass(frozen=True)
class MMALoops:
    """Facts that tell which loops of a function one thread can execute."""

    of_mmas: frozenset[nv_tileas.CreatePipelineOp]
    """The pipelines whose stages only MMAs read."""
    accumulators: frozenset[SSAValue]
    """The accumulators in tensor memory."""

    @staticmethod
    def of(function: nv_tileaa.FuncOp) -> "MMALoops":
        """The facts of a function."""
        return MMALoops(pipelines_of_mmas(function), accumulator_values(function))

    def needs_other_threads(self, op: scf.ForOp) -> Operation | None:
        """An op in a loop, or the loop, that one thread cannot execute; None if one thread can."""
        for inner in (op, *ops_in(op.body)):
            if not self.is_for_one_thread(inner):
                return inner
        # A value of the one thread cannot be read by the others without going through memory.
        return None if all(map(self._is_left_alone, op.results)) else op

    def needed_by_agent(self, agent: Region) -> Operation | None:
        """An op of an agent of one warp that one thread cannot execute; None if one thread can.

        The agent may fill stages of accumulators, which hardware publishes, and read the number of
        the next tile block.
        """
        for op in ops_in(agent):
            is_known = self._fills_stage(op) or is_start(op) or reads_answer(op)
            if not (is_known or self.is_for_one_thread(op)):
                return op
        return None

    def _fills_stage(self, op: Operation) -> bool:
        """Whether only MMAs fill the stage of an op, which is in tensor memory."""
        if not isinstance(op, ProducerStepOp):
            return False
        pipeline = pipeline_of(op.token)
        return pipeline is not None and holds_accumulators(pipeline)

    def _is_left_alone(self, result: SSAValue) -> bool:
        """Whether no other thread needs the result of a loop."""
        known = result in self.accumulators or isinstance(result.type, OF_THE_ONE_THREAD)
        return known or not result.uses

    def is_for_one_thread(self, op: Operation) -> bool:
        """Whether one thread can execute an op, disregarding its regions."""
        match op:
            case MMAOp() if op.IS_ASYNCHRONOUS:
                return (
                    # All threads bring such scales, or such an operand, to tensor memory.
                    not tensor_memory_mmas.has_scales_in_registers(op)
                    and tensor_memory_mmas.operand_a_columns(op) is None
                    and op.c in self.accumulators
                    and tensor_memory_mmas.reads_stages_alone(op)
                    and are_operands_left_to_hardware(op, self.of_mmas)
                )
            case nv_tileas.WaitOp():
                # A token result would promise the other threads what only one has waited for.
                return not op.results and all(
                    source in self.accumulators and self._is_finished_by_hardware(op, source)
                    for source in op.sources
                )
            case nv_tileas.FenceProxyOp() | nv_tileas.FenceTmemOp():
                # The one thread waits for a stage, and then lets hardware access it.
                return True
            case ConsumerStepOp():
                return pipeline_of(op.token) in self.of_mmas
            case _ if isinstance(op, CARRIERS):
                forwarded = (v for v in (*op.operands, *op.results) if v not in self.accumulators)
                # A tile in registers is spread over all threads.
                return not any(is_in_registers(value.type) for value in forwarded)
            case _:
                return is_scalar(op)

    def _is_finished_by_hardware(self, op: Operation, value: SSAValue) -> bool:
        """Whether no thread has to wait before the operands of the MMAs are overwritten."""
        starts = [start for start in started_by(value, op) if isinstance(start, MMAOp)]
        return all(are_operands_left_to_hardware(start, self.of_mmas) for start in starts)
