"""The ranges of values in shared and tensor memory, from the offsets on the ops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.allocations import AllocationAttr
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.interpreters.buffers import Buffer
from tileir_xdsl.interpreters.nv_tileas.pipelines import StageValue
from tileir_xdsl.targets.atoms import Memory


@dataclass(frozen=True)
class MemoryRange:
    """Bytes of shared memory, or columns of tensor memory, from `start` up to `stop`."""

    memory: Memory
    start: int
    stop: int
    is_stage: bool = False
    """Whether the range is a stage of a pipeline, which its consumers release."""

    def overlaps(self, other: MemoryRange) -> bool:
        """Whether both ranges share a byte."""
        is_same = self.memory is other.memory
        return is_same and self.start < other.stop and other.start < self.stop

    def common(self, other: MemoryRange) -> MemoryRange:
        """The intersection of both ranges."""
        return MemoryRange(self.memory, max(self.start, other.start), min(self.stop, other.stop))

    def stage(self, number: int, count: int) -> MemoryRange:
        """Stage `number` of the range, divided into `count` equal stages."""
        size = (self.stop - self.start) // count
        start = self.start + number * size
        return MemoryRange(self.memory, start, start + size, is_stage=True)

    def __str__(self) -> str:
        is_shared = self.memory is Memory.SHARED
        unit, memory = ("bytes", "shared") if is_shared else ("columns", "tensor")
        return f"{unit} {self.start} to {self.stop - 1} of {memory} memory"


def allocated(op: Operation, name: str, memory: Memory) -> MemoryRange | None:
    """The range that attribute `name` of an op allocates; None without that attribute."""
    allocation = op.attributes.get(name)
    if not isinstance(allocation, AllocationAttr):
        return None
    return MemoryRange(memory, allocation.offset.data, allocation.end)


def is_in(type_: Attribute, memory: Memory) -> bool:
    """Whether values of a type are tiles in a memory, or async values of such tiles."""
    if isinstance(type_, ValueType):
        type_ = type_.payload
    return isinstance(type_, TensorType) and memory_of(type_) is memory


def is_in_registers(type_: Attribute) -> bool:
    """Whether values of a type are tiles in registers."""
    on_chip = (Memory.SHARED, Memory.TENSOR)
    return isinstance(type_, TensorType) and memory_of(type_) not in on_chip


class MemoryRanges:
    """The memory ranges of values: of a buffer by its storage, of other values by identity."""

    def __init__(self) -> None:
        self._by_identity: dict[int, tuple[object, MemoryRange]] = {}
        self._by_name: dict[SSAValue, MemoryRange] = {}

    def put(self, value: object, span: MemoryRange | None, name: SSAValue | None = None) -> None:
        """Notes the memory range of a value, and the SSA value that it belongs to."""
        if span is None:
            return
        if name is not None:
            self._by_name[name] = span
        identity = value.storage if isinstance(value, Buffer) else value
        if isinstance(value, Buffer) and self.of(value) is not None:
            return
        # Kept, so that nothing else gets its number.
        self._by_identity[id(identity)] = (identity, span)

    def of(self, value: Any, name: SSAValue | None = None) -> MemoryRange | None:
        """The memory range of a value; None for a value in registers or without a known range."""
        if name is not None and is_in_registers(name.type):
            return None
        if isinstance(value, StageValue):
            value = value.buffer
        if isinstance(value, Buffer):
            found = self._by_identity.get(id(value.storage))
            return None if found is None else _part(value, found[1])
        found = self._by_identity.get(id(value))
        if found is not None:
            return found[1]
        return None if name is None else self._by_name.get(name)


def _part(buffer: Buffer, whole: MemoryRange) -> MemoryRange:
    """The bytes of a view of a buffer; those of the whole buffer if the view is not contiguous."""
    array, storage = buffer.array, buffer.storage
    if array.size == storage.size or not array.flags.c_contiguous:
        return whole
    offset = array.__array_interface__["data"][0] - storage.__array_interface__["data"][0]
    bytes_ = whole.stop - whole.start
    start = whole.start + bytes_ * offset // storage.nbytes
    stop = start + bytes_ * array.nbytes // storage.nbytes
    return replace(whole, start=start, stop=stop)
