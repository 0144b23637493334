"""Compiles and launches programs of the library on a processor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.levels import CUDA_TILE
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.cpu.compiling import CPUCode, NotCovered, code_or_reason
from tileir_xdsl.runtime.cpu.host import why_not_here
from tileir_xdsl.runtime.cpu.launching import Arguments, CPUKernel, packed
from tileir_xdsl.runtime.cpu.loading import Loaded
from tileir_xdsl.runtime.cpu.printing import Printer
from tileir_xdsl.runtime.kernels import Kernel
from tileir_xdsl.runtime.launching import as_grid
from tileir_xdsl.targets.cpu import HOST_CPU


class Compilable(Protocol):
    """The parts of a program needed to compile it for a processor."""

    @property
    def file(self) -> str: ...

    @property
    def level(self) -> str: ...

    @property
    def module(self) -> ModuleOp: ...

    @property
    def options(self) -> Options: ...

    def kernel(self, name: str | None = None) -> Kernel: ...


@dataclass(frozen=True)
class CPUProgram:
    """A loaded kernel of a program, with the parameters of its callers."""

    kernel: CPUKernel
    parameters: Kernel

    def bind(self, arguments: Sequence[object]) -> Arguments:
        """Numbers and arrays in the form for the kernel; raises InputError for unsupported values.

        An array also supplies its sizes and strides.
        """
        values = [as_argument(value, f"argument {n}") for n, value in enumerate(arguments)]
        return packed(bind_arguments(self.parameters, [Argument(None, each) for each in values]))

    def launch(
        self,
        grid: Sequence[int] | int,
        *arguments: object,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        """Runs the kernel on arrays, which it may write.

        Raises InputError as `bind`, and for a fault of the kernel.
        """
        self.kernel.launch(as_grid(grid), self.bind(arguments), time_limit, threads)


def program_on_cpu(
    program: Compilable,
    name: str = HOST_CPU,
    kernel: str | None = None,
    *,
    unchecked: bool = False,
) -> CPUProgram:
    """A kernel of a program, compiled for this processor and loaded.

    `unchecked` omits the checks of addresses. Raises InputError for a program that no code is
    generated for, and without LLVM.
    """
    contents = str(program.module).encode()
    found = loaded_kernel(program, contents, name, kernel, unchecked=unchecked)
    if isinstance(found, NotCovered):
        raise found.error
    return CPUProgram(found, program.kernel(kernel))


def cpu_code(
    program: Compilable, contents: bytes, name: str, *, unchecked: bool = False
) -> CPUCode | NotCovered:
    """The code of a program at level `cuda_tile`, or why there is none.

    `contents` identify the program. Raises InputError without LLVM.
    """
    if program.level != CUDA_TILE.name:
        return NotCovered(program.file, f"code for a processor is made of {CUDA_TILE.name}")
    return code_or_reason(
        contents,
        lambda: program.module,
        program.file,
        name,
        options=program.options,
        unchecked=unchecked,
    )


def loaded_kernel(
    program: Compilable,
    contents: bytes,
    name: str,
    kernel: str | None = None,
    *,
    unchecked: bool = False,
) -> CPUKernel | NotCovered:
    """A loaded kernel of a program, or why it cannot be compiled.

    Raises InputError for an unknown name.
    """
    reason = why_not_here(name)
    if reason is not None:
        return NotCovered("cpu", reason)
    code = cpu_code(program, contents, name, unchecked=unchecked)
    if isinstance(code, NotCovered):
        return code
    return in_memory(code, program.kernel(kernel).name, program.file)


def in_memory(code: CPUCode, kernel: str, file: str) -> CPUKernel:
    """A kernel of compiled code, loaded. Raises InputError if the code calls missing functions."""
    facts = code.kernel(kernel)
    loaded = Loaded(code.object, [each.name for each in code.kernels], Printer(facts.sites))
    return CPUKernel(facts, loaded, file)
