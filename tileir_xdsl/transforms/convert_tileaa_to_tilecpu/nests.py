"""Converts the ops of a group to the body of a nest, which computes one element of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, TensorType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.iteration_space.affine_maps import affine_map
from tileir_xdsl.analysis.iteration_space.index_maps import (
    Index,
    IndexMap,
    Shape,
    compose,
    identity,
)
from tileir_xdsl.analysis.iteration_space.tile_ops import Kind, kind_of, moved_from, space_of
from tileir_xdsl.analysis.values.uniform_constants import is_splat
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.tilecpu.decisions import GROUP, group_of
from tileir_xdsl.rewriting import look_up


@dataclass
class TileValues:
    """The values that replace the input's: scalars for scalars, buffers for tiles."""

    scalars: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    buffers: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def scalar(self, value: SSAValue) -> SSAValue:
        return self.scalars[value]


def in_nest(shape: Shape) -> IndexMap:
    """A map from a nest's indices to a tile's; the nest has only dimensions of extent above 1."""
    extents = tuple(extent for extent in shape if extent > 1)
    whole = iter(identity(extents).results)
    return IndexMap(extents, tuple(next(whole) if extent > 1 else Index() for extent in shape))


class NestBody:
    """Builds the body of the nest of one group."""

    def __init__(self, nest: tilecpu.NestOp, group: int, values: TileValues):
        self._nest, self._group, self._values = nest, group, values
        self._elements: dict[tuple[SSAValue, tuple[Index, ...]], SSAValue] = {}

    def add(self, op: Operation, source: Operation) -> SSAValue | None:
        """Appends an op with the location of `source`; returns its result, if it has one."""
        op.location = source.location
        self._nest.body.block.add_op(op)
        return op.results[0] if op.results else None

    def write(self, op: Operation, outputs: Mapping[SSAValue, SSAValue]) -> None:
        """Computes one element of an op of the group, and stores it to the buffers in `outputs`."""
        at = in_nest(space_of(op))
        emit = look_up(_EMITTERS, op)
        if emit is not None:
            element = emit(self, op, at, outputs)
        elif kind_of(op) is Kind.MOVES:
            element = self._moved(op, at)
        else:
            element = self._computed(op, at)
        if element is None:
            return
        self._elements[op.results[0], at.results] = element
        buffer = outputs.get(op.results[0])
        if buffer is not None:
            self.add(tilecpu.WriteOp(element, buffer, affine_map(at)), op)

    def element(self, value: SSAValue, at: IndexMap) -> SSAValue:
        """The element of a tile at mapped nest indices; a scalar is its own element."""
        if not isinstance(value.type, TensorType):
            return self._values.scalar(value)
        key = (value, at.results)
        found = self._elements.get(key)
        if found is None:
            found = self._elements[key] = self._new_element(value, at)
        return found

    def elements(self, values: Sequence[SSAValue], at: IndexMap) -> list[SSAValue]:
        return [self.element(value, at) for value in values]

    def optional(self, value: SSAValue | None, at: IndexMap) -> SSAValue | None:
        return None if value is None else self.element(value, at)

    def _new_element(self, value: SSAValue, at: IndexMap) -> SSAValue:
        buffer = self._values.buffers.get(value)
        op = value.owner
        if buffer is not None:
            read = tilecpu.ReadOp(buffer, affine_map(at))
            self.add(read, op if isinstance(op, Operation) else self._nest)
            return read.element
        assert isinstance(op, Operation)
        emit = look_up(_EMITTERS, op)
        if emit is not None:
            element = emit(self, op, at, {})
            assert element is not None
            return element
        return self._moved(op, at) if kind_of(op) is Kind.MOVES else self._computed(op, at)

    def _moved(self, op: Operation, at: IndexMap) -> SSAValue:
        """The element of an op that only moves elements."""
        match op:
            case nv_tileaa.SplatOp():
                return self._values.scalar(op.value)
            case nv_tileaa.MakeRangeOp():
                element = tile_shape(op.result.type).element
                index = tilecpu.IndexOp(affine_map(at), element)
                self.add(index, op)
                total = arith.AddiOp(self._values.scalar(op.start), index.result)
                self.add(total, op)
                return total.result
            case nv_tileaa.GenerateOp():
                return self._generated(op, at)
            case ub.PoisonOp():
                poison = ub.PoisonOp(tile_shape(op.result.type).element)
                self.add(poison, op)
                return poison.result
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr()):
                constant = arith.ConstantOp(splat_of(op))
                self.add(constant, op)
                return constant.result
            case _:
                moved = moved_from(op)
                assert moved is not None
                source, index_map = moved
                return self.element(source, compose(index_map, at))

    def _generated(self, op: nv_tileaa.GenerateOp, at: IndexMap) -> SSAValue:
        """The element that a `generate` body computes from its indices."""
        block = op.body.block
        inside: dict[SSAValue, SSAValue] = {}
        for argument, index in zip(block.args, at.results, strict=True):
            own = tilecpu.IndexOp(affine_map(IndexMap(at.extents, (index,))), argument.type)
            self.add(own, op)
            inside[argument] = own.result
        end = block.last_op
        assert end is not None
        for inner in block.ops:
            if inner is end:
                break
            copy = inner.clone(clone_operands=False)
            copy.operands = [
                inside.get(value) or self._values.scalar(value) for value in inner.operands
            ]
            self.add(copy, inner)
            inside |= dict(zip(inner.results, copy.results, strict=True))
        (result,) = end.operands
        return inside.get(result) or self._values.scalar(result)

    def _computed(self, op: Operation, at: IndexMap) -> SSAValue:
        """The scalar form of an elementwise op."""
        attributes = {name: value for name, value in op.attributes.items() if name != GROUP}
        copy = type(op).create(
            operands=self.elements(op.operands, at),
            result_types=[tile_shape(result.type).element for result in op.results],
            properties=op.properties,
            attributes=attributes,
        )
        element = self.add(copy, op)
        assert element is not None
        return element


def splat_of(op: arith.ConstantOp) -> IntegerAttr | FloatAttr:
    """The value of a splat constant. Raises `PassFailedException`."""
    value = op.value
    assert isinstance(value, DenseIntOrFPElementsAttr)
    if not is_splat(value):
        fail(op, "constants with different elements are not supported on a CPU")
    first = next(iter(value.get_attrs()))
    assert isinstance(first, IntegerAttr | FloatAttr)
    return first


Outputs = Mapping[SSAValue, SSAValue]


def _load(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> SSAValue:
    assert isinstance(op, nv_tileaa.TiledLoadOp)
    coords = body.elements(op.coords, at)
    load = tilecpu.LoadOp(
        body.element(op.view, at), coords, affine_map(at), op.padding_value, op.in_bounds
    )
    body.add(load, op)
    return load.element


def _store(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> None:
    assert isinstance(op, nv_tileaa.TiledStoreOp)
    coords = body.elements(op.coords, at)
    element = body.element(op.tile, at)
    view = body.element(op.view, at)
    body.add(tilecpu.StoreOp(element, view, coords, affine_map(at), op.in_bounds), op)


def _load_pointer(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> SSAValue:
    assert isinstance(op, nv_tileaa.LoadOp)
    pointer = body.element(op.pointers, at)
    mask, other = body.optional(op.mask, at), body.optional(op.other, at)
    load = tilecpu.LoadPointerOp(pointer, mask, other, op.mem_semantic)
    body.add(load, op)
    return load.element


def _store_pointer(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> None:
    assert isinstance(op, nv_tileaa.StoreOp)
    pointer, element = body.element(op.pointers, at), body.element(op.value, at)
    mask = body.optional(op.mask, at)
    body.add(tilecpu.StorePointerOp(element, pointer, mask, op.mem_semantic), op)


def _reduce(body: NestBody, op: Operation, at: IndexMap, outputs: Outputs) -> None:
    assert isinstance(op, nv_tileaa.ReduceOp)
    shape, axis = space_of(op), op.axis.value.data
    inputs = body.elements(op.inputs, at)
    buffers = [outputs[result] for result in op.outputs]
    if shape[axis] == 1:
        # One element is its own combination.
        kept = IndexMap(at.extents, at.results[:axis] + at.results[axis + 1 :])
        for element, buffer in zip(inputs, buffers, strict=True):
            body.add(tilecpu.WriteOp(element, buffer, affine_map(kept)), op)
        return
    dimension = sum(extent > 1 for extent in shape[:axis])
    body.add(tilecpu.ReduceOp(inputs, buffers, dimension, op.body.clone()), op)


def _atomic(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> SSAValue:
    assert isinstance(op, nv_tileaa.AtomicRMWOp)
    pointer, value = body.element(op.pointers, at), body.element(op.value, at)
    mask = body.optional(op.mask, at)
    atomic = tilecpu.AtomicRMWOp(pointer, value, mask, op.rmw_mode, op.mem_semantic)
    body.add(atomic, op)
    return atomic.old


def _exchange(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> SSAValue:
    assert isinstance(op, nv_tileaa.AtomicCASOp)
    operands = body.elements((op.pointers, op.compare, op.replacement), at)
    pointer, compare, replacement = operands
    mask = body.optional(op.mask, at)
    atomic = tilecpu.AtomicCASOp(pointer, compare, replacement, mask, op.mem_semantic)
    body.add(atomic, op)
    return atomic.old


def _assert(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> None:
    assert isinstance(op, nv_tileaa.AssertOp)
    body.add(nv_tileaa.AssertOp(body.element(op.condition, at), op.message.data), op)


def _update(body: NestBody, op: Operation, at: IndexMap, _outputs: Outputs) -> None:
    assert isinstance(op, nv_tileaa.TiledAtomicRMWOp)
    value, view = body.element(op.value, at), body.element(op.view, at)
    coords, mode = body.elements(op.coords, at), op.rmw_mode
    update = tilecpu.AtomicUpdateOp(
        value, view, coords, affine_map(at), mode, op.mem_semantic, op.in_bounds
    )
    body.add(update, op)


_Emit = Callable[[NestBody, Operation, IndexMap, Outputs], SSAValue | None]

_EMITTERS: dict[type[Operation], _Emit] = {
    nv_tileaa.AssertOp: _assert,
    nv_tileaa.AtomicCASOp: _exchange,
    nv_tileaa.AtomicRMWOp: _atomic,
    nv_tileaa.LoadOp: _load_pointer,
    nv_tileaa.ReduceOp: _reduce,
    nv_tileaa.StoreOp: _store_pointer,
    nv_tileaa.TiledAtomicRMWOp: _update,
    nv_tileaa.TiledLoadOp: _load,
    nv_tileaa.TiledStoreOp: _store,
}
"""The ops whose scalar form is not the same op on elements."""


def needs_buffer(value: SSAValue, group: int, block: object) -> bool:
    """Whether anything other than the group's nest uses a tile of the group."""
    for use in value.uses:
        user = use.operation
        if user.parent is not block:
            return True
        taken_by = group_of(user)
        if taken_by is None and kind_of(user) in (Kind.MOVES, Kind.COMPUTES):
            if any(needs_buffer(result, group, block) for result in user.results):
                return True
        elif taken_by != group:
            return True
    return False
