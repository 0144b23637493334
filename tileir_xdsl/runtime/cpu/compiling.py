"""Compiles Tile IR for a processor: by the passes of the CPU road, LLVM IR, machine code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.backend import llvm_ir
from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.interpreters.waits import waiting_loops
from tileir_xdsl.options import DEFAULT_OPTIONS, Options
from tileir_xdsl.passes import takes_option
from tileir_xdsl.runtime.cache.entries import Title, decode_value, encode_value
from tileir_xdsl.runtime.cache.keys import compile_key
from tileir_xdsl.runtime.cache.lookup import cached
from tileir_xdsl.runtime.collecting import collecting_seldom
from tileir_xdsl.runtime.cpu.code import MachineCode, machine_code, object_code
from tileir_xdsl.runtime.cpu.host import llvm, resolved
from tileir_xdsl.runtime.cpu.kernel_facts import CPUKernelFacts, kernel_facts
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import Observer, PassRecorder, run_steps
from tileir_xdsl.runtime.reader import new_context
from tileir_xdsl.targets.cpu import CPUTarget
from tileir_xdsl.transforms.pipeline_road import Step, remaining

LLVM_IR, ASSEMBLY, OBJECT = "llvm-ir", "asm", "object"

CPU_OUTPUTS = (LLVM_IR, ASSEMBLY, OBJECT)
"""Outputs of compiling for a processor, in addition to the IR after a pass."""


@dataclass(frozen=True)
class CPUCode:
    """Kernels compiled for a processor."""

    target: str
    llvm_ir: str
    object: bytes
    kernels: tuple[CPUKernelFacts, ...]

    def kernel(self, name: str) -> CPUKernelFacts:
        """The kernel of a name, which must exist."""
        return next(kernel for kernel in self.kernels if kernel.name == name)


@dataclass(frozen=True)
class NotCovered:
    """The reason why a program cannot be compiled for a processor."""

    location: str
    reason: str

    @property
    def error(self) -> InputError:
        """The error for the reason."""
        return InputError(self.location, f"{self.reason}; the interpreter runs it")


def lowered_for_cpu(
    module: ModuleOp,
    file: str,
    target: CPUTarget,
    options: Options = DEFAULT_OPTIONS,
    until: str | None = None,
    *,
    unchecked: bool = False,
    observe: Observer | None = None,
    record: PassRecorder | None = None,
) -> ModuleOp:
    """Lowers a module in place, to the end of the CPU road or of pass `until`.

    Raises InputError if a pass rejects the module, and if `until` has run before.
    """
    _check_needs_no_other_block(module, file)
    with errors_in(file), collecting_seldom():
        road = remaining(module, target.name, options)
        if until is not None:
            labels = [step.label for step in road]
            if until not in labels:
                raise InputError(file, f"pass {until} has already run on the program")
            road = road[: labels.index(until) + 1]
        if unchecked:
            road = [_unchecked(step) for step in road]
        context = new_context(options.extensions)
        run_steps(context, module, road, options, observe=observe, record=record)
    return module


def _unchecked(step: Step) -> Step:
    """The step with checks of accesses disabled, if its pass inserts them."""
    made: Any = step.module_pass
    if not takes_option(made, "unchecked"):
        return step
    return replace(step, make=lambda: replace(made, unchecked=True))


def _check_needs_no_other_block(module: ModuleOp, file: str) -> None:
    """Raises InputError for a loop that waits for another block, as each block runs to its end."""
    for loop in waiting_loops(module):
        message = f"'{loop.name}' waits for other blocks, which a processor may not run beside it"
        raise InputError(location_text(loop.location) or file, message)


def compiled_for_cpu(
    module: ModuleOp,
    file: str,
    target: CPUTarget,
    options: Options = DEFAULT_OPTIONS,
    *,
    unchecked: bool = False,
    record: PassRecorder | None = None,
) -> CPUCode:
    """Compiles a module, which is modified.

    Raises InputError if a pass rejects it.
    """
    lowered = lowered_for_cpu(module, file, target, options, unchecked=unchecked, record=record)
    with errors_in(file):
        text = llvm_ir.emit(lowered)
    code = object_code(text, target, options.opt_level)
    return CPUCode(target.name, text, code, tuple(kernel_facts(lowered)))


def listed_for_cpu(code: CPUCode, level: int = 3) -> MachineCode:
    """The machine code of kernels, with assembly text."""
    return machine_code(code.llvm_ir, resolved(code.target), level)


def code_or_reason(
    contents: bytes,
    read: Callable[[], ModuleOp],
    file: str,
    name: str,
    *,
    options: Options = DEFAULT_OPTIONS,
    unchecked: bool = False,
) -> CPUCode | NotCovered:
    """The code of a program for the processor `name`, from the cache on disk if it is there.

    `contents` identify the program, and `read` returns a module of `cuda_tile` that may be
    modified. If no code can be generated, the reason is returned. Raises InputError without LLVM.
    """
    target = resolved(name)

    def make() -> CPUCode | NotCovered:
        try:
            return compiled_for_cpu(read(), file, target, options, unchecked=unchecked)
        except InputError as error:
            return NotCovered(error.location, error.message)

    purpose = f"cpu {llvm().llvm_version_info} {'unchecked' if unchecked else ''}"
    return cached(
        lambda: compile_key(contents, file, target.name, OBJECT, options, purpose),
        make,
        lambda made: encode_value(Title(file, target.name, OBJECT), _shown(made), made),
        decode_value,
    )


def _shown(made: CPUCode | NotCovered) -> str | bytes:
    return made.object if isinstance(made, CPUCode) else made.reason
