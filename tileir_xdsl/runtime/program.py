"""A program from Tile IR to PTX: read, lowered step by step, run, compiled.

    program = load("matmul.mlir", "sm_90a")
    program.lower("nv_tileas")                      # to the end of a level
    program.lower("tileas-materialize-async").text  # or to the end of a pass
    program.run((8, 8), a, b, c)
    program.compile().text

A program is immutable, so threads may share it: `lower` returns a new program.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO, TypeAlias

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.backend import ptx
from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.levels import CUDA_TILE, LEVELS, LLVM
from tileir_xdsl.nesting import levels_in, room_for
from tileir_xdsl.options import Options
from tileir_xdsl.runtime import lowering
from tileir_xdsl.runtime.cache.entries import decode, encode
from tileir_xdsl.runtime.cache.keys import compile_key
from tileir_xdsl.runtime.cache.lookup import cached
from tileir_xdsl.runtime.collecting import collecting_seldom
from tileir_xdsl.runtime.compiled import (
    Compiled,
    CompiledKernel,
    as_html,
    assembled,
    compiled_kernels,
)
from tileir_xdsl.runtime.devices import EMULATOR
from tileir_xdsl.runtime.diagnostics import errors_in, remarks_of
from tileir_xdsl.runtime.errors import CompileError, Remark
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.kernels import Kernel, Parameter, find_kernel
from tileir_xdsl.runtime.outputs import CUBIN, EMITTED, OUTPUTS, PTX
from tileir_xdsl.runtime.reader import know_extensions, new_context, read_contents
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.targets import UnknownTargetError
from tileir_xdsl.transforms.pipeline_road import Step, note_options
from tileir_xdsl.walking import clone_of, ops_in

if TYPE_CHECKING:
    from tileir_xdsl.runtime.running import Run

Source: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | ModuleOp
"""A program: see `load`."""

Contents: TypeAlias = tuple[bytes, str]
"""Text or bytecode, and the name of the file for diagnostics."""

TEXT_NAME, BYTECODE_NAME, MODULE_NAME = "<text>", "<bytecode>", "<module>"
"""The names in diagnostics of programs without a file."""


def read(source: Source) -> tuple[ModuleOp, str]:
    """The module of a source (see `load`), and the name of its file for diagnostics.

    Raises CompileError for any error in the program.
    """
    if isinstance(source, ModuleOp):
        with errors_in(MODULE_NAME, UnknownTargetError), room_for(levels_in(source)):
            module = clone_of(source)
            module.verify()
            return module, MODULE_NAME
    contents, file = contents_of(source)
    return read_contents(new_context(), contents, file), file


def contents_of(source: str | os.PathLike[str] | bytes | bytearray | memoryview) -> Contents:
    """The text or bytecode of a source, and the name of its file for diagnostics.

    Raises CompileError for a file that cannot be read.
    """
    match source:
        case bytes() | bytearray() | memoryview():
            return bytes(source), BYTECODE_NAME
        case str() if not source or "\n" in source or "{" in source:
            with errors_in(TEXT_NAME, UnicodeEncodeError):
                return source.encode(), TEXT_NAME
        case str() | os.PathLike():
            return read_bytes(os.fspath(source))
        case _:
            raise CompileError("source", f"expected text, bytes or a path, got {type(source)}")


def load(source: Source, gpu: str | None = None, options: Options | None = None) -> Program:
    """Reads a program at any level.

    `source` is IR text, Tile IR bytecode, a path to a file of either, `-` for the standard input,
    or a module of xDSL. A string with a line break or a brace is text, any other string a path or
    `-`. `gpu` is the target, by default the one that the program names, otherwise `sm_90a`.

    Raises CompileError for any error in the program, an unknown target, and unsupported options.
    """
    options = options or Options()
    know_extensions(options.extensions)
    module, file = read(source)
    return program_of(module, file, gpu, options)


def program_of(
    module: ModuleOp, file: str, gpu: str | None, options: Options, names: Sequence[str] = ()
) -> Program:
    """A program that owns a verified module; raises as `load` does.

    `names` are the names of its only kernel's arguments in the source language.
    """
    know_extensions(options.extensions)
    level = lowering.checked_level(module, file)
    target = lowering.chosen_target(module, gpu, file)
    lowering.check_variant(target, options.extensions)
    lowering.enter_road(new_context(options.extensions), module, file, target, options)
    with errors_in(file, UnknownTargetError):
        lowering.check_options(options, level, target)
        rest = tuple(lowering.steps_to(LLVM, module, target, options))
    note_options(module, options)
    parameters = {kernel.name: kernel.parameters for kernel in compiled_kernels(module, file)}
    return Program(module, file, target, options, level.name, rest, parameters, names=names)


class Program:
    """An immutable program at one level of IR, for one target."""

    def __init__(
        self,
        module: ModuleOp,
        file: str,
        gpu: str,
        options: Options,
        level: str,
        rest: tuple[Step, ...],
        parameters: Mapping[str, tuple[Parameter, ...]],
        ptx_text: str | None = None,
        names: Sequence[str] = (),
    ):
        self._module = module
        self._file, self._gpu, self._options, self._level = file, gpu, options, level
        self._rest, self._parameters = rest, parameters
        self._ptx, self._names = ptx_text, tuple(names)
        self._lowered: dict[str, lowering.Lowered] = {}

    @property
    def file(self) -> str:
        """The name of the program's file."""
        return self._file

    @property
    def gpu(self) -> str:
        """The target."""
        return self._gpu

    @property
    def options(self) -> Options:
        """The compile options of the program."""
        return self._options

    @property
    def level(self) -> str:
        """The level of the program after the last pass: one of `OUTPUTS`."""
        return self._level

    @property
    def module(self) -> ModuleOp:
        """A copy of the module."""
        with room_for(levels_in(self._module)):
            return clone_of(self._module)

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The names of the kernel's arguments in its source; empty for Tile IR."""
        return self._names

    @property
    def passes(self) -> tuple[str, ...]:
        """The passes that remain until PTX."""
        return tuple(step.name for step in self._rest)

    @property
    def kernels(self) -> tuple[CompiledKernel, ...]:
        """The kernels, with the facts for their launches decided so far."""
        # Further down the road pointers do not tell what they point to.
        return tuple(
            replace(kernel, parameters=self._parameters[kernel.name])
            for kernel in compiled_kernels(self._module, self._file)
        )

    def kernel(self, name: str | None = None) -> Kernel:
        """The kernel called `name`, by default the only one. Raises CompileError if none fits."""
        return find_kernel(self._module, name, self._file)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The remarks of passes: requests not followed, and costs the user may not expect."""
        return tuple(remarks_of(self._module, self._file))

    @property
    def text(self) -> str:
        """The program as text: PTX at `ptx`, short-form Tile IR at `cuda_tile`, otherwise MLIR."""
        if self._ptx is not None:
            return self._ptx
        with room_for(levels_in(self._module)):
            if self._level == CUDA_TILE.name:
                return "".join(print_short(op) for op in self._module.body.block.ops)
            return str(self._module) + "\n"

    def lower(
        self,
        until: str = PTX,
        *,
        observe: lowering.Observer | None = None,
        record: lowering.PassRecorder | None = None,
        verify_each: bool = False,
    ) -> Program:
        """The program, lowered further.

        `until` is a level, whose passes all run, or the last pass to run. If a pass runs twice,
        `NAME` means its next run, and `NAME:2` its second. `observe` is called after each pass with
        the pass and the module, which it must not store; `record` observes more events. The module
        is verified at the end, with `verify_each` after every pass.

        Raises CompileError for a level or pass that is unknown or already passed, and if a pass or
        the PTX printer rejects the program.
        """
        road = self._road(until)
        if not road and until == self._level:
            return self
        module = self.module
        with errors_in(self._file), collecting_seldom():
            lowering.run_steps(
                new_context(),
                module,
                road,
                self._options,
                observe=observe,
                record=record,
                verify_each=verify_each,
            )
            trace = None if record is None else record.kernel
            text = ptx.emit(module, self._gpu, trace=trace) if until == PTX else None
        level = road[-1].level.name if road else self._level
        if until in OUTPUTS:
            level = until
        rest = self._rest[len(road) :]
        return Program(
            module,
            self._file,
            self._gpu,
            self._options,
            level,
            rest,
            self._parameters,
            text,
            self._names,
        )

    def _road(self, until: str) -> tuple[Step, ...]:
        if until in OUTPUTS:
            if OUTPUTS.index(until) < OUTPUTS.index(self._level):
                raise CompileError(
                    self._file, f"the program is at level {self._level}, below {until}"
                )
            last = LEVELS.index(lowering.level_named(until))
            return tuple(step for step in self._rest if LEVELS.index(step.level) <= last)
        named = (n for n, s in enumerate(self._rest) if until in (s.name, s.label))
        if (last := next(named, None)) is None:
            hint = self._nearest(until)
            raise CompileError(until, f"is neither a level nor a remaining pass{hint}")
        return self._rest[: last + 1]

    def _nearest(self, name: str) -> str:
        """A suggestion of a level or a remaining pass, for an unknown name."""
        return did_you_mean(name, (*EMITTED, *(step.label for step in self._rest)), most=3)

    def compile(
        self,
        emit: str = PTX,
        *,
        observe: lowering.Observer | None = None,
        record: lowering.PassRecorder | None = None,
        verify_each: bool = False,
    ) -> Compiled:
        """Compiles the program to a level or pass, to PTX or to machine code (`cubin`).

        Raises CompileError as `lower` does; for `cubin` also if `ptxas` is missing or rejects the
        PTX.
        """
        if emit not in EMITTED and not any(emit in (s.name, s.label) for s in self._rest):
            expected = f"expected {', '.join(EMITTED)} or a pass to come{self._nearest(emit)}"
            raise CompileError(f"emit={emit}", expected)
        level = PTX if emit == CUBIN else emit
        lowered = self.lower(level, observe=observe, record=record, verify_each=verify_each)
        text = lowered.text
        return Compiled(
            self._file,
            self._gpu,
            emit,
            self._options,
            text,
            lowered.kernels,
            lowered.remarks,
            assembled(text, self._gpu, self._options, self._file) if emit == CUBIN else None,
        )

    def run(
        self,
        grid: Sequence[int] | int,
        *arguments: object,
        kernel: str | None = None,
        level: str | None = None,
        races: bool = False,
        trace: TextIO | None = None,
        random_order: int | None = None,
        strict: bool = False,
        undefined: bool = False,
        step_limit: int | None = None,
        time_limit: float | None = None,
        progress: Callable[[int, int], None] | bool = True,
        output: TextIO | None = None,
        device: str = EMULATOR,
        resident_blocks: int | None = None,
    ) -> Run:
        """Runs a kernel, which writes into arrays; needs no GPU by default.

        `grid` has the numbers of tile blocks in one to three dimensions. `arguments` are numbers
        and arrays of numpy or with DLPack. As in cuTile, an array also passes its sizes and
        strides. `kernel` may be omitted for a program with one kernel. `level`, by default that of
        the program, selects the IR to execute: the interpreter runs `cuda_tile`, `nv_tileaa` and
        `nv_tileas`, the emulator `ptx`. With `device="gpu"`, a GPU executes `ptx`.

        `races` detects data races; at `ptx` the first race ends the run. `trace` gets a line for
        every executed op or PTX instruction, `output` the text that the kernel prints. The seed
        `random_order` makes memory operations and tile blocks run in a random order that the tokens
        allow. `strict` makes undefined behaviour an error. With `undefined` the result lists loads
        whose undetermined elements affect results, and tiles outside of views. `step_limit` limits
        each tile block's loop iterations, or at `ptx` all instructions; `time_limit` is in seconds.
        After two seconds a launch shows its progress on a terminal, unless `progress` is False. A
        function `progress` is called with the numbers of finished and of all tile blocks.
        `resident_blocks` is the most blocks that the emulator runs at once.

        Raises CompileError for an error in the kernel, arguments or launch.
        """
        # Compiling alone needs neither interpreters nor the emulator.
        from tileir_xdsl.runtime.running import run_program

        return run_program(
            self,
            grid,
            arguments,
            kernel=kernel,
            level=level,
            races=races,
            trace=trace,
            random_order=random_order,
            strict=strict,
            undefined=undefined,
            step_limit=step_limit,
            time_limit=time_limit,
            progress=progress,
            output=output,
            device=device,
            resident_blocks=resident_blocks,
        )

    def lowered(self, level: str) -> lowering.Lowered:
        """The program lowered to a level, for launches; it is cached.

        Raises CompileError as `lower` does.
        """
        # Nobody else has the module, so that it stays what it is.
        if level not in self._lowered:
            program = self.lower(level)
            self._lowered[level] = lowering.Lowered(program._module, program._ptx)
        return self._lowered[level]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        listed = "; ".join(kernel.summary for kernel in self.kernels)
        count = len(ops_in(self._module)) - 1
        return (
            f"<tileir.Program {self._file}: {self._level} for {self._gpu}, {count} ops: {listed}>"
        )

    def _repr_html_(self) -> str:
        return as_html(repr(self), self.text)


def compile(
    source: Source, gpu: str | None = None, *, emit: str = PTX, options: Options | None = None
) -> Compiled:
    """Compiles a program for a target.

    A program that was compiled before is read from the cache on disk: see
    `tileir_xdsl.runtime.cache`. `source` and `gpu` are as for `load`. `emit` is `ptx`, `cubin`, or
    a level or pass whose IR is the output.

        compile(bytecode, "sm_90a").text

    Raises CompileError for an error in the program, the target or the options.
    """
    chosen = options or Options()
    if isinstance(source, ModuleOp):
        return load(source, gpu, chosen).compile(emit)
    contents, file = contents_of(source)
    return cached(
        lambda: compile_key(contents, file, gpu, emit, chosen),
        lambda: program_of(
            read_contents(new_context(chosen.extensions), contents, file), file, gpu, chosen
        ).compile(emit),
        encode,
        decode,
    )
