"""Many elementwise operations as one kernel, run at the first and at the last level.

Operands are drawn bit patterns, half of them corners: zeros, subnormals, extremes, infinities, NaN.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tests.unit.interpreters.cuda_tile.elementwise import as_tile, corners, width_of
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array
from tileir_xdsl.testing import tools

TILE = 256
BLOCKS = 6
SIZE = TILE * BLOCKS
OPERANDS = 3

_SAME = ("bitcast {}", "bitcast {}")
_ROUNDED = ("ftof {}", "ftof {}")

MEMORY: Mapping[str, tuple[str, tuple[str, str]]] = {
    "f8E4M3FN": ("i8", _SAME),
    "f8E5M2": ("i8", _SAME),
    "f8E8M0FNU": ("i8", _SAME),
    "fnv8E5M3FNU": ("i8", _SAME),
    "f4E2M1FN": ("f32", _ROUNDED),
    "tf32": ("f32", _ROUNDED),
    "i4": ("i8", ("trunci {}", "exti {} signed")),
}
"""Elements that go through memory as others, and the conversions from those and to those."""


@dataclass(frozen=True)
class Operation:
    """An elementwise operation: its text on %in0, %in1 .. with T and R for the types of tiles.

    The last operand may be one number in place of a tile.
    """

    text: str
    operands: tuple[str, ...]
    result: str
    last: int | None = None

    @property
    def name(self) -> str:
        """The operation without its modifiers."""
        return self.text.split()[0]

    @property
    def modifiers(self) -> str:
        """The rounding mode, a promise, flags..., as text between operands and types."""
        words = self.text.partition(" :")[0].split()[1:]
        return " ".join(word for word in words if not word.startswith("%"))


@cache
def operand(element: str, number: int) -> Array:
    """Drawn numbers of an element type; every number has its own."""
    rng = np.random.default_rng(number)
    width = width_of(element)
    known = np.array(corners(element), object)
    bits = int.from_bytes(rng.bytes(SIZE * 8), "little")
    anything = [(bits >> (64 * place)) % (1 << width) for place in range(SIZE)]
    chosen = known[rng.integers(len(known), size=SIZE)]
    is_known = rng.integers(2, size=SIZE)
    drawn = [int(c) if k else a for c, k, a in zip(chosen, is_known, anything, strict=True)]
    return as_tile(element, drawn)


def _pointers(name: str, element: str) -> str:
    return f"""
    %{name}_one = reshape %{name} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
    %{name}_all = broadcast %{name}_one : tile<1xptr<{element}>> -> tile<{TILE}xptr<{element}>>
    %{name}_at = offset %{name}_all, %index : tile<{TILE}xptr<{element}>>, tile<{TILE}xi32> -> tile<{TILE}xptr<{element}>>
    """


def _load(name: str, element: str) -> str:
    held, conversions = MEMORY.get(element, (element, None))
    tile = f"tile<{TILE}x{held}>"
    raw = f"{name}_raw" if conversions else f"{name}_value"
    text = _pointers(name, held)
    text += f"%{raw}, %{name}_t = load_ptr_tko weak %{name}_at : tile<{TILE}xptr<{held}>> -> {tile}, token\n"
    if conversions:
        converted = conversions[0].format(f"%{raw}")
        text += f"%{name}_value = {converted} : {tile} -> tile<{TILE}x{element}>\n"
    return text


def _store(name: str, value: str, element: str) -> str:
    held, conversions = MEMORY.get(element, (element, None))
    tile = f"tile<{TILE}x{held}>"
    text = _pointers(name, held)
    if conversions:
        converted = conversions[1].format(f"%{value}")
        text += f"%{name}_raw = {converted} : tile<{TILE}x{element}> -> {tile}\n"
        value = f"{name}_raw"
    return text + (
        f"%{name}_t = store_ptr_tko weak %{name}_at, %{value} : "
        f"tile<{TILE}xptr<{held}>>, {tile} -> token\n"
    )


def kernel(operations: Sequence[Operation]) -> str:
    """A kernel that applies every operation to its operands, element by element."""
    elements = dict.fromkeys(e for operation in operations for e in operation.operands)
    parameters, body = (
        list[str](),
        [
            f"""
    %block, %y, %z = get_tile_block_id : tile<i32>
    %size = constant <i32: {TILE}> : tile<i32>
    %start = muli %block, %size : tile<i32>
    %start_one = reshape %start : tile<i32> -> tile<1xi32>
    %starts = broadcast %start_one : tile<1xi32> -> tile<{TILE}xi32>
    %lane = iota : tile<{TILE}xi32>
    %index = addi %starts, %lane : tile<{TILE}xi32>
    """
        ],
    )
    for element in elements:
        for number in range(OPERANDS):
            name = f"{element}_{number}"
            parameters.append(f"%{name}: tile<ptr<{held_as(element)}>>")
            body.append(_load(name, element))
    for place, operation in enumerate(operations):
        name = f"out{place}"
        parameters.append(f"%{name}: tile<ptr<{held_as(operation.result)}>>")
        text = operation.text
        if operation.last is not None:
            element = operation.operands[-1]
            body.append(
                f"%c{place} = constant <{element}: {operation.last}> : tile<{TILE}x{element}>\n"
            )
            text = text.replace(f"%in{len(operation.operands) - 1}", f"%c{place}")
        for number, element in enumerate(operation.operands):
            text = text.replace(f"%in{number}", f"%{element}_{number}_value")
        source = f"tile<{TILE}x{operation.operands[0]}>"
        text = text.replace("-> R", f"-> tile<{TILE}x{operation.result}>")
        text = text.replace(": T", f": {source}").replace("tile<32x", f"tile<{TILE}x")
        body.append(f"%result{place} = {text}\n{_store(name, f'result{place}', operation.result)}")
    joined = ", ".join(parameters)
    return f"cuda_tile.module @m {{ entry @k({joined}) {{ {''.join(body)} return }} }}"


def arguments(operations: Sequence[Operation]) -> list[Array]:
    """The operands of a kernel, and zeros for its results."""
    elements = dict.fromkeys(e for operation in operations for e in operation.operands)
    inputs = [
        in_memory(operand(element, number), element)
        for element in elements
        for number in range(OPERANDS)
    ]
    return inputs + [
        in_memory(np.zeros(SIZE, ELEMENTS[operation.result].dtype), operation.result)
        for operation in operations
    ]


def in_memory(array: Array, element: str) -> Array:
    """An array as the kernel reads and writes it."""
    held = ELEMENTS[held_as(element)].dtype
    is_same_bits = held.itemsize == array.dtype.itemsize
    return array.view(held) if is_same_bits else array.astype(held)


def held_as(element: str) -> str:
    """The element type in memory."""
    return MEMORY[element][0] if element in MEMORY else element


def ptx(operations: Sequence[Operation], gpu: str) -> str:
    """The PTX of a kernel of operations."""
    module = parsed(tuple(operations)).clone()
    return emit(tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}"), gpu)


@lru_cache(1)
def parsed(operations: tuple[Operation, ...]) -> ModuleOp:
    """The kernel of operations, which is interpreted and compiled."""
    return tools.parse(kernel(operations))


@dataclass(frozen=True)
class Comparison:
    """What an operation gave at the last level, and what it means, with its operands."""

    operation: Operation
    operands: tuple[Array, ...]
    got: Array
    wanted: Array

    def differs(self) -> Array:
        """Where the results have other bits, and are not both NaN."""
        size = self.got.dtype.itemsize
        other_bits = self.got.view(f"u{size}") != self.wanted.view(f"u{size}")
        if ELEMENTS[self.operation.result].float_format is None:
            return other_bits
        with np.errstate(invalid="ignore"):
            doubles = [array.astype(np.float64) for array in (self.got, self.wanted)]
        return other_bits & ~(np.isnan(doubles[0]) & np.isnan(doubles[1]))

    def example(self, where: Array) -> str:
        """The first of the elements that differ."""
        place = int(np.argmax(where))
        operands = ", ".join(repr(array[place]) for array in self.operands)
        return (
            f"{self.operation}: {int(where.sum())} differ, of {operands} "
            f"got {self.got[place]!r}, not {self.wanted[place]!r}"
        )


def compare(
    operations: Sequence[Operation], gpu: str, text: str | None = None
) -> Iterable[Comparison]:
    """Runs the operations at the first and at the last level; `text` is other PTX than theirs."""
    first, last = arguments(operations), arguments(operations)
    count = len(first) - len(operations)
    with np.errstate(all="ignore"):
        interpreters.launch(parsed(tuple(operations)), "k", (BLOCKS, 1, 1), first)
        program = emulator.load(ptx(operations, gpu) if text is None else text)
        program.launch("k", (BLOCKS, 1, 1), last)
    for place, operation in enumerate(operations):
        columns = tuple(operand(e, number) for number, e in enumerate(operation.operands))
        got, wanted = last[count + place], first[count + place]
        dtype = ELEMENTS[operation.result].dtype
        if dtype.itemsize == got.dtype.itemsize:
            got, wanted = got.view(dtype), wanted.view(dtype)
        yield Comparison(operation, columns, got, wanted)
