"""Runs passes and names the first one that changes what a kernel computes, or breaks the IR.

Before the first pass, each kernel of the module is run on inputs that its signature suggests.
Inputs on which the program itself has an error, a race or undefined behaviour are left out. After
each pass the kernel is run again. Tile dialects run in the interpreters: arrays and prints must be
identical bit for bit. Results must not start to depend on elements that no op defines. Tokens must
still order all accesses, and once the program has barriers, none may be missing. `llvm` and `nvvm`
run as PTX in the emulator, where floats may differ by roundings. The emulator runs tile blocks in
another order, so results that the program itself leaves to their order are not compared. The op at
fault is found by its location in tile dialects (`tracing.py`), and by probes in PTX (`probing.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException

from tileir_xdsl.checking import observation as observations
from tileir_xdsl.checking.block_orders import BlockOrders
from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.expected_values import Fillers
from tileir_xdsl.checking.inputs import LaunchInput, launch_inputs
from tileir_xdsl.checking.probing import Convert, first_wrong_op
from tileir_xdsl.checking.rounding import RoundingErrors, allowed_errors
from tileir_xdsl.checking.stores import storing_op
from tileir_xdsl.checking.tracing import first_changed_op, first_rewritten_op
from tileir_xdsl.diagnostics import locate
from tileir_xdsl.dialects.cuda_tile import EntryOp
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.races import RaceDetector
from tileir_xdsl.levels import LLVM, Level, check_legal, is_legal
from tileir_xdsl.passes import PASSES, takes_option
from tileir_xdsl.runtime.tensor_maps import TensorMapError
from tileir_xdsl.walking import clone_of, ops_in

CANDIDATES = 10
"""The number of inputs that are tried for a kernel."""

INPUTS = 2
"""The number of inputs that are used: the first ones on which the program runs."""

FILLERS = (1, 3)
"""Numbers that successive runs put in place of elements that no op defines."""

Apply = Callable[[ModuleOp], None]


@dataclass(eq=False)
class Case:
    """A kernel, one input, and the results of the kernel after the last pass."""

    kernel: str
    launch_input: LaunchInput
    expected: observations.Observation
    of_machine: bool = False
    """Whether PTX computed the results; then later PTX must compute the same bits."""


@dataclass(frozen=True)
class Trial:
    """A quick check that only passes or fails; `seconds` limit a launch."""

    seconds: float


def _print_remark(text: str) -> None:
    print(f"remark: check: {text}", file=sys.stderr)


class PassCheck:
    """Runs passes over one module, and checks the module after each.

    `cases` are the launches to compare, by default generated from the signatures. A pass may change
    each result by `units` in the last place. The default of `units` is what the pass declares;
    without a declaration, bits are compared. A `trial` does not name the op at fault.
    """

    def __init__(
        self,
        module: ModuleOp,
        cases: Sequence[Case] | None = None,
        *,
        units: float | None = None,
        level: Level | None = None,
        remark: Callable[[str], None] = _print_remark,
        trial: Trial | None = None,
    ):
        """Runs each kernel on its inputs; a remark names a kernel for which no input works."""
        self.module = module
        self._source = module.clone()
        self._units = units
        self._level = level
        self._remark = remark
        self._seconds = None if trial is None else trial.seconds
        self._blames = trial is None
        self.cases = (
            [case for op in _kernels(module) for case in _cases(module, op, remark)]
            if cases is None
            else [*cases]
        )

    def run(self, name: str, apply: Apply, convert: Convert | None = None) -> None:
        """Applies a pass to the module; `convert` applies it with probes, if it has them.

        Raises `PassFailedException` that names the pass, and the op whose value it changed or
        that uses a value before its definition.
        """
        before = clone_of(self.module)
        apply(self.module)
        self.verify(name)
        self.compare(Change(name, apply, convert, before))

    def compare(self, change: Change) -> None:
        """Runs all cases on the module after a pass; raises as `run` does."""
        for case in self.cases[:]:
            self._compare(change, case)

    def run_pass(self, context: Context, module_pass: ModulePass) -> None:
        """Applies a pass as `xdsl-opt` does; raises as `run` does."""

        def convert(module: ModuleOp, executions: Mapping[int, int]) -> None:
            probes = {"probe": tuple(executions), "probe_executions": tuple(executions.values())}
            probed: ModulePass = replace(cast(Any, module_pass), **probes)
            probed.apply(context, module)

        self.run(
            module_pass.name,
            lambda module: module_pass.apply(context, module),
            convert if takes_option(module_pass, "probe") else None,
        )

    def verify(self, name: str) -> None:
        """Raises `PassFailedException` for invalid IR, and for IR of another level."""
        try:
            self.module.verify()
            verify_dominance(self.module)
            if self._level is not None:
                check_legal(self.module, self._level)
        except (VerifyException, PassFailedException) as error:
            message = str(error).strip().splitlines()[-1]
            raise PassFailedException(
                f"check: pass '{name}' leaves invalid IR: {message}"
            ) from None

    def _compare(self, change: Change, case: Case) -> None:
        is_llvm = is_legal(self.module, LLVM)
        where = f"check: pass '{change.name}' changes what kernel '{case.kernel}' computes"
        detector = RaceDetector()
        try:
            if is_llvm:
                after = observations.emulate(
                    self.module,
                    case.kernel,
                    case.launch_input,
                    races=True,
                    seconds=self._seconds,
                )
            else:
                after = observations.interpret(
                    self.module,
                    case.kernel,
                    case.launch_input,
                    memory_order=detector,
                    seconds=self._seconds,
                )
        except (InterpreterError, EmulatorError, TensorMapError) as error:
            if is_llvm and not case.of_machine and self._is_left_out(case, self._own_fault(case)):
                return
            culprit = self._culprit(change, case)
            raise PassFailedException(f"{where}: the kernel stops with: {error}{culprit}") from None
        if detector.races:
            raise PassFailedException(
                f"check: pass '{change.name}' leaves a race in kernel '{case.kernel}': "
                f"{detector.races[0]}"
            )
        exact = is_llvm == case.of_machine
        difference = self._difference(change, case, after, exact=exact)
        if difference is not None:
            if not exact and self._is_left_out(case, self._dependence(case, after)):
                return
            raise PassFailedException(f"{where}: {difference}{self._culprit(change, case, after)}")
        if exact:
            case.expected = after
        if not is_llvm:
            self._check_undefined(change, case)

    def _difference(
        self, change: Change, case: Case, after: observations.Observation, *, exact: bool
    ) -> str | None:
        """The first difference of a launch beyond the allowed roundings."""
        found = observations.find_difference(case.expected, after, exact=exact)
        units = _declared(change.name) if self._units is None else self._units
        if found is None or units is None:
            return found
        return observations.find_difference_beyond(
            case.expected, after, self._allowed(change, case, units)
        )

    def _allowed(self, change: Change, case: Case, units: float) -> Sequence[Array]:
        """The allowed errors of array elements, if each op may have an error of `units`."""
        expected = [*case.expected.arrays.values()]
        units = max(units, 1.0)
        if case.of_machine:
            return [observations.tolerance(array, units) for array in expected]

        def run_with(errors: RoundingErrors) -> Sequence[Array]:
            left = observations.interpret(
                change.before, case.kernel, case.launch_input, listeners=(errors,)
            )
            return [*left.arrays.values()]

        try:
            return [units * error for error in allowed_errors(run_with, expected)]
        except InterpreterError:
            # An assertion or an index may depend on roundings.
            return [np.zeros(array.shape) for array in expected]

    def _check_undefined(self, change: Change, case: Case) -> None:
        """Raises if results depend on elements that no op defines, and did not before the pass."""
        for filler in FILLERS:
            before, after = (
                _filled(module, case, filler) for module in (change.before, self.module)
            )
            if (
                before is None
                or observations.find_difference(case.expected, before, exact=True) is not None
            ):
                continue
            if (
                after is None
                or observations.find_difference(case.expected, after, exact=True) is not None
            ):
                raise PassFailedException(
                    f"check: pass '{change.name}' makes kernel '{case.kernel}' depend on elements "
                    f"that no op defines{self._culprit(change, case)}"
                )

    def _culprit(
        self, change: Change, case: Case, after: observations.Observation | None = None
    ) -> str:
        return change.culprit(case, after) if self._blames else ""

    def _orders(self, case: Case) -> BlockOrders:
        arguments, grid = case.launch_input.arguments, case.launch_input.grid
        limit = observations.ITERATION_LIMIT
        return BlockOrders(self._source, case.kernel, grid, arguments, iteration_limit=limit)

    def _own_fault(self, case: Case) -> str | None:
        """The error or race of the program itself in some order of blocks."""
        orders = self._orders(case)
        race = orders.failure() or orders.race()
        return None if race is None else str(race)

    def _dependence(self, case: Case, after: observations.Observation) -> str | None:
        """Why the program does not determine the differing elements; None if it does."""
        expected = [*case.expected.arrays.values()]
        differs = observations.differing_elements(expected, [*after.arrays.values()])
        return self._orders(case).dependence(differs, observations.differing_elements)

    def _is_left_out(self, case: Case, reason: str | None) -> bool:
        """Removes an input if there is a reason, which a remark states; returns whether."""
        if reason is None:
            return False
        self.cases.remove(case)
        self._remark(
            f"kernel '{case.kernel}' is not compared on one input, as its own result depends on "
            f"the order of its tile blocks: {reason}"
        )
        return True


def _filled(module: ModuleOp, case: Case, filler: int) -> observations.Observation | None:
    """The results of a launch with `filler` in undefined elements; None if the launch fails."""
    try:
        listeners = (Fillers(filler, (ub.PoisonOp,)),)
        return observations.interpret(module, case.kernel, case.launch_input, listeners=listeners)
    except InterpreterError:
        return None


def _declared(name: str) -> float | None:
    """The rounding error that a pass declares."""
    entry = PASSES.get(name)
    return None if entry is None else entry.rounding


@dataclass(frozen=True)
class Change:
    """A pass that has changed a module, and the module before the pass."""

    name: str
    apply: Apply | None
    """The pass; None if no pass made the module from the one before."""
    convert: Convert | None
    before: ModuleOp

    def culprit(self, case: Case, after: observations.Observation | None = None) -> str:
        """The first op with another result; empty if unknown."""
        if self.apply is None:
            return ""
        said, op = "the first op with another value is", None
        if not case.of_machine:
            # Once changed, the module may not be one that can be interpreted.
            with suppress(InterpreterError):
                op = self._first_op(case, after)
        if op is None and self.convert is None:
            said = "the first op that it changes is"
            op = first_rewritten_op(self.before, self.apply)
        if op is None:
            return ""
        text, *_ = str(op).splitlines()
        return f"; {said} {locate(op)}: {text}"

    def _first_op(self, case: Case, after: observations.Observation | None) -> Operation | None:
        kernel, launch_input = case.kernel, case.launch_input
        if self.convert is None:
            assert self.apply is not None
            return first_changed_op(self.before, self.apply, kernel, launch_input)
        op = first_wrong_op(self.before, self.convert, kernel, launch_input)
        element = after and observations.differing_element(case.expected, after, exact=False)
        if op is not None or not element:
            return op
        argument, index, _ = element
        return storing_op(self.before, kernel, launch_input, argument, index)


def _kernels(module: ModuleOp) -> list[EntryOp | FuncOp]:
    return [
        op
        for op in ops_in(module)
        if isinstance(op, EntryOp) or (isinstance(op, FuncOp) and op.kernel_spec is not None)
    ]


def _cases(module: ModuleOp, op: EntryOp | FuncOp, remark: Callable[[str], None]) -> list[Case]:
    """The first inputs on which a kernel is well defined."""
    kernel, cases, reason = op.sym_name.data, list[Case](), ""
    for launch_input in launch_inputs(op.body.block.arg_types, CANDIDATES):
        detector = RaceDetector()
        try:
            observation = observations.interpret(
                module, kernel, launch_input, strict=True, memory_order=detector
            )
        except InterpreterError as error:
            reason = reason or str(error)
            continue
        if detector.races:
            reason = reason or str(detector.races[0])
            continue
        cases.append(Case(kernel, launch_input, observation))
        if len(cases) == INPUTS:
            return cases
    if not cases:
        remark(
            f"kernel '{kernel}' is not compared, as no generated input gives it one meaning: "
            f"{reason}"
        )
    return cases
