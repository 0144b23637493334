"""`tileir compile`: Tile IR to PTX."""

import argparse
import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.cli.arguments import add_dynamic_persistent, add_verify_each
from tileir_xdsl.cli.output import add_output_argument, write_output
from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.runtime.diagnostics import remark_lines
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir compile`."""
    parser.add_argument(
        "file", metavar="FILE", help="IR text or Tile IR bytecode, or - for the standard input"
    )
    parser.add_argument("--gpu", default=DEFAULT_GPU, help="target, default %(default)s")
    add_output_argument(parser)
    parser.add_argument(
        "--lineinfo", action="store_true", help="tell in the PTX which source lines it comes from"
    )
    add_dynamic_persistent(parser)
    add_verify_each(parser)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the passes and the sizes on stderr"
    )


def count_operations(module: ModuleOp) -> int:
    """The number of ops, nested ones included, the outer module not."""
    return sum(1 for _ in module.walk()) - 1


def pass_spec(step: ModulePass) -> str:
    """The pass with its options as `xdsl-opt -p` takes it, options spelled with dashes."""
    spec = step.pipeline_pass_spec()
    options = {name.replace("_", "-"): value for name, value in spec.parameters.items()}
    return str(ArgSpec(spec.name, options))


class Log:
    """The passes as they run, each with what has become of the module, and how to replay them."""

    def __init__(self, file: str, target_options: str, *, enabled: bool):
        self.file, self.target_options, self.enabled = file, target_options, enabled
        self.specs: list[str] = []
        self._before: ModuleOp | None = None
        """A copy of the module as the last pass has left it."""

    def line(self, name: str, size: str) -> None:
        """One line of the log."""
        if self.enabled:
            print(f"{name:<56} {size}", file=sys.stderr)

    def module(self, name: str, module: ModuleOp) -> None:
        """The size of a module, or that it is the same as the last time."""
        if not self.enabled:
            return
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

    def finish(self, ptx: str) -> None:
        """The size of the PTX, and the command line that reproduces it.

        Lines of the source `xdsl-opt` only knows where the text says `loc(..)`.
        """
        self.line("ptx", f"{ptx.count(chr(10)):6} lines")
        if self.enabled:
            target = f"ptx{{{self.target_options}}}"
            replay = f"{_opt_command(self.file)} -p '{','.join(self.specs)}' -t '{target}'"
            print(replay, file=sys.stderr)


def _opt_command(file: str) -> str:
    """`xdsl-opt` on a file, which reads bytecode only as text."""
    if file != "-" and is_bytecode(Path(file).read_bytes()):
        return f"tileir fmt {file} | xdsl-opt"
    return f"xdsl-opt {file}"


def run(args: argparse.Namespace) -> int:
    """Compiles the file and writes the PTX; what passes remark goes to the standard error."""
    context = new_context()
    target_options = f"gpu={args.gpu}{' lineinfo=true' if args.lineinfo else ''}"
    log = Log(args.file, target_options, enabled=args.verbose)
    module = read_file(context, args.file)
    if args.lineinfo:
        module.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()
    log.module("read", module)
    program = lower(
        context,
        module,
        "ptx",
        gpu=args.gpu,
        file=args.file,
        observe=log.step,
        dynamic_persistent=args.dynamic_persistent,
        verify_each=args.verify_each,
    )
    for line in remark_lines(program.module, args.file):
        print(line, file=sys.stderr)
    text = program.ptx or ""
    log.finish(text)
    write_output(args.output, text)
    return 0
