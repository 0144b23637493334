"""Triton's kernels of timed problems: each in several choices of warps, stages and tiles."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import triton.language as tl

from bench.pack.items import Program, Unit
from bench.pack.problem import Problem
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.gpu_launching import DeviceArgument
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.targets import get_target

Grid = tuple[int, int, int]


@dataclass(frozen=True)
class Choice:
    """How a kernel is compiled. `tile` has what its tile is, in place of that of the problem.

    The blocks of a `persistent` one go on from tile to tile.
    """

    warps: int
    stages: int = 1
    tile: tuple[int, ...] = ()
    persistent: bool = False

    def __str__(self) -> str:
        named = [f"{self.warps} warps", *([f"{self.stages} stages"] if self.stages > 1 else [])]
        named += ["x".join(map(str, self.tile))] if self.tile else []
        return ", ".join([*named, *(["persistent"] if self.persistent else [])])


@dataclass(frozen=True)
class TritonLaunch:
    """A kernel, its grid, and its arguments in the order of their types."""

    function: Any
    types: Mapping[str, str]
    values: Sequence[Array | np.generic]
    constants: Mapping[str, Any]
    grid: Grid
    multiples: tuple[str, ...] = field(default=())


Make = Callable[[Problem, Sequence[Array], Choice], Sequence[TritonLaunch]]

TYPES: Mapping[str, str] = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "float8_e4m3fn": "fp8e4nv",
    "int8": "i8",
    "int32": "i32",
}
"""Triton's name of an element type."""


def _descriptor(array: Array, *box: int) -> str:
    return f"tensordesc<{TYPES[array.dtype.name]}[{','.join(map(str, box))}]>"


def _pointer(array: Array) -> str:
    return f"*{TYPES[array.dtype.name]}"


def _kernels(name: str) -> Any:
    """A module of Triton kernels, whose types are not known."""
    return importlib.import_module(f"bench.{name}")


# Dots.

ROWS_OF_TILES = 8
"""The rows of tiles that go together, so that what they share is in the cache."""


def _matmul(problem: Problem, arrays: Sequence[Array], choice: Choice) -> Sequence[TritonLaunch]:
    a, b, c = arrays
    m, n = choice.tile
    k, transposed = problem.tile[2], bool(problem.settings["transposed"])
    types = {
        "a": _descriptor(a, m, k),
        "b": _descriptor(b, *((n, k) if transposed else (k, n))),
        "c": _descriptor(c, m, n),
        "k": "i32",
    }
    constants: Mapping[str, Any] = {
        **{"M": m, "N": n, "STEP": k, "TRANSPOSED": transposed, "GROUP": ROWS_OF_TILES},
        "SUMS": tl.int32 if c.dtype == np.int32 else tl.float32,
    }
    values = (a, b, c, np.int32(a.shape[1]))
    grid = (-(-c.shape[0] // m), -(-c.shape[1] // n), 1)
    function = _kernels("triton_kernels").matmul
    return [TritonLaunch(function, types, values, constants, grid, ("k",))]


def _persistent(
    problem: Problem, arrays: Sequence[Array], choice: Choice
) -> Sequence[TritonLaunch]:
    a, b, c = arrays
    (m, n), k, halves = choice.tile, problem.tile[2], choice.stages > 3
    types = {
        "a": _descriptor(a, m, k),
        "b": _descriptor(b, k, n),
        "c": _descriptor(c, m, n // 2 if halves else n),
        **dict.fromkeys("mnk", "i32"),
    }
    constants = {"M": m, "N": n, "STEP": k, "GROUP": ROWS_OF_TILES, "HALVES": halves}
    values = (a, b, c, *map(np.int32, (*c.shape, a.shape[1])))
    grid = (-(-c.shape[0] // m) * -(-c.shape[1] // n), 1, 1)
    function = _kernels("triton_kernels").persistent_matmul
    return [TritonLaunch(function, types, values, constants, grid, ("m", "n", "k"))]


def _bf16(problem: Problem, arrays: Sequence[Array], choice: Choice) -> Sequence[TritonLaunch]:
    return (_persistent if choice.persistent else _matmul)(problem, arrays, choice)


def _grouped(problem: Problem, arrays: Sequence[Array], choice: Choice) -> Sequence[TritonLaunch]:
    a, b, experts, c = arrays
    (m, n), k = choice.tile, problem.tile[2]
    types = {
        "a": _descriptor(a, m, k),
        "b": _descriptor(b, 1, k, n),
        "experts": _pointer(experts),
        "c": _descriptor(c, m, n),
        "k": "i32",
    }
    constants = {"M": m, "N": n, "STEP": k, "GROUP": ROWS_OF_TILES}
    values = (a, b, experts, c, np.int32(a.shape[1]))
    grid = (c.shape[0] // m, -(-c.shape[1] // n), 1)
    function = _kernels("triton_kernels").grouped_matmul
    return [TritonLaunch(function, types, values, constants, grid, ("k",))]


def _attention(problem: Problem, arrays: Sequence[Array], choice: Choice) -> Sequence[TritonLaunch]:
    heads, length, depth = arrays[0].shape
    queries, keys = choice.tile
    flat = [each.reshape(-1, depth) for each in arrays]
    rows = (queries, keys, keys, queries)
    types = {
        name: _descriptor(each, extent, depth)
        for name, each, extent in zip(("q", "k", "v", "out"), flat, rows, strict=True)
    }
    types |= {"length": "i32", "scale": "fp32"}
    constants = {"ROWS": queries, "KEYS": keys, "D": depth, "CAUSAL": problem.settings["causal"]}
    values = (*flat, np.int32(length), np.float32(problem.scalars[0]))
    grid = (length // queries, heads, 1)
    function = _kernels("triton_kernels").attention
    return [TritonLaunch(function, types, values, constants, grid, ("length",))]


def _backward(problem: Problem, arrays: Sequence[Array], choice: Choice) -> Sequence[TritonLaunch]:
    heads, length, depth = arrays[0].shape
    queries, keys = choice.tile
    kernels = _kernels("triton_gradients")
    q, k, v, out, d_out, d_q, d_k, d_v = (
        arrays[number].reshape(-1, depth) for number in (0, 1, 2, 3, 4, 6, 7, 8)
    )
    log, delta = arrays[5], arrays[9]
    tile = {"ROWS": queries, "KEYS": keys, "D": depth, "CAUSAL": problem.settings["causal"]}
    numbers = (np.int32(length), np.float32(problem.settings["scale"]))
    inputs = {
        "q": _descriptor(q, queries, depth),
        "k": _descriptor(k, keys, depth),
        "v": _descriptor(v, keys, depth),
        "d_out": _descriptor(d_out, queries, depth),
        "log": _pointer(log),
        "delta": _pointer(delta),
    }
    scalars = {"length": "i32", "scale": "fp32"}

    def gradients(function: Any, rows: int, results: Mapping[str, Array]) -> TritonLaunch:
        outputs = {name: _descriptor(each, rows, depth) for name, each in results.items()}
        values = (q, k, v, d_out, log, delta, *results.values(), *numbers)
        grid = (length // rows, heads, 1)
        types = {**inputs, **outputs, **scalars}
        return TritonLaunch(function, types, values, tile, grid, ("length",))

    pointers = {"out": _pointer(out), "d_out": _pointer(d_out), "delta": _pointer(delta)}
    rows = {"ROWS": problem.settings["queries"], "D": depth}
    grid = (heads * length // rows["ROWS"], 1, 1)
    return [
        TritonLaunch(kernels.row_deltas, pointers, (out, d_out, delta), rows, grid),
        gradients(kernels.key_gradients, keys, {"d_k": d_k, "d_v": d_v}),
        gradients(kernels.query_gradients, queries, {"d_q": d_q}),
    ]


# Rows.


def _of_rows(name: str) -> Make:
    """A kernel of `bench.triton_rows` that takes the arrays; a block has a row."""

    def make(problem: Problem, arrays: Sequence[Array], _choice: Choice) -> Sequence[TritonLaunch]:
        function = getattr(_kernels("triton_rows"), name)
        types = dict(zip(function.arg_names, map(_pointer, arrays), strict=False))
        constants = {"SIZE": arrays[0].shape[1]}
        return [TritonLaunch(function, types, arrays, constants, problem.grid)]

    return make


def _of_zoo(problem: Problem, arrays: Sequence[Array], _choice: Choice) -> Sequence[TritonLaunch]:
    rows = _kernels("rows")
    row = next(each for each in rows.ROWS if each.case.name == f"row_of_{problem.family}")
    values = (*arrays, np.int32(arrays[0].shape[1]), *map(np.float32, problem.scalars))
    constants = {"SIZE": rows.SIZE}
    launch = TritonLaunch(row.triton, row.signature, values, constants, problem.grid, row.multiples)
    return [launch]


def _rope(problem: Problem, arrays: Sequence[Array], _choice: Choice) -> Sequence[TritonLaunch]:
    function = _kernels("triton_rows").rope
    types = dict(zip(function.arg_names, map(_pointer, arrays), strict=False))
    positions, half = arrays[1].shape
    values = (*arrays, np.int32(positions))
    types["positions"] = "i32"
    return [TritonLaunch(function, types, values, {"HALF": half}, problem.grid)]


def _transpose(problem: Problem, arrays: Sequence[Array], choice: Choice) -> Sequence[TritonLaunch]:
    (rows, columns), (tile,) = arrays[0].shape, choice.tile
    types = {"x": _pointer(arrays[0]), "out": _pointer(arrays[1]), "rows": "i32", "columns": "i32"}
    values = (*arrays, np.int32(rows), np.int32(columns))
    grid = (rows // tile, columns // tile, 1)
    function = _kernels("triton_rows").transpose
    return [TritonLaunch(function, types, values, {"TILE": tile}, grid, ("rows", "columns"))]


# What is tried.


def _choices(*each: tuple[int, int, tuple[int, ...]]) -> tuple[Choice, ...]:
    return tuple(Choice(*one) for one in each)


WIDE, SQUARE = (128, 256), (128, 128)

DOTS = _choices(
    (8, 3, WIDE), (8, 4, WIDE), (4, 3, SQUARE), (4, 4, SQUARE), (8, 4, SQUARE), (4, 4, (64, 256)),
)  # fmt: skip
PERSISTENT = (Choice(8, 3, WIDE, persistent=True), Choice(8, 4, WIDE, persistent=True))
ATTENTIONS = _choices(
    (8, 2, SQUARE), (8, 3, SQUARE), (8, 3, (128, 64)), (4, 2, (64, 128)), (4, 3, (64, 64)),
    (4, 4, (64, 64)),
)  # fmt: skip
DEEP_ATTENTIONS = _choices(
    (8, 2, (128, 64)), (8, 2, (128, 32)), (8, 3, (128, 32)), (4, 2, (64, 32)), (4, 3, (64, 32)),
    (8, 2, (64, 64)),
)  # fmt: skip
GRADIENTS = _choices(
    (4, 2, (64, 64)), (4, 3, (64, 64)), (8, 2, (64, 64)), (8, 3, (64, 64)), (8, 2, (64, 128)),
    (8, 3, (64, 128)),
)  # fmt: skip
ROWS = tuple(map(Choice, (1, 2, 4, 8, 16, 32)))
TILES = _choices(*((warps, 1, (tile,)) for tile in (64, 128) for warps in (2, 4, 8)))

RIVALS: tuple[tuple[str, Make, tuple[Choice, ...]], ...] = (
    ("matmul_grouped", _grouped, DOTS),
    ("matmul_bf16", _bf16, (*DOTS, *PERSISTENT)),
    ("matmul", _matmul, DOTS),
    ("attention_backward", _backward, GRADIENTS),
    ("attention_256", _attention, DEEP_ATTENTIONS),
    ("attention", _attention, ATTENTIONS),
    ("softmax", _of_zoo, ROWS),
    ("layer_norm", _of_zoo, ROWS),
    ("copy", _of_rows("copy_rows"), ROWS),
    ("gather", _of_rows("gather_rows"), ROWS),
    ("row_sum", _of_rows("row_sum"), ROWS),
    ("cross_entropy", _of_rows("cross_entropy"), ROWS),
    ("rope", _rope, ROWS),
    ("transpose", _transpose, TILES),
)
"""By how a family's name begins: the first has it."""


@dataclass(frozen=True)
class TritonRival:
    """A choice, and its launches with their arguments."""

    choice: Choice
    launches: Sequence[tuple[Program, Grid, Sequence[DeviceArgument]]]


def triton_rivals(unit: Unit, problem: Problem, arrays: Sequence[Array]) -> list[TritonRival]:
    """Triton's kernels of a problem, in all choices that compile without spills."""
    if problem.reference == "scaled_matmul":
        return []
    make, choices = next(
        (made, tried) for name, made, tried in RIVALS if problem.family.startswith(name)
    )
    found: list[TritonRival] = []
    for choice in choices:
        launches = make(problem, arrays, choice)
        programs = [_program(unit, problem, choice, launch) for launch in launches]
        whole = [
            (program, _blocks(unit, choice, launch.grid), arguments)
            for (program, arguments), launch in zip(programs, launches, strict=True)
            if program is not None
        ]
        if len(whole) == len(launches):
            found.append(TritonRival(choice, whole))
    return found


def _blocks(unit: Unit, choice: Choice, grid: Grid) -> Grid:
    """The grid of a launch: persistent blocks are as many as run at once."""
    return (min(unit.device.multiprocessors, grid[0]), 1, 1) if choice.persistent else grid


def _program(
    unit: Unit, problem: Problem, choice: Choice, launch: TritonLaunch
) -> tuple[Program | None, Sequence[DeviceArgument]]:
    """Compiles a kernel into a module of a unit, unless it spills; how it is launched."""
    compiler: Any = importlib.import_module("tests.triton_compiler")
    made = compiler.compile_triton(
        launch.function,
        launch.types,
        launch.constants,
        capability=get_target(unit.device.target).compute_capability,
        warps=choice.warps,
        stages=choice.stages,
        multiples=launch.multiples,
    )
    named = str(choice).replace(", ", "_").replace(" ", "_")
    module = f"{problem.family}_triton_{made.name}_{named}"
    if module not in unit.made:
        assembled = assemble(made.ptx, unit.device.target, "-O3")
        spills = assembled.kernels[made.name].spills
        fits = made.shared <= unit.device.shared_bytes
        unit.made[module] = fits and not spills
        if unit.made[module]:
            unit.cubins[module] = assembled.cubin
        else:
            why = f"{spills} bytes of spills" if fits else f"{made.shared} bytes of shared memory"
            unit.notes.append(f"{problem.family}: Triton, {choice}: {why}")
    if not unit.made[module]:
        return None, ()
    program = Program(module, made.name, (made.threads, 1, 1), made.shared)
    return program, triton_arguments(launch, made.boxes)


def triton_arguments(
    launch: TritonLaunch, boxes: Sequence[tuple[tuple[int, ...], Any]]
) -> Sequence[DeviceArgument]:
    """The arguments as the kernel takes them."""
    arguments: list[DeviceArgument] = []
    left = iter(boxes)
    for type_, value in zip(launch.types.values(), launch.values, strict=True):
        if not type_.startswith("tensordesc") or not isinstance(value, np.ndarray):
            arguments.append(value)
            continue
        box, swizzle = next(left)
        # Tensor maps know no floats of eight bits. A descriptor is followed by sizes and strides.
        plain = value.view(np.uint8) if value.itemsize == 1 else value
        arguments.append(TensorMap(plain, box, swizzle))
        arguments += [np.int32(size) for size in value.shape]
        arguments += [np.int64(stride // value.itemsize) for stride in value.strides]
    # Two pointers to scratch memory, of which these kernels need none.
    return [*arguments, np.uint64(0), np.uint64(0)]
