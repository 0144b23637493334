"""Fills in elements that ops of `cuda_tile` leave undetermined, and observes what depends on them.

A load leaves elements undetermined outside of a view without padding, and in allocations where
nothing was written. A load also leaves masked-off elements without a replacement value
undetermined. An atomic operation leaves masked-off elements undetermined.

Source: Tile IR specification, `load_ptr_tko`, `load_view_tko`, `atomic_rmw_tko`, `alloca`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias

import ml_dtypes
import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.accesses import Access
from tileir_xdsl.interpreters.address_space import AddressSpace, Allocation, Touch
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.numerics import (
    TF32,
    Array,
    Element,
    from_bits,
    memory_dtype,
)
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.running_block import RunningBlock
from tileir_xdsl.interpreters.views import TileView, tile_addresses


class Reason(StrEnum):
    """Why elements are undetermined."""

    OUTSIDE = "outside of the tensor, with no padding value"
    MASKED_OFF = "masked off, with no value in their place"
    NEVER_WRITTEN = "never written"


class Sink(StrEnum):
    """Which effect depends on the values of undetermined elements."""

    STORE = "the values that are stored depend on them"
    ATOMIC = "the atomic operation depends on them"
    ADDRESS = "the addresses of the access depend on them"
    BRANCH = "the control flow depends on them"


@dataclass(frozen=True)
class Read:
    """The elements of an op's result: their addresses, which are read, and which are undetermined.

    `reason` says why elements are undetermined.
    """

    addresses: Array
    element: Element
    read: Array
    undetermined: Array
    reason: Reason


def _load_pointers(op: dialect.LoadPtrTkoOp, operands: Operands) -> Read:
    return _masked(op, operands[op.source], operands.optional(op.mask), op.padding_value is None)


def _read_modify_write(op: dialect.AtomicRMWTkoOp, operands: Operands) -> Read:
    return _masked(op, operands[op.pointers], operands.optional(op.mask), True)


def _compare_and_swap(op: dialect.AtomicCASTkoOp, operands: Operands) -> Read:
    # An element that is left out has the value that it is compared with.
    return _masked(op, operands[op.pointers], operands.optional(op.mask), False)


def _masked(op: Operation, pointers: Array, mask: Array | None, is_open: bool) -> Read:
    read = np.ones(pointers.shape, np.bool_) if mask is None else mask
    missing = ~read if is_open else np.zeros_like(read)
    return Read(pointers, element_of(op.results[0].type), read, missing, Reason.MASKED_OFF)


def _load_view(
    op: dialect.LoadViewTkoOp | dialect.MultimemLoadReduceViewTkoOp, operands: Operands
) -> Read:
    view: TileView = operands[op.view]
    indices = [as_unsigned(index) for index in operands.several(op.indices)]
    addresses, inside = tile_addresses(view, indices)
    missing = ~inside if view.padding is None else np.zeros_like(inside)
    return Read(addresses, view.tensor.element, inside, missing, Reason.OUTSIDE)


READS: Mapping[type[Operation], Callable[[Any, Operands], Read]] = {
    dialect.AtomicCASTkoOp: _compare_and_swap,
    dialect.AtomicRMWTkoOp: _read_modify_write,
    dialect.LoadPtrTkoOp: _load_pointers,
    dialect.LoadViewTkoOp: _load_view,
    dialect.MultimemLoadReduceViewTkoOp: _load_view,
}
"""Functions that return the elements that an op reads."""

WRITES: Mapping[type[Operation], tuple[str, Sink]] = {
    dialect.AtomicCASTkoOp: ("val", Sink.ATOMIC),
    dialect.AtomicRMWTkoOp: ("arg", Sink.ATOMIC),
    dialect.AtomicRedViewTkoOp: ("value", Sink.ATOMIC),
    dialect.MultimemReduceViewTkoOp: ("tile", Sink.ATOMIC),
    dialect.MultimemStoreViewTkoOp: ("tile", Sink.STORE),
    dialect.StorePtrTkoOp: ("value", Sink.STORE),
    dialect.StoreViewTkoOp: ("tile", Sink.STORE),
}
"""The operand with the type of the elements that an op writes, and the kind of effect."""

BRANCHES: Mapping[type[Operation], int] = {
    dialect.AssertOp: 1,
    dialect.ForOp: 3,
    dialect.IfOp: 1,
}
"""The number of leading operands of an op that decide the control flow of the program."""

Fill: TypeAlias = Callable[[Element, int, np.random.Generator], Array]
"""Returns values, perhaps random, for a number of elements."""


def extremes(element: Element, count: int, _random: np.random.Generator) -> Array:
    """Returns the largest value of a type: infinity if there is one."""
    form, dtype = element.float_format, element.dtype
    if form is not None:
        return np.full(count, np.inf if form.has_infinity else form.max_finite).astype(dtype)
    return np.full(count, 1 if dtype == np.bool_ else ml_dtypes.iinfo(dtype).max).astype(dtype)


def random_bits(element: Element, count: int, random: np.random.Generator) -> Array:
    """Returns numbers of random bits that are far below zero.

    So their sums, extremes and comparisons differ from those of `extremes`.
    """
    dtype = element.dtype
    if dtype == np.bool_:
        return random.integers(0, 2, count).astype(dtype)
    if element.float_format is None:
        return random.integers(ml_dtypes.iinfo(dtype).min, 0, count).astype(dtype)
    bits = random.integers(0, 1 << element.bits, count, np.uint64)
    # The sign and the first bits of the exponent, but not all of it: neither NaN nor infinity.
    top = element.bits - 4
    bits = bits & ~np.uint64(1 << top) | np.uint64(0b1110 << top)
    if element.float_format is TF32:
        bits &= ~np.uint64((1 << 13) - 1)
    return from_bits(bits.astype(memory_dtype(element)), element)


FILLS: tuple[Fill, ...] = (extremes, random_bits)


@dataclass(frozen=True)
class Event:
    """An observable effect of an op, with a hash of everything observable."""

    op: Operation
    sink: Sink
    seen: int


class Differs(Exception):
    """A launch diverges from an earlier one at an event."""

    def __init__(self, event: Event):
        self.event = event


@dataclass
class Observer(LaunchListener):
    """Records all observable effects of a launch, or ends it if one differs from `before`.

    Undetermined elements of the ops in `filled` are filled in; others keep the interpreter's
    values.
    """

    NOTES_ACCESSES: ClassVar[bool] = True

    numbers: Mapping[Operation, int]
    """The number of each op of the kernel."""
    fill: Fill | None = None
    filled: Collection[Operation] = ()
    before: Mapping[Coordinates, list[Event]] | None = None
    events: dict[Coordinates, list[Event]] = field(
        default_factory=lambda: defaultdict[Coordinates, list[Event]](list)
    )
    reasons: dict[Operation, Reason] = field(default_factory=dict[Operation, Reason])
    """The ops that have left elements undetermined, with the reason."""
    last: Operation | None = None
    """The last access or branch."""
    _running: RunningBlock | None = None
    _lasting: int = 0
    _written: dict[Allocation, Array] = field(default_factory=dict[Allocation, Array])
    _read: Read | None = None
    _executions: int = 0

    def will_launch(self, running: RunningBlock) -> None:
        self._running, self._lasting = running, len(running.memory.allocations)

    @property
    def _memory(self) -> AddressSpace:
        assert self._running is not None
        return self._running.memory

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        kind = type(op)
        if (count := BRANCHES.get(kind)) is not None:
            self.last = op
            self._see(Event(op, Sink.BRANCH, hash(tuple(each.tobytes() for each in args[:count]))))
        if kind in READS or kind in WRITES:
            self.last = op
        if (reads := READS.get(kind)) is not None:
            self._read = self._with_unwritten(reads(op, Operands(op, args)))

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        if type(op) not in READS:
            return
        assert self._read is not None
        read, self._read = self._read, None
        count = int(np.count_nonzero(read.undetermined))
        if not count:
            return
        self.reasons.setdefault(op, read.reason)
        if self.fill is not None and op in self.filled:
            self._executions += 1
            random = np.random.default_rng((self.numbers[op], self._executions))
            results[0][read.undetermined] = self.fill(read.element, count, random)

    def performed(self, access: Access) -> None:
        op = access.op
        for touch in access.touches:
            where = (touch.allocation.base, touch.offsets.tobytes())
            self._see(Event(op, Sink.ADDRESS, hash(where)))
            if not touch.writes:
                continue
            if self._is_own(touch.allocation):
                self._note_written(touch)
                continue
            operand, sink = WRITES[type(op)]
            element = element_of(getattr(op, operand).type)
            self._see(Event(op, sink, hash(_values(touch, element))))

    def _see(self, event: Event) -> None:
        assert self._running is not None
        block = self._running.block
        seen = self.events[block]
        if self.before is not None:
            expected = self.before.get(block, [])
            if len(seen) >= len(expected) or expected[len(seen)] != event:
                raise Differs(event)
        seen.append(event)

    def _is_own(self, allocation: Allocation) -> bool:
        """Whether an allocation belongs to one tile block, and others cannot see it."""
        return allocation not in self._memory.allocations[: self._lasting]

    def _note_written(self, touch: Touch) -> None:
        written = self._written_bytes(touch.allocation)
        written[touch.bytes_of_elements] = True

    def _written_bytes(self, allocation: Allocation) -> Array:
        return self._written.setdefault(allocation, np.zeros(allocation.data.size, np.bool_))

    def _with_unwritten(self, read: Read) -> Read:
        """Marks the read elements that were never written as undetermined."""
        unwritten = np.zeros(read.read.shape, np.bool_)
        addresses = read.addresses if read.element.bits >= 8 else read.addresses >> 1
        for allocation in self._memory.allocations[self._lasting :]:
            offsets = addresses - allocation.base
            held = read.read & (offsets >= 0) & (offsets < allocation.data.size)
            unwritten[held] = ~self._written_bytes(allocation)[offsets[held]]
        if not unwritten.any():
            return read
        missing = read.undetermined | unwritten
        return Read(read.addresses, read.element, read.read, missing, Reason.NEVER_WRITTEN)


def _values(touch: Touch, element: Element) -> bytes:
    """The bits of elements in memory; all NaNs become one value."""
    bits = touch.allocation.data[touch.bytes_of_elements].view(f"u{touch.size}").reshape(-1)
    if element.float_format is not None and element.float_format.has_nan:
        bits[np.isnan(from_bits(bits, element))] = ~bits.dtype.type(0)
    return bits.tobytes()
