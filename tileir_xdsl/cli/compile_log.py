"""The log of `tileir compile -v`: the executed passes, and a command that repeats them."""

import shlex
import sys
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileir_xdsl.bytecode.container import is_bytecode
from tileir_xdsl.diagnostics import FEWER_RESOURCES
from tileir_xdsl.levels import CUDA_TILE
from tileir_xdsl.options import Options
from tileir_xdsl.passes import PASSES
from tileir_xdsl.report.commands import with_words
from tileir_xdsl.runtime.compiled import Compiled
from tileir_xdsl.runtime.outputs import CUBIN, PTX
from tileir_xdsl.runtime.pass_specs import pass_spec
from tileir_xdsl.runtime.reader import new_context
from tileir_xdsl.walking import clone_of, ops_in


def count_operations(module: ModuleOp) -> int:
    """The number of ops, nested ops included, without the outer module."""
    return len(ops_in(module)) - 1


class Log:
    """Logs the passes, the size of the module after each, and a command that repeats them."""

    def __init__(self, file: str, contents: bytes, gpu: str, options: Options):
        self.file, self.contents = file, contents
        self.gpu, self.options = gpu, options
        self.specs: list[str] = []
        self._before: ModuleOp | None = None
        """A copy of the module after the last pass."""

    def line(self, name: str, size: str) -> None:
        """One line of the log."""
        print(f"{name:<56} {size}", file=sys.stderr)

    def module(self, name: str, module: ModuleOp) -> None:
        """Logs the size of a module, or that it is unchanged."""
        if self._before is not None and module.is_structurally_equivalent(self._before):
            self.line(name, "unchanged")
            return
        self._before = clone_of(module)
        self.line(name, f"{count_operations(module):6} ops")

    def step(self, step: ModulePass, module: ModuleOp) -> None:
        """Logs the result of a pass."""
        spec = pass_spec(step)
        self.specs.append(spec)
        self.module(spec, module)

    def finish(self, compiled: Compiled) -> None:
        """Logs the sizes of PTX and machine code, and a command line that repeats the passes."""
        has_ptx = compiled.emit in (PTX, CUBIN)
        if has_ptx:
            self.line("ptx", f"{compiled.text.count(chr(10)):6} lines")
        if isinstance(compiled.output, bytes):
            self.line("cubin", f"{len(compiled.output):6} bytes")
        print(shlex.join(self._replay(compiled, has_ptx)), file=sys.stderr)

    def _replay(self, compiled: Compiled, has_ptx: bool) -> list[str]:
        """The words of the command line.

        Source lines, bytecode, and text that is not an MLIR module need `tileir opt` instead of
        `xdsl-opt`.
        """
        is_plain = not self.options.lineinfo and is_plain_text(self.contents)
        named = with_words(self.options)
        is_plain = self.file != "-" and is_plain and not named
        command = ["xdsl-opt"] if is_plain else ["tileir", "opt", *named]
        words = [*command, self.file, "-p", self._pipeline(compiled)]
        if has_ptx:
            lines = " lineinfo=true" if self.options.lineinfo else ""
            words += ["-t", f"ptx{{gpu={self.gpu}{lines}}}"]
        return words

    def _pipeline(self, compiled: Compiled) -> str:
        """The passes one by one, or `tileir-pipeline` if only it has the same result.

        `tileir-pipeline` sets the ABI, and retries kernels that exceed a resource.
        """
        climbed = any(remark.name == FEWER_RESOURCES.name for remark in compiled.remarks)
        first = self.specs[0].partition("{")[0] if self.specs else ""
        is_whole = first in PASSES and PASSES[first].level == CUDA_TILE.name
        if is_whole and (climbed or self.options.abi is not None):
            return pipeline_spec(self.gpu, self.options)
        return ",".join(self.specs)


def pipeline_spec(gpu: str, options: Options) -> str:
    """`tileir-pipeline` with options."""
    given = {"gpu": gpu, **options.given()}
    return f"tileir-pipeline{{{' '.join(map(_assigned, given.items()))}}}"


def _assigned(option: tuple[str, object]) -> str:
    name, value = option
    if isinstance(value, tuple):
        text = ",".join(f'"{each}"' for each in cast(tuple[str, ...], value))
    else:
        text = f'"{value}"' if isinstance(value, str) and "-" in value else str(value)
    return f"{name.replace('_', '-')}={text.lower() if isinstance(value, bool) else text}"


def is_plain_text(contents: bytes) -> bool:
    """Whether `xdsl-opt` can read a program."""
    if is_bytecode(contents):
        return False
    try:
        Parser(new_context(), contents.decode(), "").parse_module()
    except (ParseError, DiagnosticException, ValueError):
        return False
    return True
