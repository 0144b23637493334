"""Runs a kernel on numpy arrays, tile block by tile block."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.exceptions import InterpretationError

from tileir_xdsl.blas_threads import one_blas_thread
from tileir_xdsl.dialects import tilecpu as tilecpu_dialect
from tileir_xdsl.dialects.cuda_tile import EntryOp
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.dialects.nv_tileas.tensor_maps import TensorMapRecipe, tensor_map_recipes
from tileir_xdsl.interpreters import cuda_tile, extensions, nv_tileaa, nv_tileas, tilecpu
from tileir_xdsl.interpreters.address_space import AddressSpace
from tileir_xdsl.interpreters.arguments import Argument, bind_arguments
from tileir_xdsl.interpreters.arith import ARITH
from tileir_xdsl.interpreters.cuda_tile.batches import batch_capacity, run_batches
from tileir_xdsl.interpreters.errors import InterpreterError
from tileir_xdsl.interpreters.execution import Execution, ctas_of
from tileir_xdsl.interpreters.grid import Coordinates, check_grid, tile_blocks
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.math import MATH
from tileir_xdsl.interpreters.memory_order import MemoryOrder, ProgramOrder
from tileir_xdsl.interpreters.nv_tileas.tma import tensor_map
from tileir_xdsl.interpreters.registration import (
    pure_functions,
    region_functions,
    stateful_functions,
    terminator_functions,
)
from tileir_xdsl.interpreters.running_block import FIRST_CTA, Cta
from tileir_xdsl.interpreters.scf import SCF, SCF_TERMINATORS
from tileir_xdsl.interpreters.ub import UB
from tileir_xdsl.interpreters.undefined_notes import UndefinedNotes
from tileir_xdsl.interpreters.waits import waiting_loops
from tileir_xdsl.interpreters.watched_memory import WatchedMemory
from tileir_xdsl.nesting import levels_in, room_for
from tileir_xdsl.walking import ops_in

DEFAULT_ITERATION_LIMIT = 1_000_000
"""The number of loop iterations of a tile block after which a kernel counts as endless."""

_SHARED_DIALECTS = (
    pure_functions(ARITH),
    pure_functions(MATH),
    region_functions(SCF, keeps_buffers=True),
    terminator_functions(SCF_TERMINATORS),
    stateful_functions(UB),
)
"""The implementations of ops that are legal at several levels."""

RunBody = Callable[[Interpreter, Execution, tuple[Any, ...]], object]
"""Runs the body of a kernel once, with the values of its parameters."""


@dataclass(frozen=True)
class Kernel:
    """A kernel of the module: its name, its body, and a function to run it.

    The launch computes the last parameters, one for each of `tensor_maps`, from the others.
    """

    name: str
    body: Block
    run: RunBody
    tensor_maps: tuple[TensorMapRecipe, ...] = ()
    ctas: tuple[Cta, ...] = (FIRST_CTA,)
    """The thread blocks that execute a tile block; each one runs the body."""

    @property
    def parameters(self) -> Sequence[Attribute]:
        """The types of the parameters for which callers pass arguments."""
        return self.body.arg_types[: len(self.body.args) - len(self.tensor_maps)]


def launch(
    module: ModuleOp,
    kernel: str | None,
    grid: tuple[int, int, int],
    args: Sequence[Argument],
    *,
    order: Sequence[int] | None = None,
    output: TextIO | None = None,
    iteration_limit: int = DEFAULT_ITERATION_LIMIT,
    memory_order: MemoryOrder | None = None,
    strict: bool = False,
    listeners: Sequence[LaunchListener] = (),
    time_limit: float | None = None,
    progress: Callable[[int], None] | None = None,
    concurrent: bool = False,
    names: Sequence[str | None] = (),
    undefined: UndefinedNotes | None = None,
) -> None:
    """Runs a kernel for every tile block of `grid`, at the level of any tile dialect.

    `kernel` may be None if the module has only one. `args` has the arguments of the kernel: an
    array, updated in place, for a pointer; a number for anything else. Blocks run as if one after
    another, x fastest, or in the `order` of their linear numbers. In loops that poll memory, blocks
    take turns; if `concurrent`, they take turns wherever a listener allows it. Global variables
    start from their initial values. The kernel prints to `output`, standard output by default.
    Memory operations of a block happen in program order, or as `memory_order` says. If `strict`,
    undefined behaviour of `cuda_tile` ops is an error. `listeners` are called for every op;
    `undefined` records some undefined behaviour. A launch that takes more than `time_limit` seconds
    is an error. `progress` is called with the number of ended tile blocks. `names` name arguments.

    Raises `InterpreterError`, with a one-line message, for an invalid launch, for every fault of
    the kernel, and if all tile blocks wait for each other.
    """
    chosen = find_kernel(module, kernel)
    check_grid(grid, InterpreterError)
    waits = waiting_loops(_reached(chosen, module))
    memory = WatchedMemory() if waits or concurrent else AddressSpace()
    listeners = (*listeners, *(memory_order.listeners() if memory_order else ()))
    parameters = bind_arguments(memory, chosen.name, chosen.parameters, args, strict, names)
    maps = [tensor_map(recipe, chosen.parameters, parameters) for recipe in chosen.tensor_maps]
    execution = Execution(
        memory,
        grid,
        iteration_limit=iteration_limit,
        output=output or sys.stdout,
        order=memory_order or ProgramOrder(),
        strict=strict,
        listeners=listeners,
        time_limit=time_limit,
        progress=progress,
        waits=waits,
        concurrent=concurrent,
        undefined=undefined,
    )
    cuda_tile.allocate_globals(module, execution)
    nv_tileaa.allocate_globals(module, execution)
    for listener in listeners:
        listener.will_launch(execution)
    with room_for(levels_in(module)), one_blas_thread():
        _run(chosen, module, execution, _checked_order(grid, order), (*parameters, *maps))


def _run(
    chosen: Kernel,
    module: ModuleOp,
    execution: Execution,
    numbers: Sequence[int] | None,
    values: tuple[Any, ...],
) -> None:
    """Runs the tile blocks with these numbers, or all; some may run together."""
    if numbers is None and _may_run_together(execution):
        done = _run_together(chosen, module, execution, values)
        numbers = range(done, math.prod(execution.grid))
    _run_blocks(chosen, module, execution, tile_blocks(execution.grid, numbers), values)


def _reached(chosen: Kernel, module: ModuleOp) -> Operation:
    """The root of all ops that a kernel may execute; an entry of `cuda_tile` contains them all."""
    entry = chosen.body.parent_op()
    return entry if isinstance(entry, EntryOp) else module


def _may_run_together(execution: Execution) -> bool:
    """Whether no listener observes single tile blocks, and none of these waits."""
    watched = execution.listeners or execution.strict or execution.waits
    return not watched and isinstance(execution.order, ProgramOrder)


def _run_together(
    chosen: Kernel, module: ModuleOp, execution: Execution, values: tuple[Any, ...]
) -> int:
    """Runs tile blocks in batches as far as the kernel allows; returns how many have run."""
    entry = chosen.body.parent_op()
    if not isinstance(entry, EntryOp) or (capacity := batch_capacity(entry, execution.grid)) == 1:
        return 0
    with np.errstate(all="ignore"):
        # A dedicated interpreter: a batch that is refused leaves scopes behind.
        return run_batches(entry, capacity, _interpreter(module, execution), execution, values)


def _run_blocks(
    chosen: Kernel,
    module: ModuleOp,
    execution: Execution,
    blocks: Iterator[Coordinates],
    values: tuple[Any, ...],
) -> None:
    """Runs tile blocks of a launch one by one; raises `InterpreterError` for all errors."""
    interpreter = _interpreter(module, execution)

    def run() -> object:
        # A copy opens scopes of its own: tile blocks that take turns are in different ones.
        return chosen.run(copy(interpreter), execution, values)

    try:
        with np.errstate(all="ignore"):
            execution.run_grid(execution.grid, blocks, run, chosen.ctas)
    except InterpreterError as error:
        # Without the notes of the interpreter, which show the whole module.
        raise type(error)(str(error)) from None
    except InterpretationError as error:
        raise InterpreterError(f"kernel '{chosen.name}': {error}") from None
    except RecursionError:
        raise InterpreterError(f"kernel '{chosen.name}' calls functions too deeply") from None


def find_kernel(module: ModuleOp, name: str | None) -> Kernel:
    """Finds a kernel by name, or the only kernel. Raises `InterpreterError` if there is none."""
    kernels = {k.name: k for k in map(_as_kernel, ops_in(module)) if k is not None}
    if name is None and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name in kernels:
        return kernels[name]
    names = ", ".join(kernels) if kernels else "no kernels"
    if name is None:
        raise InterpreterError(
            f"expected a module of one kernel, or the name of a kernel: the module has {names}"
        )
    raise InterpreterError(f"kernel '{name}' not found: the module has {names}")


def _as_kernel(op: Operation) -> Kernel | None:
    match op:
        case EntryOp():
            return Kernel(op.sym_name.data, op.body.block, cuda_tile.run_entry(op))
        case tilecpu_dialect.FuncOp():
            return Kernel(op.sym_name.data, op.body.block, _run_function(op))
        case FuncOp() if op.kernel_spec is not None:
            maps = tensor_map_recipes(op)
            return Kernel(op.sym_name.data, op.body.block, _run_function(op), maps, ctas_of(op))
        case _:
            return None


def _run_function(op: FuncOp | tilecpu_dialect.FuncOp) -> RunBody:
    def run(interpreter: Interpreter, _execution: Execution, parameters: tuple[Any, ...]) -> object:
        return interpreter.run_ssacfg_region(op.body, parameters, op.name)

    return run


def _interpreter(module: ModuleOp, execution: Execution) -> Interpreter:
    interpreter = Interpreter(module, listeners=tuple(execution.listeners))
    for functions in (
        *(functions(execution) for functions in _SHARED_DIALECTS),
        *cuda_tile.functions(execution),
        *nv_tileaa.functions(execution),
        *nv_tileas.functions(execution),
        *tilecpu.functions(execution),
        *extensions.functions(execution),
    ):
        interpreter.register_implementations(functions)
    return interpreter


def _checked_order(grid: Coordinates, order: Sequence[int] | None) -> Sequence[int] | None:
    count = math.prod(grid)
    if order is not None and sorted(order) != list(range(count)):
        raise InterpreterError(f"the order must be a permutation of the {count} tile blocks")
    return order
