"""The registers that probes of a kernel store, and their differences from the expected values."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import OpResult, SSAValue

from tileir_xdsl import emulator
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.expected_values import Expected, distance
from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, cluster_shape
from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.explain.labels import OperationLabels
from tileir_xdsl.interpreters.address_space import SLOT_BITS
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.numerics import ELEMENTS, POINTER, Array
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.targets.symbols import ptx_name
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.probes import (
    COUNTER_BYTES,
    ProbedValue,
    Probes,
    stored_offsets,
)
from tileir_xdsl.walking import clone_of, ops_in

_GAP = 256
"""The gap in bytes between arrays, and their alignment."""


def stored_probes(probes: Probes, probed: ModuleOp, kernel: str) -> Probes:
    """The probes of a kernel whose values PTX stores; some tiles have no registers of their own."""
    (offsets,) = (
        stored_offsets(op)
        for op in ops_in(probed)
        if isinstance(op, llvm.FuncOp) and op.sym_name.data == kernel
    )
    values = {value: each for value, each in probes.values.items() if each.offset in offsets}
    return replace(probes, values=values)


def with_numbers(module: ModuleOp, function: FuncOp) -> ModuleOp:
    """A copy of a module in which the line of each location is the number of the op."""
    labels, copy = OperationLabels(function), clone_of(module)
    copy.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()
    for op, same in zip(ops_in(module), ops_in(copy), strict=True):
        if function.is_ancestor(op) and op is not function:
            # Line 0 is none.
            line = IntAttr(labels.number(op) + 1)
            same.location = FileLineColLoc(StringAttr("op"), line, IntAttr(0))
    return copy


def _number_at(ptx: str, line: int) -> int | None:
    """The number of the op of a line of PTX, from its `.loc` directives."""
    stated = [text.split() for text in ptx.splitlines()[:line] if text.lstrip().startswith(".loc")]
    return int(stated[-1][2]) - 1 if stated else None


@dataclass(frozen=True)
class Stored:
    """The registers that probes store: bytes for each thread of each block.

    `first` has the first stored execution of each value on each block, 0 by default. `arguments`
    are those of the launch, which changes them.
    """

    probes: Probes
    function: FuncOp
    bytes: Array
    arguments: Sequence[Argument]
    first: Mapping[tuple[SSAValue, int], int]

    @staticmethod
    def of(
        probes: Probes,
        function: FuncOp,
        blocks: int,
        launch_input: LaunchInput,
        first: Mapping[tuple[SSAValue, int], int],
    ) -> Stored:
        """A buffer for a launch on `blocks` thread blocks."""
        shape = (blocks, probes.threads, probes.thread_bytes)
        arguments, bytes = _in_one_piece(launch_input.arguments, shape)
        for (value, block), number in first.items():
            if value in probes.values and number:
                # Counters are unsigned: what comes before has the space of what comes after.
                offset = probes.values[value].offset
                counters = np.full((probes.threads, 1), -number, np.int64).view(np.uint8)
                bytes[block, :, offset : offset + COUNTER_BYTES] = counters
        return Stored(probes, function, bytes, arguments, first)

    def launch(self, probed: ModuleOp, kernel: str, grid: tuple[int, int, int]) -> int | None:
        """Runs the kernel; returns the number of the op at which it stops with an error."""
        arguments = with_tensor_maps(probed, kernel, self.arguments)
        ptx = emit(probed)
        try:
            emulator.load(ptx).launch(
                ptx_name(kernel),
                grid,
                [*arguments, self.bytes],
                dynamic_shared=dynamic_shared_memory(probed, kernel),
                output=io.StringIO(),
            )
        except emulator.EmulatorError as error:
            # Earlier values have been stored.
            return None if error.line is None else _number_at(ptx, error.line)
        return None

    def executions(self, value: ProbedValue, block: int) -> Array:
        """How often each thread of a block has executed the op of a value."""
        counters = self.bytes[block, :, value.offset : value.offset + COUNTER_BYTES]
        first = self.first.get((value.result, block), 0)
        return np.ascontiguousarray(counters).view(np.int64)[:, 0] + first

    def registers(
        self, value: ProbedValue, block: int, execution: int, dtype: np.dtype[Any]
    ) -> Array:
        """The registers of each thread after one execution."""
        position = execution - self.first.get((value.result, block), 0)
        start = value.offset + COUNTER_BYTES + position * value.execution_bytes
        stored = self.bytes[block, :, start : start + value.execution_bytes]
        return np.ascontiguousarray(stored).view(dtype)

    def elements(self, value: ProbedValue, block: int) -> Array:
        """The row-major numbers of the elements in the registers of each thread."""
        layout = layout_of(value.result.op, value.result)
        if layout is None:
            return np.zeros((self.probes.threads, 1), np.int64)
        rank = block % prod(cluster_shape(self.function)) % layout.blocks
        return _elements(layout, self.probes.threads) ^ f2.apply(layout.block, rank)


def _in_one_piece(
    arguments: Sequence[Argument], shape: tuple[int, int, int]
) -> tuple[list[Argument], Array]:
    """Copies of the arguments, and an array of zeros after them in memory.

    The emulator assigns addresses to arrays by their order in memory, so addresses are the same in
    every run.
    """
    sizes = [each.nbytes if isinstance(each, np.ndarray) else 0 for each in arguments]
    # A gap keeps the addresses of one array from those of the next.
    starts = list(accumulate((size // _GAP * _GAP + 2 * _GAP for size in sizes), initial=0))
    piece = np.zeros(starts[-1] + prod(shape), np.uint8)
    copies = list(arguments)
    for position, (start, size, each) in enumerate(zip(starts, sizes, arguments, strict=False)):
        if isinstance(each, np.ndarray):
            copy = piece[start : start + size].view(each.dtype).reshape(each.shape)
            copy[...] = each
            copies[position] = copy
    return copies, piece[starts[-1] :].reshape(shape)


@cache
def _elements(layout: LinearLayout, threads: int) -> Array:
    """The elements that each thread of the first thread block holds."""
    bases = layout.thread_bases()
    thread_parts = [f2.apply(bases, thread % (1 << len(bases))) for thread in range(threads)]
    held = [f2.apply(layout.register, register) for register in range(layout.registers)]
    return np.bitwise_xor.outer(np.array(thread_parts), np.array(held))


@dataclass
class Pointers:
    """The distance between the interpreter's and the emulator's address of each allocation."""

    shifts: dict[int, int] = field(default_factory=dict[int, int])

    def translated(self, pointers: Array, like: Array) -> Array:
        """Addresses of the emulator as addresses of the interpreter, where `like` is expected."""
        result = pointers.copy()
        # Pointers that no access uses may be a little before their allocation.
        nearest = (like + (1 << SLOT_BITS - 1)) >> SLOT_BITS
        for base in np.unique(nearest).tolist():
            here = nearest == base
            if base not in self.shifts:
                far, counts = np.unique(pointers[here] - like[here], return_counts=True)
                self.shifts[base] = int(far[np.argmax(counts)]) if base else 0
            result[here] -= like.dtype.type(self.shifts[base])
        return result


@dataclass(frozen=True)
class Difference:
    """A result that differs in PTX or was never computed, and the number of its execution."""

    number: int
    result: OpResult
    is_executed: bool


def first_difference(
    expected: Sequence[Expected],
    numbers: Sequence[int],
    stored: Stored,
    pointers: Pointers,
    *,
    complete: bool,
) -> Difference | None:
    """The first of some executions that differs in PTX, or, if `complete`, is missing there.

    `numbers` are the stored executions among `expected`.
    """
    for number in numbers:
        each = expected[number]
        result = each.made.result
        if result not in stored.probes.values:
            continue
        counts = stored.executions(stored.probes.values[result], each.made.block)
        active = counts > each.made.execution
        if not active.any():
            if complete:
                return Difference(number, result, is_executed=False)
        elif _differs(each, active, stored, pointers, complete=complete):
            return Difference(number, result, is_executed=True)
    return None


def _differs(
    expected: Expected, active: Array, stored: Stored, pointers: Pointers, *, complete: bool
) -> bool:
    """Whether the registers of the executing threads differ from the expected value."""
    made = expected.made
    value = stored.probes.values[made.result]
    element = element_of(made.result.type)
    elements = stored.elements(value, made.block)
    # Where one thread computes for all, it has everything.
    if complete and np.setdiff1d(elements, elements[active]).size:
        return True
    elements = elements[active]
    actual = stored.registers(value, made.block, made.execution, made.value.dtype)[active]
    wanted = made.value.reshape(-1)[elements]
    if element == ELEMENTS["i4"]:
        # Only its low bits are those of the number.
        actual = actual << 4 >> 4
    if element is POINTER:
        actual = pointers.translated(actual, wanted)
    allowed = expected.allowed.reshape(-1)[elements]
    differs = distance(wanted, actual) > allowed
    return bool((expected.defined.reshape(-1)[elements] & differs).any())
