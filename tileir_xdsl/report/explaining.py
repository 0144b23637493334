"""Compiles one program, and writes its report at the same time.

    explain(contents, "attention.mlir", "sm_90a", Options(), ReportFiles(("attention.html",)))

If a compilation fails, its report ends at the pass that failed, with the diagnostic.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.backend.ptx import PrintedKernel
from tileir_xdsl.levels import LLVM, NV_TILEAS
from tileir_xdsl.options import Options
from tileir_xdsl.report.drawn import ChangedDrawings
from tileir_xdsl.report.files import ReportFiles, page_text
from tileir_xdsl.report.forcing import NOTHING_FORCED, Forced
from tileir_xdsl.report.llvm_text import llvm_text
from tileir_xdsl.report.machine_code import (
    NVDISASM_PACKAGE,
    assembled_code,
    tool_version,
)
from tileir_xdsl.report.ptx_text import ptx_text
from tileir_xdsl.report.recording import Recorder
from tileir_xdsl.report.resource_drawings import resource_drawings
from tileir_xdsl.report.resources import (
    KernelFacts,
    facts_before_layouts,
    resources_of,
    with_registers,
)
from tileir_xdsl.report.schema import (
    CompilationReport,
    Failure,
    Line,
    Resources,
    Run,
    Status,
    Text,
)
from tileir_xdsl.report.sources import sources_of
from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel, compiled_kernels
from tileir_xdsl.runtime.cpu.compiling import (
    ASSEMBLY,
    LLVM_IR,
    CPUCode,
    NotCovered,
    compiled_for_cpu,
    listed_for_cpu,
)
from tileir_xdsl.runtime.cpu.host import llvm_version, resolved
from tileir_xdsl.runtime.diagnostics import failing_operation
from tileir_xdsl.runtime.errors import CompileError, InputError
from tileir_xdsl.runtime.lowering import PassRecorder
from tileir_xdsl.runtime.outputs import PTX
from tileir_xdsl.runtime.program import Program, program_of
from tileir_xdsl.runtime.reader import new_context, read_contents
from tileir_xdsl.targets import DEFAULT_TARGET
from tileir_xdsl.targets.cpu import is_cpu
from tileir_xdsl.transforms.pipeline_road import Step

if TYPE_CHECKING:
    from tileir_xdsl.report.running import Launch

_FRAME = '<iframe srcdoc="{page}" style="width: 100%; height: 45em; border: 0"></iframe>'

LaunchOf = Callable[[Program], "Launch"]
"""A function from the program, as read, to a launch of a kernel."""


@dataclass(frozen=True, repr=False)
class Explained:
    """The report of a compilation; a notebook shows it as the page of `tileir explain`."""

    report: CompilationReport
    compiled: Compiled

    @cached_property
    def page(self) -> str:
        """The page as one self-contained HTML. Raises CompileError without the package jinja2."""
        return page_text(self.report)

    def write(self, file: str) -> None:
        """Writes the page if the name ends in `.html`, otherwise JSON. Raises CompileError."""
        ReportFiles((file,)).write(self.report)

    def __repr__(self) -> str:
        return repr(self.compiled)

    def _repr_html_(self) -> str:
        return _FRAME.format(page=escape(self.page))


@dataclass
class Explanation(PassRecorder):
    """The report of a compilation in progress; it observes the passes."""

    file: str
    contents: bytes | None
    """The contents of the source file; None if the source is the module's text."""
    gpu: str
    options: Options
    command: str
    files: ReportFiles
    forced: Forced = field(default_factory=Forced)
    status: Status = Status.RUNNING
    failure: Failure | None = None
    kernels: tuple[str, ...] = ()
    sources: tuple[Text, ...] = ()
    ptx: Text | None = None
    sass: Text | None = None
    llvm_ir: Text | None = None
    assembly: Text | None = None
    resources: Resources | None = None
    run: Run | None = None
    printed: list[PrintedKernel] = field(default_factory=list[PrintedKernel])
    facts: Mapping[str, KernelFacts] = field(default_factory=dict[str, KernelFacts])
    module: ModuleOp | None = None
    """The module in its present state."""

    def __post_init__(self) -> None:
        self.recorder = Recorder(
            self.file, self.gpu, ChangedDrawings(), self.forced, self._phase_added
        )
        self.tools: dict[str, str | None] = {"tileir": version("tileir_xdsl")}
        if is_cpu(self.gpu):
            self.tools["llvm"] = llvm_version()
        else:
            self.tools["ptxas"] = tool_version("ptxas", "nvidia-cuda-nvcc")
            self.tools["nvdisasm"] = tool_version("nvdisasm", NVDISASM_PACKAGE)

    @property
    def report(self) -> CompilationReport:
        """The report so far."""
        return CompilationReport(
            self.file,
            self.kernels,
            self.gpu,
            self.options.given(),
            self.command,
            self.tools,
            self.status,
            self.failure,
            self.sources,
            tuple(self.recorder.phases),
            self.ptx,
            self.sass,
            self.llvm_ir,
            self.assembly,
            self.resources,
            self.run,
        )

    def _phase_added(self) -> None:
        self.files.write_meanwhile(lambda: self.report)

    # Calls from `Program.compile`.

    def start(self, module: ModuleOp) -> None:
        """Called with the module before the first pass."""
        self.module = module
        self.recorder.start(module)
        if self.contents is None:
            read = self.recorder.phases[0].lines or ()
            self.sources = (Text(self.file, "mlir", read),)
        else:
            self.sources = sources_of(self.contents, self.file, self.recorder.provenance)

    def before(self, step: Step, module_pass: ModulePass, module: ModuleOp) -> ModulePass:
        """Called before a pass that has anything to do."""
        # The conversions out of these levels go by these facts.
        if step.takes is not step.level and step.level is NV_TILEAS:
            self.facts = facts_before_layouts(module)
        elif step.takes is not step.level and step.level is LLVM:
            self.facts = with_registers(self.facts, module)
        return self.recorder.before(step, module_pass, module)

    def after(self, step: Step, module: ModuleOp, *, ran: bool, ends_level: bool) -> None:
        """Called after every step."""
        self.recorder.after(step, module)

    def kernel(self, kernel: PrintedKernel) -> None:
        """Called with every kernel that is printed as PTX."""
        self.printed.append(kernel)

    # How a compilation ends.

    def finish(self, text: str, kernels: Sequence[CompiledKernel]) -> None:
        """Adds the PTX of the kernels, and what the assembler makes of it."""
        stem = Path(self.file).stem
        self.ptx = ptx_text(text, f"{stem}.ptx", self.printed, self.recorder.provenance)
        code = assembled_code(self.ptx, self.gpu, f"{stem}.sass")
        self.sass = None if code is None else code.sass
        for kernel in kernels[:1]:
            facts = self.facts.get(kernel.name, KernelFacts(kernel.name))
            resources = None if code is None else code.assembly.kernels.get(kernel.symbol)
            assert self.module is not None
            self.resources = resources_of(kernel, facts, self.module, self.gpu, resources)
            self.recorder.add_drawings(resource_drawings(self.resources, self.gpu))
        self.status = Status.DONE
        self.files.write(self.report)

    def finish_for_cpu(self, code: CPUCode) -> str:
        """Adds the LLVM IR and the assembly of the kernels; returns the assembly."""
        stem, provenance = Path(self.file).stem, self.recorder.provenance
        assert self.module is not None
        self.llvm_ir = llvm_text(code.llvm_ir, f"{stem}.ll", self.module, provenance)
        assembly = listed_for_cpu(code, self.options.opt_level).assembly
        lines = assembly.rstrip("\n").split("\n")
        self.assembly = Text(f"{stem}.s", "asm", tuple(map(Line, lines)))
        self.status = Status.DONE
        self.files.write(self.report)
        return assembly

    def launch(self, program: ModuleOp, launch: Launch) -> None:
        """Adds the run of a launch of a kernel; `program` is the module as it was read."""
        # Interpreters and emulator load only for a launch.
        running = importlib.import_module("tileir_xdsl.report.running")
        assert self.module is not None and self.ptx is not None
        self.run = running.run_of(program, self.module, self.ptx, launch, self.file)
        self.files.write(self.report)

    def end_without_ptx(self, message: str) -> None:
        """Ends the report of a module that has no PTX, with the reason."""
        self.failure = Failure(len(self.recorder.phases) - 1, message, None, ())
        self.status = Status.FAILED
        self.files.write(self.report)

    def fail(self, error: CompileError) -> None:
        """Adds the diagnostic with which the compilation ended."""
        if self.module is not None and not self.recorder.phases:
            self.start(self.module)
        phase, provenance = self.recorder.failed(), self.recorder.provenance
        where = error.location if error.line is not None else None
        cause = error.__context__
        while isinstance(cause, CompileError):
            cause = cause.__context__
        op = None if cause is None else failing_operation(cause)
        ids = () if op is None else provenance.origins(op)
        if not ids and where is not None:
            ids = provenance.at_place(where)
        self.failure = Failure(phase, error.message, where, ids)
        self.status = Status.FAILED
        if not self.sources and self.contents is not None:
            self.sources = sources_of(self.contents, self.file, provenance)
        self.files.write(self.report)


def explain(
    contents: bytes,
    file: str,
    gpu: str | None,
    options: Options,
    files: ReportFiles,
    *,
    command: str = "",
    forced: Forced = NOTHING_FORCED,
    emit: str = PTX,
    launch: LaunchOf | None = None,
) -> Explained:
    """Compiles a program to PTX or machine code, and writes the report of it.

    `launch` is called with the program as it was read, and returns a function that launches it; the
    run is in the report, too.

    For a processor, the program is compiled to assembly, or to LLVM IR if `emit` names it, and not
    launched.

    Raises CompileError as `Program.compile` does, after writing it to the report, and InputError
    for a file that cannot be written.
    """
    explanation = Explanation(
        file, contents, gpu or DEFAULT_TARGET, options, command, files, forced
    )
    if launch is not None and is_cpu(gpu):
        raise InputError("--run", f"is not available with --gpu {gpu}")
    try:
        module = explanation.module = read_contents(new_context(options.extensions), contents, file)
        if gpu is not None and is_cpu(gpu):
            return Explained(*_explained_for_cpu(explanation, module, file, gpu, emit))
        program = program_of(module, file, gpu, options)
        explanation.gpu = explanation.recorder.gpu = program.gpu
        explanation.kernels = tuple(kernel.name for kernel in program.kernels)
        compiled = program.compile(emit, record=explanation)
    except CompileError as error:
        explanation.fail(error)
        raise
    explanation.finish(compiled.text, compiled.kernels)
    if launch is not None:
        explanation.launch(program.module, launch(program))
    return Explained(explanation.report, compiled)


def _explained_for_cpu(
    explanation: Explanation, module: ModuleOp, file: str, gpu: str, emit: str
) -> tuple[CompilationReport, Compiled]:
    """The report of a program for a processor, and its LLVM IR or assembly.

    Raises CompileError if the interpreter runs it.
    """
    target, options = resolved(gpu), explanation.options
    explanation.gpu = explanation.recorder.gpu = target.name
    kernels = compiled_kernels(module, file)
    explanation.kernels = tuple(kernel.name for kernel in kernels)
    try:
        code = compiled_for_cpu(module, file, target, options, record=explanation)
    except CompileError as error:
        raise NotCovered(error.location, error.message).error from error
    assembly = explanation.finish_for_cpu(code)
    is_llvm_ir = emit == LLVM_IR
    emitted, text = (LLVM_IR, code.llvm_ir) if is_llvm_ir else (ASSEMBLY, assembly)
    return explanation.report, Compiled(file, target.name, emitted, options, text, kernels)
