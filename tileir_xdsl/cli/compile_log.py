"""What `tileir compile -v` prints: the passes as they run, and how to replay them."""

import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.bytecode.container import is_bytecode
from tileir_xdsl.runtime.outputs import CUBIN, PTX
from tileir_xdsl.runtime.pass_specs import pass_spec


def count_operations(module: ModuleOp) -> int:
    """The number of ops, nested ones included, the outer module not."""
    return sum(1 for _ in module.walk()) - 1


class Log:
    """The passes as they run, each with what has become of the module, and how to replay them."""

    def __init__(self, file: str, target_options: str):
        self.file, self.target_options = file, target_options
        self.specs: list[str] = []
        self._before: ModuleOp | None = None
        """A copy of the module as the last pass has left it."""

    def line(self, name: str, size: str) -> None:
        """One line of the log."""
        print(f"{name:<56} {size}", file=sys.stderr)

    def module(self, name: str, module: ModuleOp) -> None:
        """The size of a module, or that it is the same as the last time."""
        if self._before is not None and module.is_structurally_equivalent(self._before):
            self.line(name, "unchanged")
            return
        self._before = module.clone()
        self.line(name, f"{count_operations(module):6} ops")

    def step(self, step: ModulePass, module: ModuleOp) -> None:
        """What a pass has done."""
        spec = pass_spec(step)
        self.specs.append(spec)
        self.module(spec, module)

    def finish(self, emit: str, text: str, output: str | bytes) -> None:
        """The sizes of PTX and machine code, and the command line that reproduces the text.

        Lines of the source `xdsl-opt` only knows where the text says `loc(..)`.
        """
        replay = f"{_opt_command(self.file)} -p '{','.join(self.specs)}'"
        if emit in (PTX, CUBIN):
            self.line("ptx", f"{text.count(chr(10)):6} lines")
            replay += f" -t 'ptx{{{self.target_options}}}'"
        if isinstance(output, bytes):
            self.line("cubin", f"{len(output):6} bytes")
        print(replay, file=sys.stderr)


def _opt_command(file: str) -> str:
    """`xdsl-opt` on a file, which reads bytecode only as text."""
    if file != "-" and is_bytecode(Path(file).read_bytes()):
        return f"tileir fmt {file} | xdsl-opt"
    return f"xdsl-opt {file}"
