"""Which allocation a buffer is part of, and where in it the buffer starts.

    %s = tile.select %c, %a, %b         // %a and %b are views of %m: so is %s
    scf.for .. iter_args(%x = %s) {     // and %x, if all that is yielded for it is

Buffers are traced through views, copies into buffers, choices and control flow. Traces end at the
`alloc_tensor`, copy or conversion that made the memory, or at the read of a stage. In a choice, a
loop or a branch several values join, and may have different offsets in one allocation. The joined
value then represents its own, unknown offset. Source: the TileAS layout and buffer notes,
"Canonical-Allocation Tracer".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.analysis.regions.region_flow import forwarded_values
from tileir_xdsl.dialects.nv_tileas.accesses import CopyOp
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerReadOp
from tileir_xdsl.dialects.nv_tileas.conversions import ConvertLayoutOp, ViewOp
from tileir_xdsl.dialects.nv_tileas.padding import PadOp
from tileir_xdsl.dialects.nv_tileas.slices import AllocTensorOp
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.walking import ops_in

BUFFER_MEMORIES = (Memory.SHARED, Memory.TENSOR)


ALLOCATIONS = (AllocTensorOp, ConsumerReadOp, CopyOp)
"""Ops whose result names memory that no earlier value names; a stage is named when it is read."""


def is_buffer(type: Attribute) -> bool:
    """Whether values of a type name shared or tensor memory."""
    return memory_of(type) in BUFFER_MEMORIES


def is_in_tensor_memory(type: Attribute) -> bool:
    """Whether values of a type are tiles in tensor memory."""
    return isinstance(type, TensorType) and memory_of(type) is Memory.TENSOR


@dataclass(frozen=True)
class Offset:
    """`constant` plus the sum of each value times its factor, in elements.

    A value has type `index`, or is a buffer that represents its own offset.
    """

    constant: int = 0
    terms: tuple[tuple[SSAValue, int], ...] = ()

    def plus(self, constant: int = 0, *terms: tuple[SSAValue, int]) -> Offset:
        """This offset plus a constant and further terms."""
        return Offset(self.constant + constant, (*self.terms, *terms))

    def is_visible(self, op: Operation) -> bool:
        """Whether all values in the offset are defined outside of the regions of `op`."""
        return not any(_is_inside(value, op) for value, _ in self.terms)


def _is_inside(value: SSAValue, op: Operation) -> bool:
    owner = value.owner
    if isinstance(owner, Operation):
        return owner is not op and op.is_ancestor(owner)
    return op.is_ancestor(owner)


@dataclass(frozen=True)
class Origin:
    """The value of the allocation that a buffer is part of, and where in it the buffer starts."""

    allocation: SSAValue
    offset: Offset = Offset()

    def at(self, value: SSAValue) -> Origin:
        """The origin in the same allocation, at the offset that a value represents."""
        return Origin(self.allocation, Offset(0, ((value, 1),)))


@dataclass(frozen=True)
class BufferOrigins:
    """The origins of the buffers of one function."""

    origins: dict[SSAValue, Origin | None]

    def of(self, buffer: SSAValue) -> Origin | None:
        """The origin of a buffer; None where it leads to more than one allocation, or to none."""
        return self.origins.get(buffer)

    def add(self, buffer: SSAValue, origin: Origin | None) -> None:
        """Records the origin of a new buffer."""
        self.origins.setdefault(buffer, origin)

    def rename(self, old: SSAValue, new: SSAValue) -> None:
        """Records that the value `new` names the memory of `old` from here on."""
        for buffer, origin in self.origins.items():
            if origin is not None and origin.allocation is old:
                self.origins[buffer] = Origin(new, origin.offset)
        self.origins[new] = Origin(new)

    def is_meeting(self, buffer: SSAValue) -> bool:
        """Whether buffers at different offsets of one allocation meet in this value."""
        origin = self.of(buffer)
        return origin is not None and origin == origin.at(buffer)


def trace_buffers(function: Operation) -> BufferOrigins:
    """Traces every buffer of a function.

    Carried values are assumed to be their initial values. When another value is yielded, all
    conclusions from the assumption are computed again. The origin of a value changes at most twice,
    so the iteration ends.
    """
    incoming: dict[SSAValue, list[SSAValue]] = {}
    for op in ops_in(function):
        for source, target in forwarded_buffers(op):
            incoming.setdefault(target, []).append(source)
    tracer = _Tracer(incoming, list(_buffers(function)))
    while tracer.trace_once():
        pass
    return BufferOrigins(tracer.origins)


def forwarded_buffers(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The buffers that an op forwards: to its results, or as arguments of its regions."""
    pairs: Iterator[tuple[SSAValue, SSAValue]]
    match op:
        case SelectOp():
            pairs = iter(((op.true_value, op.result), (op.false_value, op.result)))
        case arith.SelectOp():
            pairs = iter(((op.lhs, op.result), (op.rhs, op.result)))
        case scf.ForOp():
            pairs = _forwarded_by_loop(op)
        case _:
            pairs = forwarded_values(op)
    return ((source, target) for source, target in pairs if is_buffer(target.type))


def _forwarded_by_loop(op: scf.ForOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The buffers that a loop forwards; its results may be its initial values."""
    last = op.body.block.last_op
    yielded = () if last is None else last.operands
    for values in zip(op.iter_args, yielded, op.body.block.args[1:], op.results, strict=True):
        first, following, argument, result = values
        yield from ((first, argument), (following, argument), (first, result), (following, result))


def _buffers(op: Operation) -> Iterator[SSAValue]:
    """The buffers in an op in the order of the program: arguments, nested ops, results."""
    for region in op.regions:
        for block in region.blocks:
            yield from (argument for argument in block.args if is_buffer(argument.type))
            for inner in block.ops:
                yield from _buffers(inner)
    yield from (result for result in op.results if is_buffer(result.type))


@dataclass
class _Tracer:
    """The facts known so far; a buffer that is missing in `origins` has not been reached yet."""

    incoming: dict[SSAValue, list[SSAValue]]
    buffers: list[SSAValue]
    origins: dict[SSAValue, Origin | None] = field(default_factory=dict[SSAValue, Origin | None])
    meetings: set[SSAValue] = field(default_factory=set[SSAValue])

    def trace_once(self) -> bool:
        """Traces every buffer by the origins known so far; returns whether one has changed."""
        changed = False
        for buffer in self.buffers:
            sources = self.incoming.get(buffer) or _sources(buffer)
            known = [self.origins[source] for source in sources if source in self.origins]
            if sources and not known:
                continue
            origin = self._origin(buffer, known)
            if buffer not in self.origins or self.origins[buffer] != origin:
                self.origins[buffer] = origin
                changed = True
        return changed

    def _origin(self, buffer: SSAValue, known: list[Origin | None]) -> Origin | None:
        if not known:
            return Origin(buffer) if _is_named_here(buffer) else None
        first, *others = known
        if first is None or any(o is None or o.allocation is not first.allocation for o in others):
            return None
        if buffer not in self.incoming:
            return _moved(buffer, first)
        # Named in a region that this value is outside of: from here on it is the name.
        if not _is_visible(first.allocation, buffer):
            return Origin(buffer)
        if (
            buffer in self.meetings
            or any(o != first for o in others)
            or not _reaches(first, buffer)
        ):
            self.meetings.add(buffer)
            return first.at(buffer)
        return first


def _is_named_here(buffer: SSAValue) -> bool:
    """Whether an op makes the memory of a buffer, or is the first to name it."""
    op = buffer.owner
    # From registers: nothing else has the memory. A converted buffer may be an existing one.
    if isinstance(op, ConvertLayoutOp):
        return not is_buffer(op.source.type)
    return isinstance(op, ALLOCATIONS)


def _is_visible(value: SSAValue, other: SSAValue) -> bool:
    """Whether a value dominates the definition of another one."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    around = other.owner if isinstance(other.owner, Block) else other.owner.parent
    while around is not None and around is not block:
        around = around.parent_block()
    return around is not None


def _sources(buffer: SSAValue) -> list[SSAValue]:
    """The source or destination buffer of the op that defines a buffer."""
    match buffer.owner:
        case ViewOp() as op if is_buffer(op.source.type) and _is_countable(op):
            return [op.source]
        case PadOp() as op if is_buffer(op.tile.type):
            return [op.tile]
        case CopyOp(destination=SSAValue() as destination):
            return [destination]
        case _:
            return []


def _is_countable(op: ViewOp) -> bool:
    """Whether the number of elements that each index of a view steps over is known."""
    if not op.indices:
        return True
    source = op.source.type
    return (
        isinstance(source, TensorType)
        and DYNAMIC_INDEX not in source.get_shape()
        and all(isinstance(index.type, IndexType) for index in op.indices)
    )


def _moved(buffer: SSAValue, source: Origin) -> Origin:
    """The origin of a view of a buffer, or of a buffer that has been filled."""
    op = buffer.owner
    if not isinstance(op, ViewOp):
        return source
    offset = source.offset
    if op.offset is not None:
        offset = offset.plus(op.offset.value.data)
    if op.dynamic_offset is not None:
        offset = offset.plus(0, (op.dynamic_offset, 1))
    if op.indices:
        assert isinstance(op.source.type, TensorType)
        shape = op.source.type.get_shape()
        terms = [(index, prod(shape[i + 1 :])) for i, index in enumerate(op.indices)]
        offset = offset.plus(0, *terms)
    return Origin(source.allocation, offset)


def _reaches(origin: Origin, buffer: SSAValue) -> bool:
    """Whether the values of an offset are visible at a forwarded buffer."""
    op = buffer.owner.parent_op() if isinstance(buffer.owner, Block) else buffer.owner
    return op is None or origin.offset.is_visible(op)
