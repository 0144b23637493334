"""Whether pairs of CTAs can issue the MMAs of a kernel, and the contents of each CTA's stages in
that case.

The first CTA of a pair issues the MMAs for both CTAs. So the first CTA must observe loads of both
CTAs, by the mbarriers of stages, and free accumulators, by one mbarrier for both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.buffers.cta_sharing import deciding_axes
from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.pipelines import payload_of, pipeline_of
from tileir_xdsl.analysis.buffers.shared_layouts import shared_layout, size_in_bytes, stage_layout
from tileir_xdsl.analysis.mma.accumulators import accumulator_values
from tileir_xdsl.analysis.mma.mma_loops import pipelines_of_mmas
from tileir_xdsl.analysis.mma.tensor_memory_mmas import RENAMINGS
from tileir_xdsl.analysis.regions.region_flow import forwarded_values
from tileir_xdsl.analysis.threads.agent_warps import agent_region
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, LayoutDescriptor
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.shared import SharedLayout, boxes_of, divided_over_pair, part_in_cta
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAShape
from tileir_xdsl.transforms.tileas_assign_dot_layouts.buffer_shapes import reshaped_layout
from tileir_xdsl.walking import ops_in

PipelineOp = nv_tileas.CreatePipelineOp
Load = nv_tileas.AsyncTiledTmaLoadOp
Place = tuple[PipelineOp, int]
"""A pipeline, and the index of a tile in each of its stages."""

A, B = 0, 1


class NoPairError(Exception):
    """The reason for which pairs cannot issue the MMAs of a kernel."""


@dataclass
class Pairing:
    """The changes to a kernel for MMAs of pairs."""

    mmas: tuple[MMAOp, ...]
    roles: dict[Place, int] = field(default_factory=dict[Place, int])
    """Whether each tile in stages is operand A or B."""
    groups: dict[Load, tuple[int, int]] = field(default_factory=dict[Load, tuple[int, int]])
    """For each load, the number of CTAs that share it, and the distance of their ranks."""
    types: dict[SSAValue, Attribute] = field(default_factory=dict[SSAValue, Attribute])
    """The new types of tiles that are divided between two CTAs, and of iterators over their
    stages.
    """
    bytes: dict[PipelineOp, tuple[int, int]] = field(
        default_factory=dict[PipelineOp, tuple[int, int]]
    )
    """The bytes of a stage of each pipeline, before and after the change."""

    @property
    def pipelines(self) -> tuple[PipelineOp, ...]:
        """The pipelines of the operands."""
        return tuple(dict.fromkeys(pipeline for pipeline, _ in self.roles))


def pairing_of(function: nv_tileaa.FuncOp, mmas: Sequence[MMAOp], target: Target) -> Pairing:
    """The changes that make the MMAs of a function those of pairs.

    Raises `NoPairError` if a pair cannot issue an MMA.
    """
    rows, columns = cluster_shape(function)
    if rows * columns == 1:
        raise NoPairError("a tile block is one CTA")
    if rows % PAIR:
        raise NoPairError("the cluster has an odd number of CTA rows")
    pairing = Pairing(tuple(mmas))
    for mma in mmas:
        pair_shape(mma, target)
        _check_control(mma)
    _check_accumulators(function)
    of_mmas = pipelines_of_mmas(function)
    for mma in mmas:
        for role, operand in ((A, mma.a), (B, mma.b)):
            place, names = _place_of(operand)
            if place[0] not in of_mmas or place[0].parent_op() is not function:
                raise NoPairError("threads fill or read the stages of an operand")
            if pairing.roles.setdefault(place, role) != role:
                raise NoPairError("one tile is both operand A and operand B")
            if role == B:
                _divide(mma, place, names, pairing)
    _check_payloads(pairing)
    for op in ops_in(function):
        if isinstance(op, ProduceOp) and (pipeline := pipeline_of(op.token)) in pairing.pipelines:
            assert pipeline is not None
            _plan_loads(op, pipeline, pairing)
    _plan_iterators(pairing)
    return pairing


# MMAs


def pair_shape(mma: MMAOp, target: Target) -> MMAShape:
    """The shape along M and N of the single instruction that computes an MMA of a pair.

    Raises `NoPairError` if there is none.
    """
    atom = None if mma.atom is None else MMA_ATOMS[mma.atom.data]
    *batch, rows, columns = tile_shape(mma.accumulator_type).shape
    if mma.scales or atom is None or not atom.pair_shapes:
        raise NoPairError("block scales, and atoms without instructions for a pair, need one CTA")
    if not isinstance(mma.c.type, ValueType):
        raise NoPairError("the accumulator operand of an MMA is in registers")
    for shape in atom.pair_shapes:
        if (
            not batch
            and (shape.m, shape.n) == (PAIR * rows, columns)
            and (shape.is_available(target))
        ):
            return shape
    raise NoPairError(f"no MMA of a CTA pair has {PAIR * rows} rows and {columns} columns")


def _check_control(op: Operation) -> None:
    """Raises `NoPairError` unless both CTAs of a pair execute an op the same number of times."""
    if 0 in deciding_axes(op):
        raise NoPairError("a loop bound or condition differs between the CTAs of a pair")


def _check_accumulators(function: nv_tileaa.FuncOp) -> None:
    """Raises `NoPairError` unless each accumulator is read once, after its last MMA."""
    accumulators = accumulator_values(function)
    for op in ops_in(function):
        if any(is_in_tensor_memory(result.type) for result in op.results):
            raise NoPairError("threads copy to tensor memory")
        is_start = isinstance(op, nv_tileas.ToAsyncOp) and op.result in accumulators
        is_wait = isinstance(op, nv_tileas.FutureWaitOp) and op.source in accumulators
        if is_start or is_wait:
            _check_control(op)
        if is_wait and not op.operands[0].has_one_use():
            raise NoPairError("an accumulator is read while MMAs add to it")


# Operands


def _place_of(operand: SSAValue) -> tuple[Place, list[Operation]]:
    """The position of an operand in the stages of a pipeline, and the view ops in between."""
    names: list[Operation] = []
    while isinstance(operand.owner, RENAMINGS):
        names.insert(0, operand.owner)
        operand = operand.owner.operands[0]
    # The first CTA of a pair issues its MMAs without knowing what threads of the other one do.
    if any(isinstance(op, nv_tileas.PadOp) for op in names):
        raise NoPairError("threads pad an operand")
    read = operand.owner
    if not isinstance(read, nv_tileas.ConsumerReadOp):
        raise NoPairError("an operand is not in a stage that bulk copies fill")
    pipeline = pipeline_of(read.token)
    if pipeline is None:
        raise NoPairError("the pipeline of an operand is not known")
    (index,) = (number for number, tile in enumerate(read.values) if tile is operand)
    return (pipeline, index), names


def _divide(mma: MMAOp, place: Place, names: Sequence[Operation], pairing: Pairing) -> None:
    """Plans types with half of the columns of B, for the stage and its views."""
    tile = names[0].operands[0] if names else mma.b
    layout = shared_layout(mma, tile.type)
    for dimension in reversed(range(len(layout.shape))):
        try:
            chain = [divided_over_pair(layout, dimension)]
            for op in names:
                assert isinstance(op, BufferViewOpInterface)
                chain.append(reshaped_layout(op, chain[-1]))
        except LayoutError:
            continue
        if part_in_cta(chain[-1])[1] == len(chain[-1].shape) - 1:
            break
    else:
        raise NoPairError("no boxes load half of the columns of B")
    for value, part in zip((tile, *(op.results[0] for op in names)), chain, strict=True):
        _give_type(value, _with_layout(value.type, part), pairing)


def _give_type(value: SSAValue, type: Attribute, pairing: Pairing) -> None:
    if pairing.types.setdefault(value, type) != type:
        raise NoPairError("a tile would have to be divided between the CTAs in two ways")


def _with_layout(type: Attribute, layout: SharedLayout) -> TensorType[Attribute]:
    tile = tile_shape(type)
    swizzle = layout.swizzle if layout.swizzle.bits else None
    attribute = LayoutAttr(LayoutDescriptor(layout.layout, swizzle))
    return TensorType(tile.element, tile.shape, MemoryAttr(Residency.SHARED, attribute))


def _check_payloads(pairing: Pairing) -> None:
    """Raises `NoPairError` if stages contain other tiles than operands of the MMAs."""
    for pipeline in pairing.pipelines:
        held = range(len(payload_of(pipeline)))
        if any((pipeline, index) not in pairing.roles for index in held):
            raise NoPairError("a stage holds more than the operands of MMAs")


def _plan_loads(op: ProduceOp, pipeline: PipelineOp, pairing: Pairing) -> None:
    """Plans the loads into a stage: each CTA of a pair loads half of B, and its own rows of A."""
    arguments = op.body.block.args
    loads = [inner for inner in op.body.block.ops if isinstance(inner, Load)]
    # The bytes of a stage that something else fills would be counted in each CTA.
    if [load.destination for load in loads] != list(arguments):
        raise NoPairError("a stage is not filled by one bulk copy of each operand")
    for index, (load, buffer) in enumerate(zip(loads, arguments, strict=True)):
        count, stride = load.multicast_group
        if pairing.roles[pipeline, index] == A:
            if count > 1 and stride % PAIR:
                raise NoPairError("both CTAs of a pair load the same rows of A")
            pairing.groups[load] = count, stride
            continue
        if count % PAIR or stride != 1:
            raise NoPairError("the CTAs of a pair do not load the same columns of B")
        type = _type_in_stages(pipeline, index, pairing)
        pairing.groups[load] = count // PAIR, PAIR
        _check_boxes(load, shared_layout(load, buffer.type), shared_layout(load, type), count)
        _give_type(buffer, type, pairing)
        if isinstance(load.result.type, ValueType):
            _give_type(load.result, ValueType(type), pairing)


def _check_boxes(load: Load, whole: SharedLayout, part: SharedLayout, count: int) -> None:
    """Raises `NoPairError` unless the boxes of the tensor map, for this number of CTAs, fill
    half a tile.
    """
    halves = boxes_of(part_in_cta(part)[0])
    before = boxes_of(whole).divided(count)
    now = halves if count == PAIR else halves.divided(count // PAIR)
    if before is None or now is None or before.box != now.box:
        raise NoPairError("the boxes of B do not fit half of B")


def _type_in_stages(pipeline: PipelineOp, index: int, pairing: Pairing) -> Attribute:
    """The type of a divided tile of a stage."""
    found = {
        pairing.types[tile]
        for use in _reads_of(pipeline, pairing.mmas)
        if (tile := use.values[index]) in pairing.types
    }
    if len(found) != 1:
        raise NoPairError("a tile would need two different divisions")
    (type,) = found
    return type


def _reads_of(pipeline: PipelineOp, mmas: Sequence[MMAOp]) -> Iterator[nv_tileas.ConsumerReadOp]:
    for mma in mmas:
        operand = mma.b
        while isinstance(operand.owner, RENAMINGS):
            operand = operand.owner.operands[0]
        read = operand.owner
        if isinstance(read, nv_tileas.ConsumerReadOp) and pipeline_of(read.token) is pipeline:
            yield read


def _plan_iterators(pairing: Pairing) -> None:
    """Plans the types of iterators over stages with divided tiles."""
    for pipeline in pairing.pipelines:
        payload = payload_of(pipeline)
        changed = [
            type
            if pairing.roles[pipeline, index] == A
            else _type_in_stages(pipeline, index, pairing)
            for index, type in enumerate(payload)
        ]
        type = nv_tileas.PipelineIteratorType(changed)
        for iterator in _iterators_of(pipeline):
            _give_type(iterator, type, pairing)
        pairing.bytes[pipeline] = _bytes(pipeline, payload), _bytes(pipeline, changed)


def _iterators_of(pipeline: PipelineOp) -> set[SSAValue]:
    """The iterators of a pipeline, including forwarded and advanced ones."""
    uses = [use.operation for token in pipeline.results for use in token.uses]
    found = {op.result for op in uses if isinstance(op, nv_tileas.CreateIteratorOp)}
    values: set[SSAValue] = set(found)
    waiting: list[SSAValue] = list(found)
    while waiting:
        for following in _following(waiting.pop()):
            if following not in values:
                values.add(following)
                waiting.append(following)
    return values


def _following(iterator: SSAValue) -> Iterator[SSAValue]:
    """The values to which an iterator is forwarded, and the advanced iterator."""
    for use in iterator.uses:
        op = use.operation
        if isinstance(op, nv_tileas.IncIterOp):
            yield op.result
        for around in (op, op.parent_op()):
            if around is not None:
                pairs = forwarded_values(around)
                yield from (target for source, target in pairs if source is iterator)


def _bytes(pipeline: PipelineOp, payload: Sequence[Attribute]) -> int:
    return sum(size_in_bytes(stage_layout(pipeline, type)) for type in payload)


def stages_of(pairing: Pairing, most: int) -> Mapping[PipelineOp, int]:
    """The number of stages of each pipeline. If a separate agent issues the loads, the freed memory
    is used for more stages.
    """
    stages: dict[PipelineOp, int] = {}
    for pipeline, (before, now) in pairing.bytes.items():
        count = pipeline.num_stages.value.data
        # One agent issues its loads a number of iterations ahead that the schedule has fixed.
        ahead = _is_filled_by_agent(pipeline) and all(map(_is_alone, pipeline.buffer_views))
        stages[pipeline] = max(count, min(most, count * before // now)) if ahead else count
    return stages


def _is_filled_by_agent(pipeline: PipelineOp) -> bool:
    producers = (use.operation for use in pipeline.producer.uses)
    fills = [op for op in producers if isinstance(op, ProduceOp)]
    return bool(fills) and all(agent_region(op) is not None for op in fills)


def _is_alone(view: SSAValue) -> bool:
    return isinstance(view.owner, AllocationOpInterface) and view.has_one_use()
