"""The stages of pipelines: one memory and one layout for all names of a stage's value.

Inside `produce_one` and `consume_one`, and in the types of iterators, the value becomes a buffer. A
`convert_layout` loads the value for an op that reads registers. A value that a producer yields from
registers is copied to the stage, and the stage is yielded instead.
"""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.layouts.candidates import NO_COMMON_MEMORY
from tileir_xdsl.builders.tiles import convert_layout
from tileir_xdsl.diagnostics import describe
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.dialects.nv_tileas.interfaces import ContractionOpInterface
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.dialects.nv_tileas.types import PipelineIteratorType, memory_of
from tileir_xdsl.explain import OperationLabels, Report
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.transforms.tileas_assign_load_store_layouts import alias_groups
from tileir_xdsl.walking import ops_in

from .rewrite import encoding_of

OPERANDS_FROM_MEMORY = 2
"""How many operands of a dot may be read from memory: A and B."""

StageTypes = dict[tuple[Operation, int], Attribute]
"""The type of each value of a pipeline's stages, by the op that creates the pipeline and the
index.
"""


def assign_stages(
    function: Operation,
    name: str,
    target: Target,
    warps: int,
    labels: OperationLabels,
    report: Report | None,
) -> None:
    """Chooses the memory and layout of the stages of all pipelines in a function.

    Raises:
        PassFailedException: ops of a group have no memory in common; notes say which they offer.
    """
    types: StageTypes = {}
    takers: set[Operation] = set()
    for group in alias_groups.collect_alias_groups(function):
        candidates = alias_groups.memory_candidates(group, target, warps)
        memories = alias_groups.common_memories(candidates)
        if report is not None:
            _explain(report, name, labels, candidates, memories)
        # Refused with what each op offers: there is no memory to copy through.
        if not memories:
            raise _no_common_memory(group, candidates)
        # The first is shared memory where that is possible.
        types[group.pipeline, group.position] = _stage_type(group, memories[0], candidates)
        takers |= _takers(candidates, memories[0])
    rewriter = PatternRewriter(function)
    if types:
        _rewrite(function, types, takers, rewriter)
    for op in ops_in(function):
        if isinstance(op, ProduceOp) and not alias_groups.yields_values(op):
            _fill_stages(op, rewriter)


def _no_common_memory(
    group: alias_groups.AliasGroup, candidates: Sequence[alias_groups.MemoryCandidates]
) -> PassFailedException:
    failure = PassFailedException(NO_COMMON_MEMORY)
    failure.add_note(f"see {describe(group.pipeline)}")
    for candidate in candidates:
        offered = ", ".join(sorted(m.name.lower() for m in candidate.memories)) or "none"
        failure.add_note(f"{describe(candidate.op)} offers memories: {offered}")
    return failure


def _explain(
    report: Report,
    name: str,
    labels: OperationLabels,
    candidates: Sequence[alias_groups.MemoryCandidates],
    memories: Sequence[Memory],
) -> None:
    offers = [
        {
            "op": labels.label(candidate.op),
            "memories": ", ".join(sorted(m.name.lower() for m in candidate.memories)),
        }
        for candidate in candidates
    ]
    chosen = memories[0].name.lower() if memories else None
    report.add(name, alias_group=offers, chosen=chosen)


def _memory(memory: Memory) -> nv_tileas.MemoryAttr:
    return nv_tileas.MemoryAttr(Residency[memory.name])


def _stage_type(
    group: alias_groups.AliasGroup,
    memory: Memory,
    candidates: Sequence[alias_groups.MemoryCandidates],
) -> Attribute:
    tile = tile_shape(group.type)
    encoding = _memory(memory)
    if memory is Memory.SHARED:
        encoding = encoding_of(alias_groups.stage_layout(group, candidates))
    return tile_type(tile.shape, tile.element, encoding)


def _takers(candidates: Sequence[alias_groups.MemoryCandidates], memory: Memory) -> set[Operation]:
    """The dots that read the value from memory directly."""
    in_tensor_memory = memory is Memory.TENSOR
    return {
        candidate.op
        for candidate in candidates
        if isinstance(candidate.op, ContractionOpInterface)
        and (candidate.layouts or in_tensor_memory)
    }


def _rewrite(
    function: Operation, types: StageTypes, takers: set[Operation], rewriter: PatternRewriter
) -> None:
    iterators = alias_groups.iterator_pipelines(function)
    readers = [
        (op, pipeline)
        for op in ops_in(function)
        if isinstance(op, alias_groups.RegionOp | nv_tileas.ConsumerReadOp)
        and (pipeline := pipeline_of(op.token)) is not None
    ]
    for op, pipeline in readers:
        for position, value in enumerate(alias_groups.stage_values(op)):
            type = types.get((pipeline, position))
            if type is not None:
                _retype_value(value, type, takers, rewriter)
        if not isinstance(op, alias_groups.RegionOp):
            continue
        name = "producer_types" if isinstance(op, ProduceOp) else "consumer_types"
        held = [op.body.block.args[i].type for i in range(len(op.body.block.args))]
        op.properties[name] = ArrayAttr(held)
    for iterator, pipeline in iterators.items():
        assert isinstance(iterator.type, PipelineIteratorType)
        payload = [
            types.get((pipeline, position), held)
            for position, held in enumerate(iterator.type.payload)
        ]
        # Iterators name what a stage holds, so that their type must follow, in loops as well.
        rewriter.replace_value_with_new_type(iterator, PipelineIteratorType(payload))


def _retype_value(
    value: SSAValue, type: Attribute, takers: set[Operation], rewriter: PatternRewriter
) -> None:
    """Changes the type of a name of a stage to a buffer, with a conversion for each op that reads
    registers.
    """
    plain = value.type
    buffer = rewriter.replace_value_with_new_type(value, type)
    for use in list(buffer.uses):
        op = use.operation
        match op:
            case nv_tileas.ViewOp():
                tile = tile_shape(op.result.type)
                memory = memory_of(type)
                assert memory is not None
                viewed = tile_type(tile.shape, tile.element, _memory(memory))
                _retype_value(op.result, viewed, takers, rewriter)
            case nv_tileas.ConvertLayoutOp():
                pass
            case PipelineYieldOp() if not alias_groups.yields_values(_region_op(op)):
                pass
            # The instruction reads the stage itself.
            case _ if op in takers and use.index < OPERANDS_FROM_MEMORY:
                pass
            case _:
                _convert_operand(op, use.index, plain, rewriter)


def _region_op(terminator: PipelineYieldOp) -> alias_groups.RegionOp:
    op = terminator.parent_op()
    assert isinstance(op, alias_groups.RegionOp)
    return op


def _convert_operand(
    op: Operation, number: int, type: Attribute, rewriter: PatternRewriter
) -> None:
    before = Builder(InsertPoint.before(op))
    op.operands[number] = convert_layout(before, op.operands[number], type, op.location)


def _fill_stages(op: ProduceOp, rewriter: PatternRewriter) -> None:
    """Copies tiles that a region yields to the stage, and yields the stage instead."""
    terminator, stage = op.body.block.last_op, op.body.block.args
    assert isinstance(terminator, PipelineYieldOp)
    for position, value in enumerate(terminator.operands):
        # A region that fills the stage in place yields the stage itself.
        if value in stage or not isinstance(value.type, TensorType):
            continue
        copy = nv_tileas.CopyOp(
            operands=[value, stage[position]], result_types=[stage[position].type]
        )
        copy.location = terminator.location
        rewriter.insert(copy, InsertPoint.before(terminator))
        terminator.operands[position] = stage[position]
