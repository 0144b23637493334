"""Random programs of every level by seed: a module, its kernel and a launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.testing import programs, tileaa_programs, tileas_programs, tools
from tileir_xdsl.testing.llvm_programs.arguments import make_argument, module_text
from tileir_xdsl.testing.llvm_programs.generator import generate as generate_function
from tileir_xdsl.testing.programs.dense import KERNEL as DENSE_KERNEL
from tileir_xdsl.testing.programs.dense import dense_program
from tileir_xdsl.testing.programs.dense_loops import KERNEL as LOOP_KERNEL
from tileir_xdsl.testing.programs.dense_loops import dense_loop_program
from tileir_xdsl.testing.programs.program import Program

SIZE = 6
"""The number of steps of a program: small, so that a failure is easy to read."""

DENSE = "dense"
"""The name of `cuda_tile` programs of ops that passes rewrite, which use each other's results."""

LOOPS = "loops"
"""The name of `cuda_tile` programs with a loop that loads the operands of a dot."""


@dataclass(frozen=True, eq=False)
class RandomProgram:
    """A kernel for a target, and a launch with determined results."""

    module: ModuleOp
    kernel: str
    launch: LaunchInput
    target: str
    is_exact: bool = True
    """Whether the results are bitwise equal at every level."""


def random_program(
    level: str, seed: int, *, size: int = SIZE, target: str = "sm_90a"
) -> RandomProgram:
    """The program of a seed at one of `LEVELS`, of about `size` steps, for a target.

    Equal arguments give equal programs. Raises KeyError for another level.
    """
    return LEVELS[level](seed, size, target)


def _of(program: Program, *, is_exact: bool = True) -> RandomProgram:
    arguments = tuple(program.arguments(np.random.default_rng(program.seed)))
    launch = LaunchInput(program.grid, arguments)
    return RandomProgram(program.module, program.kernel, launch, program.target, is_exact)


def _dense(seed: int, _size: int, target: str) -> RandomProgram:
    text, launch = dense_program(seed)
    module = tools.parse(text, name=f"dense program {seed}")
    return RandomProgram(module, DENSE_KERNEL, launch, target)


def _loops(seed: int, _size: int, target: str) -> RandomProgram:
    text, launch = dense_loop_program(seed)
    module = tools.parse(text, name=f"loop program {seed}")
    return RandomProgram(module, LOOP_KERNEL, launch, target)


def _cuda_tile(seed: int, size: int, target: str) -> RandomProgram:
    # Of every second one the specification determines every bit, so that PTX has them, too.
    is_exact = bool(seed % 2)
    program = programs.generate(seed, size, exact=is_exact, target=target)
    return _of(program, is_exact=is_exact)


def _tileaa(seed: int, size: int, target: str) -> RandomProgram:
    return _of(tileaa_programs.generate(seed, size, target=target))


def _tileas(seed: int, size: int, target: str) -> RandomProgram:
    program = tileas_programs.generate(seed, size, for_machine=True, target=target)
    program.module.attributes[TARGET_ATTRIBUTE] = StringAttr(target)
    return _of(program)


def _llvm(seed: int, size: int, target: str) -> RandomProgram:
    function = generate_function(seed, size)
    module = tools.parse(module_text([function]), verify=False)
    module.attributes[TARGET_ATTRIBUTE] = StringAttr(target)
    arguments = tuple(map(make_argument, function.parameters))
    return RandomProgram(module, function.name, LaunchInput((1, 1, 1), arguments), target)


LEVELS: Mapping[str, Callable[[int, int, str], RandomProgram]] = {
    DENSE: _dense,
    LOOPS: _loops,
    "cuda_tile": _cuda_tile,
    "nv_tileaa": _tileaa,
    "nv_tileas": _tileas,
    "llvm": _llvm,
}
"""The generators of programs, by level."""
