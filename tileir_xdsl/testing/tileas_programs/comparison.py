"""Compares the results of a program before and after passes bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.dialects.nv_tileas import MemoryAttr
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import Disagreement, Failure, find_failure, observe
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.reduction import reduce_module
from tileir_xdsl.testing.tileas_programs.draft import splat

REFUSALS: Mapping[str, Sequence[str]] = {
    "tileas-slicing": (
        "unsupported op in Slicing pass",
        "unsupported op to be a lower bound in slicing pass ",
        "fail to get an initial forOperand in slicing pass",
        "unsupported atom of copyOp in slicing pass",
    ),
}
"""Messages with which a pass may refuse a program, by the pass's name."""


def compare(program: Program, passes: Sequence[str], *, reduce: bool = True) -> int:
    """Checks that a sequence of passes preserves a program's results.

    Each pass is written as for `xdsl-opt -p`. Returns the number of passes that ran; a pass is
    skipped if it refuses the program by one of `REFUSALS`. Raises `Disagreement` with the seed, the
    failure, and the program, which `reduce` makes small first.
    """
    before = observe(program, program.module)
    module = program.module.clone()
    try:
        ran = [name for name in passes if run_pass(module, name, verify=False)]
        module.verify()
        verify_dominance(module)
        after = observe(program, module)
        failure = None
    except Exception as error:
        ran, after, failure = list(passes), before, _failure(error)
    if failure is None:
        difference = find_difference(before, after, exact=True)
        failure = None if difference is None else Failure("another result", difference)
    if failure is not None:
        _find_first(program, ran, before, reduce)
        _raise(program, ran, failure, reduce)
    return len(ran)


def run_pass(module: ModuleOp, name: str, *, verify: bool = True) -> bool:
    """Runs a pass; returns False, with the module unchanged, if the pass refuses the program."""
    try:
        tools.run_passes(module, name, verify=verify)
    except PassFailedException as error:
        if str(error) not in REFUSALS.get(name.partition("{")[0], ()):
            raise
        return False
    return True


def _find_first(program: Program, passes: Sequence[str], before: Observation, reduce: bool) -> None:
    """Raises `Disagreement` for the first wrong pass."""
    current, ran = program.module, list[str]()
    for name in passes:
        ran.append(name)
        module = current.clone()
        try:
            if not run_pass(module, name):
                ran.pop()
                continue
            verify_dominance(module)
            after = observe(program, module)
        except Exception as error:
            _raise(program, ran, _failure(error), reduce)
        difference = find_difference(before, after, exact=True)
        if difference is not None:
            _raise(program, ran, Failure("another result", difference), reduce)
        current = module


def _failure(error: Exception) -> Failure:
    return Failure(type(error).__name__, str(error))


def _raise(program: Program, passes: Sequence[str], failure: Failure, reduce: bool) -> NoReturn:
    """Raises `Disagreement` for a pipeline whose last pass is wrong."""
    pipeline = ",".join(passes)
    module = program.module
    found = find_failure(program, module, pipeline)
    if reduce and found is not None:
        failure = found
        module = reduce_module(
            module, lambda m: _fails_alike(program, m, pipeline, found), stand_in
        )
        failure = find_failure(program, module, pipeline) or failure
    raise Disagreement(
        f"seed {program.seed}, size {program.size}, {pipeline}: {failure.message}\n"
        f"{tools.to_text(module)}"
    )


def _fails_alike(program: Program, module: ModuleOp, passes: str, failure: Failure) -> bool:
    found = find_failure(program, module, passes)
    return found is not None and found.kind == failure.kind


def stand_in(op: Operation, result: SSAValue) -> SSAValue | None:
    """A replacement of a dropped op's result: an operand of its type, or a constant."""
    for operand in op.operands:
        if operand.type == result.type:
            return operand
    if isinstance(op, arith.ConstantOp):
        return None
    match result.type:
        case IndexType() | IntegerType():
            return arith.ConstantOp(IntegerAttr(0, result.type)).result
        case TensorType(element_type=IntegerType() | Float32Type()) as type_ if not isinstance(
            type_.encoding, MemoryAttr
        ):
            return arith.ConstantOp(splat(result.type, 1)).result
        case _:
            return None
