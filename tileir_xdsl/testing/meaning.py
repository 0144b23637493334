"""Checks that two programs, or a program before and after a pass, compute the same results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.checking.inputs import Argument, LaunchInput
from tileir_xdsl.checking.pass_check import Change, PassCheck
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.pass_checks.checking import observed
from tileir_xdsl.walking import clone_of

Program: TypeAlias = ModuleOp | str
"""A program: a module, or its text."""

Changed: TypeAlias = Program | ModulePass | Callable[[ModuleOp], None]
"""The second program, or a pass that makes it from the first."""


_SECOND = "after"
"""The name of the second program if no pass has made it."""


def assert_same_meaning(
    before: Program,
    after: Changed,
    *,
    arguments: Sequence[Argument] | None = None,
    grid: tuple[int, int, int] = (1, 1, 1),
    kernel: str | None = None,
    rounding: float | None = None,
) -> None:
    """Checks that a program computes the same results as another, or as after a pass.

    Kernels are launched on `arguments`, arrays and numbers, by default on inputs that fit their
    signatures. The programs may be at any levels, but the second must not be above the first.
    Races, missing barriers and undefined elements are also faults. `rounding` is the tolerance of
    an op's result, in units in the last place; without it bits are compared.

    Raises AssertionError, which names the difference and, after a pass, the first op whose value
    changed. AssertionError is also raised if no input determines the results of a kernel, and if
    there is no kernel.
    """
    first = clone_of(_module(before))
    cases = None
    if arguments is not None:
        name = kernel or find_kernel(first, None, "before").name
        case = observed(first, name, LaunchInput(grid, tuple(arguments)))
        cases = [] if case is None else [case]
    reasons: list[str] = []
    check = PassCheck(first, cases, units=rounding, remark=reasons.append)
    if reasons or not check.cases:
        raise AssertionError("\n".join(reasons) or "there is no kernel to compare on this launch")
    try:
        _compare(check, after)
    except PassFailedException as error:
        message = str(error).removeprefix("check: ")
        raise AssertionError(message.replace(f"pass '{_SECOND}'", "the second program")) from None


def _compare(check: PassCheck, after: Changed) -> None:
    if isinstance(after, ModulePass):
        check.run_pass(tools.context(), after)
    elif callable(after):
        check.run(getattr(after, "__name__", _SECOND), after)
    else:
        before, check.module = check.module, clone_of(_module(after))
        check.verify(_SECOND)
        check.compare(Change(_SECOND, None, None, before))


def _module(program: Program) -> ModuleOp:
    return tools.parse(program) if isinstance(program, str) else program
