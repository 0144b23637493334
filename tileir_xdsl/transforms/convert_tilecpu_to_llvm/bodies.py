"""The body of a nest for a vector of elements along the last dimension."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, llvm, ub
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.iteration_space.affine_maps import index_map
from tileir_xdsl.analysis.iteration_space.index_maps import (
    Index,
    Term,
    linearize,
    strides_of,
)
from tileir_xdsl.builders.llvm_code import lanes_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import padding_of
from tileir_xdsl.dialects.tilecpu.types import ALIGNMENT, BufferType, element_bytes
from tileir_xdsl.rewriting import look_up

from .atomics import emit_atomic, emit_update
from .elementwise import ELEMENTWISE, llvm_element, resize_integer
from .kernel import Kernel
from .memory import (
    gather,
    lane_offsets,
    load_elements,
    scatter,
    store_elements,
    stored_element,
)
from .pointer_accesses import emit_load, emit_store
from .windows import ViewAccess, Window

PADDING_VALUES: Mapping[PaddingValue | float | None, float] = {
    None: 0.0,
    PaddingValue.ZERO: 0.0,
    PaddingValue.NEG_ZERO: -0.0,
    PaddingValue.NAN: float("nan"),
    PaddingValue.POS_INF: float("inf"),
    PaddingValue.NEG_INF: float("-inf"),
}
"""The values of elements outside of an array, by padding mode."""

WindowKey = tuple[SSAValue, tuple[SSAValue, ...]]


@dataclass(frozen=True)
class Position:
    """The index of each lane's element: `first + lane * step`, or a vector of indices."""

    first: SSAValue
    step: int | None
    """None if `first` is a vector."""


@dataclass
class Version:
    """One of two versions of a nest, which differ in how they access elements."""

    kernel: Kernel
    nest: tilecpu.NestOp
    windows: Mapping[WindowKey, Window]
    is_whole: bool
    """Whether tiles lie inside of their arrays, and neighbours are contiguous in memory."""

    def body(self, indices: Sequence[SSAValue], lanes: int | None) -> "Body":
        """Emits the ops of the nest except reductions, for `lanes` elements from the indices on."""
        body = Body(self, indices, lanes)
        for op in self.nest.body.block.ops:
            if not isinstance(op, tilecpu.ReduceOp):
                body.emit(op)
        return body


@dataclass
class Body:
    """The code for a vector of elements."""

    version: Version
    indices: Sequence[SSAValue]
    """The indices of the first lane."""
    lanes: int | None
    """The number of lanes; None for a single element."""
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    @property
    def kernel(self) -> Kernel:
        return self.version.kernel

    def value(self, value: SSAValue) -> SSAValue:
        """The emitted value: a vector, or a scalar that is the same in all lanes."""
        found = self.values.get(value)
        return self.kernel.values[value] if found is None else found

    def vector(self, value: SSAValue) -> SSAValue:
        """The emitted value as a vector; a scalar is repeated for every lane."""
        return self.kernel.code.splat(self.value(value), self.lanes)

    def emit(self, op: Operation) -> None:
        self.kernel.code.location = op.location
        emitter = look_up(_EMITTERS, op)
        if emitter is not None:
            emitter(self, op)
            return
        emit = look_up(ELEMENTWISE, op)
        if emit is None:
            fail(op, f"'{op.name}' op is not supported on a CPU")
        operands = [self.value(value) for value in op.operands]
        if any(lanes_of(value.type) is not None for value in operands):
            operands = [self.kernel.code.splat(value, self.lanes) for value in operands]
        self.values[op.results[0]] = emit(self.kernel.code, op, *operands)

    # Indices.

    def position(self, index: Index) -> Position:
        """Emits the computation of an index."""
        code = self.kernel.code
        last = len(self.indices) - 1
        moving = index.along(last) if self.lanes is not None else ()
        steps = [self._lane_step(term) for term in moving]
        if all(step is not None for step in steps):
            total = self._sum(index, self.indices)
            return Position(total, sum(step for step in steps if step is not None))
        assert self.lanes is not None
        vectors = [code.splat(each, self.lanes) for each in self.indices]
        vectors[last] = lane_offsets(code, self.indices[last], 1, self.lanes)
        return Position(self._sum(index, vectors), None)

    def _lane_step(self, term: Term) -> int | None:
        """The difference of a term from lane to lane; None if it varies."""
        assert self.lanes is not None
        if term.divisor % self.lanes == 0:
            return 0
        evenly = term.divisor == 1 and term.modulus % self.lanes == 0
        return term.factor if evenly else None

    def _sum(self, index: Index, indices: Sequence[SSAValue]) -> SSAValue:
        code = self.kernel.code
        kind = indices[0].type if indices else i64
        total: SSAValue | None = None
        extents = self.version.nest.get_extents()
        for term in index.terms:
            part = indices[term.dim]
            if term.divisor != 1:
                part = code.add(llvm.UDivOp(part, code.constant(term.divisor, kind)))
            if term.divisor * term.modulus < extents[term.dim]:
                part = code.add(llvm.URemOp(part, code.constant(term.modulus, kind)))
            if term.factor != 1:
                part = code.times(part, code.constant(term.factor, kind))
            total = part if total is None else code.plus(total, part)
        if total is None:
            return code.constant(index.constant, kind)
        return code.plus(total, code.constant(index.constant, kind)) if index.constant else total

    def as_vector(self, position: Position) -> SSAValue:
        """The index as a vector with an element per lane; a scalar if all lanes have the same."""
        if position.step is None or position.step == 0 or self.lanes is None:
            return position.first
        return lane_offsets(self.kernel.code, position.first, position.step, self.lanes)

    # Buffers.

    def buffer_position(self, op: tilecpu.ReadOp | tilecpu.WriteOp) -> tuple[Position, BufferType]:
        """The position of an access in its buffer, in elements."""
        buffer = op.buffer.type
        assert isinstance(buffer, BufferType)
        at = index_map(op.index.data, self.version.nest.get_extents())
        return self.position(linearize(at, strides_of(buffer.get_shape()))), buffer

    def alignment(self, buffer: BufferType) -> int:
        """The alignment in bytes of a vector of neighbours in a buffer, whose rows are whole
        vectors.
        """
        size = element_bytes(buffer.element_type)
        return min(ALIGNMENT, size * (self.lanes or 1))

    def element_pointer(self, base: SSAValue, first: SSAValue, size: int) -> SSAValue:
        code = self.kernel.code
        return code.offset(base, code.times(first, code.integer(size)))

    def addresses(self, base: SSAValue, offsets: SSAValue, size: int) -> SSAValue:
        """A vector of addresses: `base` plus offsets in elements of `size` bytes."""
        code = self.kernel.code
        start = code.splat(self.kernel.address(base), lanes_of(offsets.type))
        return code.plus(start, code.times(offsets, code.constant(size, offsets.type)))


def _read(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.ReadOp)
    code = body.kernel.code
    position, buffer = body.buffer_position(op)
    element, size = buffer.element_type, element_bytes(buffer.element_type)
    base = body.kernel.buffer(op.buffer)
    if position.step in (0, 1):
        lanes = body.lanes if position.step == 1 else None
        pointer = body.element_pointer(base, position.first, size)
        alignment = size if lanes is None else body.alignment(buffer)
        value = load_elements(code, pointer, element, lanes, alignment)
    else:
        addresses = body.addresses(base, body.as_vector(position), size)
        value = gather(code, addresses, element, None, None)
    body.values[op.element] = value


def _write(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.WriteOp)
    code = body.kernel.code
    position, buffer = body.buffer_position(op)
    element, size = buffer.element_type, element_bytes(buffer.element_type)
    base = body.kernel.buffer(op.buffer)
    if position.step in (0, 1):
        # Where all lanes have one index they have one value, too.
        value = body.vector(op.element) if position.step == 1 else body.value(op.element)
        pointer = body.element_pointer(base, position.first, size)
        alignment = size if position.step == 0 else body.alignment(buffer)
        store_elements(code, value, pointer, element, alignment)
    else:
        addresses = body.addresses(base, body.as_vector(position), size)
        scatter(code, body.vector(op.element), addresses, element, None)


def _index(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.IndexOp)
    at = index_map(op.index.data, body.version.nest.get_extents())
    number = body.as_vector(body.position(at.results[0]))
    element = llvm_element(op.result.type)
    assert element is not None
    body.values[op.result] = resize_integer(body.kernel.code, number, element, signed=False)


@dataclass(frozen=True)
class _Access:
    """The addresses in an array that the lanes of an access use."""

    pointer: SSAValue
    """The address of the first lane's element."""
    step: SSAValue | int | None
    """The distance from lane to lane in elements; None if `offsets` has one for each lane."""
    offsets: SSAValue | None
    mask: SSAValue | None
    """The lanes whose elements are inside of the array; None if all are."""


def _access(body: Body, op: ViewAccess) -> _Access:
    code, version = body.kernel.code, body.version
    window = version.windows[op.view, tuple(op.coords)]
    at = index_map(op.index.data, version.nest.get_extents())
    positions = [body.position(index) for index in at.results]
    mask: SSAValue | None = None
    offset = code.integer(0)
    step: SSAValue | int | None = 0
    vectors: list[SSAValue] = []
    promised = promised_dims(op)
    for dim, position in enumerate(positions):
        stride = window.stride(dim)
        if version.is_whole and body.lanes is not None and position.step == 1:
            # In the version for whole tiles this was tested before the nest.
            stride = stride if isinstance(stride, int) else 1
        is_static_zero = isinstance(position.step, int) and not at.results[dim].terms
        if not version.is_whole and not promised[dim] and not is_static_zero:
            mask = code.both(mask, _inside(body, position, window.limits[dim]))
        elif not version.is_whole and not promised[dim]:
            positive = code.compare("ne", window.limits[dim], code.integer(0))
            mask = code.both(mask, code.splat(positive, body.lanes))
        if position.step is None:
            kind = position.first.type
            factor = code.splat(body.kernel.number(stride), lanes_of(kind))
            vectors.append(code.times(position.first, factor))
            step = None
            continue
        offset = code.plus(offset, code.times(position.first, body.kernel.number(stride)))
        if position.step == 0 or step is None:
            if position.step:
                lanes = body.lanes
                assert lanes is not None
                scaled = code.times(code.integer(position.step), body.kernel.number(stride))
                vectors.append(lane_offsets(code, code.integer(0), scaled, lanes))
            continue
        here: SSAValue | int
        if isinstance(stride, int):
            here = position.step * stride
        else:
            here = code.times(code.integer(position.step), stride)
        # No two dimensions of a tile grow along one of the nest, but for reshapes.
        step = here if step == 0 else code.plus(body.kernel.number(step), body.kernel.number(here))
    size = element_bytes(window.view.memory.element)
    pointer = body.element_pointer(window.pointer, offset, size)
    if step is None:
        assert body.lanes is not None
        total = vectors[0]
        for vector in vectors[1:]:
            total = code.plus(total, vector)
        return _Access(pointer, None, total, mask)
    return _Access(pointer, step, None, mask)


def _inside(body: Body, position: Position, limit: SSAValue) -> SSAValue:
    """A mask of the lanes whose index is below the limit of a dimension."""
    code = body.kernel.code
    index = body.as_vector(position)
    lanes = lanes_of(index.type)
    inside = code.compare("ult", index, code.splat(limit, lanes))
    return code.splat(inside, body.lanes)


def promised_dims(op: ViewAccess) -> list[bool]:
    """For each dimension, whether the program promises that the tile is inside of the array."""
    if op.in_bounds is None:
        return [False] * len(op.coords)
    return [bool(flag) for flag in op.in_bounds.get_values()]


def _lane_addresses(body: Body, access: _Access, size: int) -> SSAValue:
    code = body.kernel.code
    assert body.lanes is not None
    if access.offsets is not None:
        return body.addresses(access.pointer, access.offsets, size)
    step = body.kernel.number(access.step if access.step is not None else 0)
    in_bytes = code.times(step, code.integer(size))
    return lane_offsets(code, body.kernel.address(access.pointer), in_bytes, body.lanes)


def _load(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.LoadOp)
    code = body.kernel.code
    access = _access(body, op)
    element, size = op.element.type, element_bytes(op.element.type)
    padding = padding_of(op.padding_value)
    number = PADDING_VALUES.get(padding, padding)
    assert isinstance(number, int | float)
    other = code.constant(number, stored_element(element))
    is_plain = access.step == 0 and access.mask is None
    if body.lanes is None or is_plain:
        value = load_elements(code, access.pointer, element, None, size, access.mask, other)
    elif access.step == 1:
        value = load_elements(code, access.pointer, element, body.lanes, size, access.mask, other)
    else:
        addresses = _lane_addresses(body, access, size)
        value = gather(code, addresses, element, access.mask, other)
    body.values[op.element] = value


def _store(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.StoreOp)
    code = body.kernel.code
    access = _access(body, op)
    element, size = op.element.type, element_bytes(op.element.type)
    value = body.vector(op.element)
    if body.lanes is None or access.step == 1:
        store_elements(code, value, access.pointer, element, size, access.mask)
    else:
        scatter(code, value, _lane_addresses(body, access, size), element, access.mask)


def _load_pointer(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.LoadPointerOp)
    addresses, mask, other = _pointer_operands(body, op.pointer, op.mask, op.other)
    assert addresses is not None
    body.values[op.element] = emit_load(body.kernel, op, addresses, mask, other)


def _store_pointer(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.StorePointerOp)
    addresses, mask = (
        None if value is None else body.vector(value) for value in (op.pointer, op.mask)
    )
    assert addresses is not None
    emit_store(body.kernel, op, addresses, body.vector(op.element), mask)


def _pointer_operands(body: Body, *operands: SSAValue | None) -> list[SSAValue | None]:
    """The emitted operands: scalars if every operand is uniform, otherwise all as vectors."""
    values = [None if value is None else body.value(value) for value in operands]
    if all(value is None or lanes_of(value.type) is None for value in values):
        return values
    code, lanes = body.kernel.code, body.lanes
    return [None if value is None else code.splat(value, lanes) for value in values]


def _atomic(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.AtomicRMWOp | tilecpu.AtomicCASOp)
    if body.lanes is not None:
        fail(op, "expects a vector width of 1 for atomic operations")
    body.values[op.old] = emit_atomic(body.kernel, op, body.value)


def _update(body: Body, op: Operation) -> None:
    assert isinstance(op, tilecpu.AtomicUpdateOp)
    if body.lanes is not None:
        fail(op, "expects a vector width of 1 for atomic operations")
    access = _access(body, op)
    emit_update(body.kernel, op, access.pointer, access.mask, body.value(op.value))


def _assert(body: Body, op: Operation) -> None:
    assert isinstance(op, nv_tileaa.AssertOp)
    body.kernel.check_assertion(op, body.value(op.condition))


def _poison(body: Body, op: Operation) -> None:
    body.values[op.results[0]] = undefined(body.kernel, op)


def undefined(kernel: Kernel, op: Operation) -> SSAValue:
    """A constant 0 for a poison value."""
    element = llvm_element(op.results[0].type)
    assert element is not None
    return kernel.code.constant(0, element)


def _constant(body: Body, op: Operation) -> None:
    assert isinstance(op, arith.ConstantOp)
    body.values[op.result] = constant_value(body.kernel, op)


def constant_value(kernel: Kernel, op: arith.ConstantOp) -> SSAValue:
    """A scalar constant of the program."""
    value = op.value
    if not isinstance(value, IntegerAttr | FloatAttr):
        fail(op, "expected a constant of one value")
    element = llvm_element(op.result.type)
    assert element is not None
    number = value.value.data
    if isinstance(element, IntegerType) and element == i1:
        number = int(number) & 1
    return kernel.code.constant(number, element)


_EMITTERS: dict[type[Operation], Callable[[Body, Operation], None]] = {
    arith.ConstantOp: _constant,
    nv_tileaa.AssertOp: _assert,
    tilecpu.AtomicCASOp: _atomic,
    tilecpu.AtomicRMWOp: _atomic,
    tilecpu.AtomicUpdateOp: _update,
    tilecpu.IndexOp: _index,
    tilecpu.LoadOp: _load,
    tilecpu.LoadPointerOp: _load_pointer,
    tilecpu.ReadOp: _read,
    tilecpu.StoreOp: _store,
    tilecpu.StorePointerOp: _store_pointer,
    tilecpu.WriteOp: _write,
    ub.PoisonOp: _poison,
}


def loop_over(
    version: Version,
    dims: Sequence[int],
    lanes: int | None,
    body: Callable[[Mapping[int, SSAValue]], None],
    indices: Mapping[int, SSAValue] | None = None,
) -> None:
    """Emits loops over some dimensions, the first outermost, around `body`; the last dimension
    advances by `lanes`.
    """
    indices = indices or {}
    if not dims:
        body(indices)
        return
    code, extents = version.kernel.code, version.nest.get_extents()
    dim = dims[0]
    step = (lanes or 1) if dim == len(extents) - 1 else 1
    if extents[dim] == step:
        loop_over(version, dims[1:], lanes, body, {**indices, dim: code.integer(0)})
        return

    def inside(index: SSAValue, _carried: Sequence[SSAValue]) -> list[SSAValue]:
        loop_over(version, dims[1:], lanes, body, {**indices, dim: index})
        return []

    code.loop(
        code.integer(0), code.integer(extents[dim]), code.integer(step), [], inside, runs=True
    )
