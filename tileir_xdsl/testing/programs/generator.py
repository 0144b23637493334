"""Random programs from a seed."""

from __future__ import annotations

import random

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Region, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.options import DEFAULT_OPTIONS
from tileir_xdsl.testing.programs.builder import Builder, Row
from tileir_xdsl.testing.programs.draft import PRINTER, Buffer, Draft
from tileir_xdsl.testing.programs.elements import (
    MEMORY_ELEMENTS,
    element_of,
    pointer_tile,
    shape_of,
    tile,
)
from tileir_xdsl.testing.programs.families.async_loops import (
    draw_kernel_hints,
    draw_options,
    emit_async_loop,
)
from tileir_xdsl.testing.programs.families.core_globals import new_global
from tileir_xdsl.testing.programs.families.masked_vectors import emit_masked_vectors
from tileir_xdsl.testing.programs.families.memory import store_whole
from tileir_xdsl.testing.programs.families.mma_loops import emit_mma_loop
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.scale import ASYNCHRONOUS, HUGE, LARGE, PIPELINED, SMALL, Scale
from tileir_xdsl.testing.programs.scopes import add_scopes
from tileir_xdsl.testing.programs.table import PATTERNS, TABLE
from tileir_xdsl.testing.programs.targets import CPU, MISSING_OPERATIONS, NEWEST, TARGETS
from tileir_xdsl.testing.programs.values import converted

KERNEL = "kernel"
DEFAULT_SIZE = 12

_GRIDS = ((1, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 1), (1, 2, 1), (2, 1, 2))
_SCALES = {SMALL: 50, LARGE: 10, PIPELINED: 20, HUGE: 1}
"""The scales of programs, with weights."""

_ASYNCHRONOUS = 0.3
"""The share of programs that are a loop around asynchronous work."""

_FOR_NEWEST = 0.06
"""The share of programs for the one target that supports every element type."""

_MASKED = 0.15
"""The share of programs with accesses in vectors under masks."""

_WITH_SCOPES = 0.15
"""The share of programs with debug information."""

_MAX_RESULTS = 10
"""The most unused values that a program stores at its end."""


def generate(
    seed: int,
    size: int = DEFAULT_SIZE,
    *,
    exact: bool = False,
    target: str | None = None,
    scale: Scale | None = None,
) -> Program:
    """A program of about `size` rows of the table; equal arguments give equal programs.

    The seed draws `target` and `scale`, unless they are given. If `exact`, the specification
    determines every output bit, except those of NaN; otherwise some operations have results that it
    only bounds.
    """
    source = random.Random(seed)
    drawn = _draw_target(source, seed)
    target = target or drawn
    grid = source.choice(_GRIDS)
    drawn_scale = source.choices(list(_SCALES), list(_SCALES.values()))[0]
    if random.Random(f"{seed} asynchronous").random() < _ASYNCHRONOUS:
        drawn_scale = ASYNCHRONOUS
    scale = scale or drawn_scale
    draft = Draft(
        source,
        np.random.default_rng(seed),
        exact,
        size // scale.step_cost,
        target,
        grid,
        scale,
        tuple(source.sample(scale.shapes, 5)),
        Block(),
    )
    builder = Builder(draft, _rows(exact, target), draft.entry)
    _begin(builder)
    _emit_rows(builder)
    # Drawn apart, so that the programs of other seeds stay.
    if random.Random(f"{seed} masked vectors").random() < _MASKED:
        emit_masked_vectors(builder)
    _end(builder)
    hints = draw_kernel_hints if scale.async_loops else _entry_hints
    entry = cuda_tile.EntryOp(KERNEL, Region(draft.entry), hints(builder))
    module = ModuleOp([cuda_tile.ModuleOp("program", [*draft.globals, entry])])
    if builder.chance(_WITH_SCOPES):
        add_scopes(module, source)
    return Program(
        seed,
        size,
        module,
        KERNEL,
        grid,
        tuple(draft.parameters),
        tuple(draft.outputs),
        target,
        draw_options(builder) if scale.async_loops else DEFAULT_OPTIONS,
    )


def _emit_rows(b: Builder) -> None:
    """Adds the loops of the program's scale, then rows of the table."""
    if b.draft.scale.mma_loops:
        b.step()
        emit_mma_loop(b)
    if b.draft.scale.async_loops:
        emit_async_loop(b)
    while b.draft.steps > 0:
        b.step()


def _draw_target(source: random.Random, seed: int) -> str:
    """A random target for a generation; occasionally the newest target."""
    drawn = source.choice(TARGETS)
    return NEWEST if random.Random(f"{seed} newest").random() < _FOR_NEWEST else drawn


def _rows(exact: bool, target: str) -> list[Row]:
    missing = MISSING_OPERATIONS.get(target, frozenset())
    rows = [row for operation, row in TABLE.items() if operation not in missing]
    return [row for row in (*rows, *PATTERNS) if row.exact or not exact]


def _begin(b: Builder) -> None:
    """Adds the index of the tile block, its own memory, and the first tokens."""
    if b.draft.blocks > 1:
        b.draft.block_number = _block_number(b)
    kinds = (("i32", "i64"), ("f16", "bf16", "f32", "f64"), MEMORY_ELEMENTS)
    for elements in b.sample(kinds, 0.8):
        buffer = _buffer(b, b.choose(elements))
        b.tokens[buffer] = b.add(cuda_tile.MakeTokenOp()).result
    b.tokens[PRINTER] = b.add(cuda_tile.MakeTokenOp()).result


def _block_number(b: Builder) -> SSAValue:
    """The linear index of the tile block: x + grid_x * (y + grid_y * z)."""
    x, y, z = b.add(cuda_tile.GetTileBlockIdOp()).results
    width, height, _ = b.add(cuda_tile.GetNumTileBlocksOp()).results
    plane = b.add(cuda_tile.AddIOp(y, b.add(cuda_tile.MulIOp(height, z)).result)).result
    number = b.add(cuda_tile.AddIOp(x, b.add(cuda_tile.MulIOp(width, plane)).result)).result
    b.keep(number)
    return number


def _buffer(b: Builder, element: str) -> Buffer:
    size = b.draft.scale.buffer
    if b.chance(0.7) or b.draft.target == CPU:
        base = b.output(element, size)
    else:
        parts = 1 << (b.draft.blocks - 1).bit_length()
        variable = new_global(b, element, size * parts, constant=False)
        get = cuda_tile.GetGlobalOp(variable.sym_name.data, pointer_tile(element))
        base = b.block_pointer(b.add(get).result, size)
    return Buffer(element, size, base)


def _end(b: Builder) -> None:
    """Stores values without uses."""
    unused = [v for values in b.values.values() for v in values if v.first_use is None]
    for value in b.draft.random.sample(unused, min(len(unused), _MAX_RESULTS)):
        store_whole(b, _storable(b, value))
    b.add(cuda_tile.ReturnOp())


def _storable(b: Builder, value: SSAValue) -> SSAValue:
    """Converts a value to a type that arrays have."""
    match element_of(value):
        case "i4":
            return b.add(
                cuda_tile.ExtIOp(value, tile("i8", shape_of(value)), cuda_tile.Signedness.SIGNED)
            ).result
        case "f4E2M1FN":
            return converted(b, value, "f32")
        case _:
            return value


def _entry_hints(b: Builder) -> cuda_tile.OptimizationHintsAttr | None:
    if b.chance(0.7):
        return None
    occupancy = DictionaryAttr({"occupancy": IntegerAttr(b.integer(1, 4), i64)})
    return cuda_tile.OptimizationHintsAttr({b.choose(("sm_90", "sm_100", "default")): occupancy})
