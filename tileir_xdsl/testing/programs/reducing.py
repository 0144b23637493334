"""Reduces the failing program of a seed, at any level, and writes a FileCheck test of it.

    python -m tileir_xdsl.testing.programs reduce --level nv_tileaa --seed 7 --write x.mlir

With `--passes`, the failure is one of these passes; otherwise, of the compilation to PTX. Every
reduced program is valid. The test compares all levels of the reduced program by `tileir check`, and
runs the passes on it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.testing import tileaa_programs, tileas_programs, tools
from tileir_xdsl.testing.programs.comparison import Failure, find_failure
from tileir_xdsl.testing.programs.generator import generate
from tileir_xdsl.testing.programs.machine import find_machine_failure
from tileir_xdsl.testing.programs.program import (
    AliasParameter,
    Argument,
    Parameter,
    Program,
    ScalarParameter,
)
from tileir_xdsl.testing.programs.reduction import StandIn, reduce_module
from tileir_xdsl.testing.tileaa_programs.machine import find_machine_failure as find_tileaa_failure
from tileir_xdsl.testing.tileaa_programs.stand_ins import stand_in as tileaa_stand_in
from tileir_xdsl.testing.tileas_programs.comparison import stand_in as tileas_stand_in
from tileir_xdsl.testing.tileas_programs.machine import find_machine_failure as find_tileas_failure
from tileir_xdsl.testing.tileas_programs.machine import generate_for_machine

Find = Callable[[Program, ModuleOp], Failure | None]


@dataclass(frozen=True)
class Level:
    """How programs of a level are generated, compared with their PTX, and reduced."""

    generate: Callable[[int, int, str | None], Program]
    """Generates a program from a seed, a size and a target."""
    find: Find
    size: int
    stand_in: StandIn | None = None


def _tileas_program(seed: int, size: int, target: str | None) -> Program:
    if target is not None:
        return tileas_programs.generate(seed, size, for_machine=True, target=target)
    return generate_for_machine(seed, size)


def _unrefused(program: Program, module: ModuleOp) -> Failure | None:
    """The failure of an `nv_tileas` program; None if there is none or a pass refuses the
    program.
    """
    found = find_tileas_failure(program, module)
    return found if isinstance(found, Failure) else None


LEVELS: Mapping[str, Level] = {
    "cuda_tile": Level(
        lambda seed, size, target: generate(seed, size, exact=True, target=target),
        find_machine_failure,
        12,
    ),
    "nv_tileaa": Level(
        lambda seed, size, target: tileaa_programs.generate(seed, size, target=target),
        find_tileaa_failure,
        10,
        tileaa_stand_in,
    ),
    "nv_tileas": Level(_tileas_program, _unrefused, 10, tileas_stand_in),
}
"""The levels by name."""


@dataclass(frozen=True)
class Reduced:
    """A reduced failing program, and its failure."""

    program: Program
    module: ModuleOp
    failure: Failure
    passes: str | None


def reduce_program(level: Level, program: Program, passes: str | None = None) -> Reduced | None:
    """The smallest program that fails in the same way; None if the program does not fail."""

    def find(module: ModuleOp) -> Failure | None:
        if passes is not None:
            return find_failure(program, module, passes)
        return level.find(program, module)

    failure = find(program.module)
    if failure is None:
        return None
    kind = failure.kind

    def fails_alike(smaller: ModuleOp) -> bool:
        found = find(smaller)
        return found is not None and found.kind == kind

    module = reduce_module(program.module, fails_alike, level.stand_in)
    return Reduced(program, module, find(module) or failure, passes)


# The test.


def _argument(parameter: Parameter, made: Argument, all_: Sequence[Parameter]) -> str:
    """An argument in the syntax of `tileir check`, which fills arrays with its own random numbers.

    `tileir check` supports no aliases, so an alias gets a separate array of the same size.
    """
    if isinstance(parameter, ScalarParameter):
        return str(made)
    if isinstance(parameter, AliasParameter):
        return _argument(all_[parameter.of], made, all_)
    return f"random:{parameter.element}:{parameter.count}"


def _option(name: str, value: object) -> str:
    """A compile option in the syntax of `tileir`; boolean options have no value."""
    word = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{word}" if value else f"--no-{word}"
    return f"--{word}={value}"


def check_command(program: Program) -> str:
    """The `tileir check` command that compares all levels of a program."""
    made = program.arguments(np.random.default_rng(program.seed))
    words = ["tileir check %s", f"--gpu {program.target}", f"--kernel {program.kernel}"]
    words.append(f"--grid {','.join(map(str, program.grid))}")
    words += [_option(name, value) for name, value in program.options.given().items()]
    parameters = program.parameters
    pairs = zip(parameters, made, strict=True)
    words += [f"--arg={_argument(*pair, parameters)}" for pair in pairs]
    return " ".join(words)


def lit_test(reduced: Reduced) -> str:
    """A lit test: `tileir check` compares all levels, and the passes run without error."""
    program, first_line = reduced.program, reduced.failure.message.partition("\n")[0]
    lines = [f"// Once: {first_line}", f"// RUN: {check_command(program)} | filecheck %s"]
    if reduced.passes is not None:
        passes = reduced.passes.replace("'", '"')
        lines.append(f"// RUN: xdsl-opt %s -p '{passes}' | filecheck %s --check-prefix=PASSES")
    lines += ["", "// CHECK-NOT: {{disagrees|races}}", "// CHECK: ptx"]
    lines.append("// CHECK-NOT: {{disagrees|races}}")
    if reduced.passes is not None:
        lines.append(f"// PASSES: {program.kernel}")
    return "\n".join([*lines, "", tools.to_text(reduced.module), ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints or writes the test of a seed; returns 1 if its program does not fail."""
    parser = argparse.ArgumentParser(
        prog="python -m tileir_xdsl.testing.programs reduce", description=__doc__
    )
    parser.add_argument("--level", choices=LEVELS, default="cuda_tile")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--size", type=int, help="as the program was made with")
    parser.add_argument("--gpu", help="the target, by default that of the seed")
    parser.add_argument("--passes", help="what fails, as after `xdsl-opt -p`; else the way to PTX")
    parser.add_argument("--write", type=Path, help="the file of the test")
    options = parser.parse_args(arguments)
    level = LEVELS[options.level]
    size = level.size if options.size is None else options.size
    program = level.generate(options.seed, size, options.gpu)
    reduced = reduce_program(level, program, options.passes)
    if reduced is None:
        print(f"seed {options.seed}, size {size}: nothing fails")
        return 1
    text = lit_test(reduced)
    if options.write is None:
        print(text)
    else:
        options.write.write_text(text, "utf-8")
        print(f"{options.write}: {reduced.failure.message.partition(chr(10))[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
