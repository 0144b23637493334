"""Builds the offset of a buffer as an `index` value, and a view at that offset."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from xdsl.builder import Builder
from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileir_xdsl.analysis.access.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.buffers.origin import BufferOrigins, Offset, Origin
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.builders.tiles import allocate
from tileir_xdsl.dialects.nv_tileaa.attributes import DEFAULT_WARPS
from tileir_xdsl.dialects.nv_tileaa.interfaces import AgentLikeOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.accesses import CopyOp
from tileir_xdsl.dialects.nv_tileas.atoms import AtomAttr
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr
from tileir_xdsl.dialects.nv_tileas.conversions import ViewOp
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.targets.atoms import Memory


@dataclass
class Locations:
    """The origins of all buffers, and the offsets that are SSA values.

    `offsets` maps each buffer that can be one of several parts to the `index` value that replaces
    it.
    """

    origins: BufferOrigins
    offsets: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def offset(self, builder: Builder, offset: Offset) -> SSAValue:
        """An offset as an SSA value."""
        total: SSAValue | None = None
        for value, factor in offset.terms:
            term = local_value(builder, self.offsets.get(value, value))
            if factor != 1:
                term = arithmetic.multiply(builder, term, arithmetic.constant(builder, factor))
            total = term if total is None else arithmetic.add(builder, total, term)
        if total is None:
            return arithmetic.constant(builder, offset.constant)
        if offset.constant:
            total = arithmetic.add(builder, total, arithmetic.constant(builder, offset.constant))
        return total

    def offset_of(self, builder: Builder, buffer: SSAValue) -> SSAValue:
        """The offset of a traced buffer as an SSA value."""
        origin = self.origins.of(buffer)
        assert origin is not None
        return self.offset(builder, origin.offset)

    def buffer(self, builder: Builder, type: Attribute, origin: Origin) -> SSAValue:
        """The part of an allocation that a type names: the allocation itself, or a view of it."""
        storage, offset = local_value(builder, origin.allocation), origin.offset
        # The allocation serves itself where type and place are the same.
        if storage.type == type and offset == Offset():
            return storage
        if offset.terms:
            return builder.insert(ViewOp(storage, type, offset=self.offset(builder, offset))).result
        # A view without an offset has to have as many elements as its source.
        constant = offset.constant or (None if _is_whole(type, storage.type) else 0)
        return builder.insert(ViewOp(storage, type, offset=constant)).result

    def copied_buffer(
        self, builder: Builder, type: TensorType[Attribute], origin: Origin
    ) -> SSAValue:
        """A new buffer with a copy of a part of an allocation, copied through registers."""
        tile = _in_registers(type)
        source = self.buffer(builder, _as_stored(type, origin.allocation.type), origin)
        load, store = _atoms(type)
        copy = CopyOp(operands=[source, None], properties={"atom": load}, result_types=[tile])
        loaded = builder.insert(copy).result
        storage = allocate(builder, type)
        properties = {"atom": store}
        copy = CopyOp(operands=[loaded, storage], properties=properties, result_types=[type])
        return builder.insert(copy).result


def local_value(builder: Builder, value: SSAValue) -> SSAValue:
    """The SSA value that stands for a value at the builder's position: inside of isolated agents,
    an argument.
    """
    path: list[Region] = []
    block = builder.insertion_point.block
    defined_in = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not defined_in:
        region, op = block.parent, block.parent_op()
        if region is None or op is None or op.parent is None:
            break
        # Isolated agents know a value only by their own argument for it.
        if isinstance(op, AgentLikeOpInterface) and op.is_isolated:
            path.append(region)
        block = op.parent
    # From the outermost in, since inner agents are handed what outer ones were.
    for region in reversed(path):
        value = _argument_for(region, value)
    return value


def _argument_for(agent: Region, value: SSAValue) -> SSAValue:
    """The argument of an agent for a value from outside, added if necessary."""
    op = agent.parent
    assert isinstance(op, AgentLikeOpInterface)
    for index, given in enumerate(op.inputs):
        if given is value:
            return agent.block.args[index]
    op.operands = [*op.operands, value]
    for body in op.agent_bodies:
        body.block.insert_arg(value.type, len(body.block.args)).name_hint = value.name_hint
    return agent.block.args[-1]


def _is_whole(type: Attribute, storage: Attribute) -> bool:
    """Whether a buffer has as many elements as its allocation."""
    return prod(tile_shape(type).shape) == prod(tile_shape(storage).shape)


def _in_registers(type: TensorType[Attribute]) -> TensorType[Attribute]:
    """The type of a buffer's contents in registers, spread over all threads."""
    layout = register_layout(blocked(type.get_shape(), 1, DEFAULT_WARPS))
    return TensorType(type.element_type, type.get_shape(), layout)


def _as_stored(type: TensorType[Attribute], storage: Attribute) -> Attribute:
    """The type of a part of an allocation, without a layout."""
    assert isinstance(type.encoding, MemoryAttr)
    if isinstance(storage, TensorType) and storage.get_shape() == type.get_shape():
        return storage
    encoding = MemoryAttr.new([type.encoding.residency, NoneAttr()])
    return TensorType(type.element_type, type.get_shape(), encoding)


def _atoms(type: TensorType[Attribute]) -> tuple[AtomAttr | None, AtomAttr | None]:
    """The plain atoms that load and store single elements of a buffer, if there are any."""
    assert isinstance(type.encoding, MemoryAttr)
    # The loads and stores of tensor memory follow from layouts, in `tileas-legalize-tmem-copy`.
    if type.encoding.residency.data.memory is not Memory.SHARED:
        return None, None
    size = element_bytes(type.element_type)
    return AtomAttr(LOAD_ATOMS[Memory.SHARED][size]), AtomAttr(STORE_ATOMS[Memory.SHARED][size])
