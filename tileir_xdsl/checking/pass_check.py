"""Runs passes and names the first one that changes what a kernel computes, or breaks the IR.

Before the first pass, each kernel of the module is run on inputs that its signature suggests.
Inputs on which the program itself has an error, a race or undefined behaviour are left out. After
each pass the kernel is run again. Tile dialects run in the interpreters: arrays and prints must be
the same bit for bit. Once the program has barriers, none may be missing. `llvm` and `nvvm` run as
PTX in the emulator, where floats may differ by roundings. As that runs tile blocks in another
order, a result that the program itself leaves to their order is not compared. The op at fault is
found by its location in the first case (`tracing.py`), by probes in the second (`probing.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException

from tileir_xdsl.checking.block_orders import BlockOrders
from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.inputs import LaunchInput, launch_inputs
from tileir_xdsl.checking.observation import (
    ITERATION_LIMIT,
    Observation,
    differing_element,
    differing_elements,
    emulate,
    find_difference,
    interpret,
)
from tileir_xdsl.checking.probing import Convert, first_wrong_op
from tileir_xdsl.checking.stores import storing_op
from tileir_xdsl.checking.tracing import first_changed_op
from tileir_xdsl.diagnostics import locate
from tileir_xdsl.dialects.cuda_tile import EntryOp
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.interpreters.races import RaceDetector
from tileir_xdsl.levels import LLVM, is_legal
from tileir_xdsl.runtime.tensor_maps import TensorMapError
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.walking import clone_of, ops_in

CANDIDATES = 10
"""How many inputs are tried for a kernel."""

INPUTS = 2
"""How many of them are used: the first on which it runs."""

Apply = Callable[[ModuleOp], None]


@dataclass(eq=False)
class Case:
    """A kernel, one input, and what the last pass left it to compute."""

    kernel: str
    launch_input: LaunchInput
    expected: Observation


class PassCheck:
    """Runs passes over one module, each with a check of what it leaves."""

    def __init__(self, module: ModuleOp):
        """Runs each kernel on its inputs; a remark says where there is none that it runs on."""
        self.module = module
        self._source = module.clone()
        self.cases = [case for op in _kernels(module) for case in _cases(module, op)]

    def run(self, name: str, apply: Apply, convert: Convert | None = None) -> None:
        """Applies a pass to the module; `convert` does so with probes, if the pass has them.

        Raises `PassFailedException` that names the pass, and the op whose value it changed or
        that uses a value before its definition.
        """
        before = clone_of(self.module)
        for op, copy in zip(ops_in(self.module), ops_in(before), strict=True):
            copy.location = op.location
        apply(self.module)
        self._verify(name)
        for case in self.cases[:]:
            self._compare(_Change(name, apply, convert, before), case)

    def run_pass(self, context: Context, module_pass: ModulePass) -> None:
        """Applies a pass as `xdsl-opt` does; raises as `run` does."""

        def convert(module: ModuleOp, executions: Mapping[int, int]) -> None:
            assert isinstance(module_pass, ConvertTileASToLLVMPass)
            probe, counts = tuple(executions), tuple(executions.values())
            probed = replace(module_pass, probe=probe, probe_executions=counts)
            probed.apply(context, module)

        is_last = isinstance(module_pass, ConvertTileASToLLVMPass)
        self.run(
            module_pass.name,
            lambda module: module_pass.apply(context, module),
            convert if is_last else None,
        )

    def _verify(self, name: str) -> None:
        try:
            self.module.verify()
            verify_dominance(self.module)
        except VerifyException as error:
            message = str(error).strip().splitlines()[-1]
            raise PassFailedException(
                f"check: pass '{name}' leaves invalid IR: {message}"
            ) from None

    def _compare(self, change: _Change, case: Case) -> None:
        is_llvm = is_legal(self.module, LLVM)
        where = f"check: pass '{change.name}' changes what kernel '{case.kernel}' computes"
        races: list[OnChipRace] = []
        try:
            if is_llvm:
                after = emulate(self.module, case.kernel, case.launch_input)
            else:
                listeners = (OnChipRaces(races.append),)
                after = interpret(self.module, case.kernel, case.launch_input, listeners=listeners)
        except (InterpreterError, EmulatorError, TensorMapError) as error:
            if is_llvm and self._is_left_out(case, self._orders(case).failure()):
                return
            culprit = change.culprit(case) if isinstance(error, EmulatorError) else ""
            raise PassFailedException(f"{where}: it stops with: {error}{culprit}") from None
        if races:
            raise PassFailedException(
                f"check: pass '{change.name}' leaves a race in kernel '{case.kernel}': {races[0]}"
            )
        difference = find_difference(case.expected, after, exact=not is_llvm)
        if difference is not None:
            if is_llvm and self._is_left_out(case, self._dependence(case, after)):
                return
            raise PassFailedException(f"{where}: {difference}{change.culprit(case, after)}")
        if not is_llvm:
            case.expected = after

    def _orders(self, case: Case) -> BlockOrders:
        arguments, grid = case.launch_input.arguments, case.launch_input.grid
        limit = ITERATION_LIMIT
        return BlockOrders(self._source, case.kernel, grid, arguments, iteration_limit=limit)

    def _dependence(self, case: Case, after: Observation) -> str | None:
        """Why the program does not determine what differs; None if it does."""
        expected = [*case.expected.arrays.values()]
        differs = differing_elements(expected, [*after.arrays.values()])
        return self._orders(case).dependence(differs, differing_elements)

    def _is_left_out(self, case: Case, reason: str | None) -> bool:
        """Whether an input is left out for a reason, which a remark gives."""
        if reason is None:
            return False
        self.cases.remove(case)
        print(
            f"remark: check: kernel '{case.kernel}' is not compared on one input, as its own "
            f"result depends on the order of its tile blocks: {reason}",
            file=sys.stderr,
        )
        return True


@dataclass(frozen=True)
class _Change:
    """A pass that has changed a module, and the module before."""

    name: str
    apply: Apply
    convert: Convert | None
    before: ModuleOp

    def culprit(self, case: Case, after: Observation | None = None) -> str:
        """The first op that computes something else; empty if it cannot be told."""
        try:
            op = self._first_op(case, after)
        except InterpreterError:
            # Once changed, the module cannot be interpreted.
            return ""
        if op is None:
            return ""
        text, *_ = str(op).splitlines()
        return f"; the first op with another value is {locate(op)}: {text}"

    def _first_op(self, case: Case, after: Observation | None) -> Operation | None:
        kernel, launch_input = case.kernel, case.launch_input
        if self.convert is None:
            return first_changed_op(self.before, self.apply, kernel, launch_input)
        op = first_wrong_op(self.before, self.convert, kernel, launch_input)
        element = after and differing_element(case.expected, after, exact=False)
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


def _cases(module: ModuleOp, op: EntryOp | FuncOp) -> list[Case]:
    """The first inputs on which a kernel is well defined."""
    kernel, cases, reason = op.sym_name.data, list[Case](), ""
    for launch_input in launch_inputs(op.body.block.arg_types, CANDIDATES):
        detector = RaceDetector()
        try:
            observation = interpret(
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
        print(
            f"remark: check: kernel '{kernel}' is not compared, as no generated input gives it one "
            f"meaning: {reason}",
            file=sys.stderr,
        )
    return cases
