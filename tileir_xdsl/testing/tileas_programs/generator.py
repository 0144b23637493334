"""Makes a random program from a seed."""

from __future__ import annotations

import random

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Block, Region

from tileir_xdsl.dialects.nv_tileaa import FuncOp, KernelSpecAttr, ReturnOp
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.tileas_programs.draft import WARPS, Draft
from tileir_xdsl.testing.tileas_programs.families import (
    agents,
    async_work,
    buffers,
    collectives,
    control_flow,
    handshakes,
    pipelines,
    pointers,
    registers,
    scheduling,
    tma,
)
from tileir_xdsl.testing.tileas_programs.scope import Scope

KERNEL = "main"
TARGET = "sm_90a"
DEFAULT_SIZE = 10
SHAPES = ((4, 8), (8, 8), (16, 8), (8, 16))
ROWS = (
    *registers.ROWS,
    *collectives.ROWS,
    *buffers.ROWS,
    *control_flow.ROWS,
    *pipelines.ROWS,
    *handshakes.ROWS,
    *pointers.ROWS,
    *async_work.ROWS,
    *scheduling.ROWS,
    *tma.ROWS,
    *agents.ROWS,
)
_MAX_RESULTS = 6
_AGENTS_FOR_MACHINE = 0.6
"""The share of programs for machine code that surely have agents."""


def generate(
    seed: int,
    size: int = DEFAULT_SIZE,
    *,
    mixes_allocations: bool = False,
    for_machine: bool = False,
    target: str = TARGET,
) -> Program:
    """A program of `size` rows, some nested in others.

    Equal arguments give equal programs. About a third of the programs have no layouts yet. If it
    `mixes_allocations`, selects, loops and branches may choose between buffers of different
    allocations. If it is `for_machine`, the interpreter and the program's PTX compute the same
    bits.
    """
    numbers = random.Random(f"{seed} {size}")
    draft = Draft(numbers, size, Block(), numbers.random() < 0.67, numbers.choice(SHAPES))
    draft.mixes_allocations, draft.for_machine = mixes_allocations, for_machine
    draft.target = target
    scope = Scope(draft, ROWS, draft.entry)
    with_agents = for_machine and numbers.random() < _AGENTS_FOR_MACHINE
    while draft.steps > 0:
        if with_agents and not draft.has_agents and 2 * draft.steps <= size:
            agents.add_agents(scope)
        scope.step()
    _end(scope)
    types = FunctionType.from_lists(draft.entry.arg_types, [])
    body = Region(draft.entry)
    function = FuncOp(KERNEL, types, body, KernelSpecAttr(num_warps=WARPS))
    outputs = tuple(draft.outputs)
    return Program(
        seed,
        size,
        ModuleOp([function]),
        KERNEL,
        (1, 1, 1),
        tuple(draft.parameters),
        outputs,
        target,
    )


def _end(scope: Scope) -> None:
    """Stores tiles, mostly those without uses, and the contents of some buffers."""
    for buffer in scope.draft.random.sample(scope.buffers, min(len(scope.buffers), 3)):
        scope.tiles.append(buffers.read_tile(scope, buffer.value))
    tiles = scope.tiles or [scope.tile()]
    unused = [tile for tile in tiles if tile.first_use is None] or [scope.choose(tiles)]
    for tile in scope.draft.random.sample(unused, min(len(unused), _MAX_RESULTS)):
        registers.store(scope, tile)
    scope.add(ReturnOp())
