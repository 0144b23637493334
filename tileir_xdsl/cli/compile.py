"""`tileir compile`: Tile IR to PTX, to machine code, or to the IR of a level."""

import argparse
import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.cli.compile_options import add_options, add_verify_each, options_of
from tileir_xdsl.cli.output import add_output_argument, write_output
from tileir_xdsl.dialects.target_attributes import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.runtime.compiled import CUBIN
from tileir_xdsl.runtime.lowering import PTX
from tileir_xdsl.runtime.program import EMITTED, load

SUFFIXES = {".ptx": PTX, ".cubin": CUBIN, ".mlir": "llvm"}
"""What the name of the output file asks for, unless `--emit` does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir compile`."""
    parser.add_argument(
        "file", metavar="FILE", help="IR text or Tile IR bytecode, or - for the standard input"
    )
    parser.add_argument(
        "--gpu", help=f"target, default: the one that the program names, else {DEFAULT_GPU}"
    )
    add_output_argument(parser)
    parser.add_argument(
        "--emit",
        choices=EMITTED,
        help="what to write; default: what the name of the output file says by .ptx, .cubin or "
        f".mlir (the level llvm), else {PTX}",
    )
    parser.add_argument(
        "--lineinfo",
        action="store_true",
        default=None,
        help="tell in the PTX which source lines it comes from",
    )
    add_options(parser)
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

    def finish(self, emit: str, text: str, output: str | bytes) -> None:
        """The sizes of PTX and machine code, and the command line that reproduces the text.

        Lines of the source `xdsl-opt` only knows where the text says `loc(..)`.
        """
        if not self.enabled:
            return
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


def _emitted(args: argparse.Namespace) -> str:
    suffix = Path(args.output).suffix if args.output is not None else ""
    return args.emit or SUFFIXES.get(suffix, PTX)


def run(args: argparse.Namespace) -> int:
    """Compiles the file and writes the result; what passes remark goes to the standard error."""
    emit, options = _emitted(args), options_of(args)
    # A path, whatever letters it has.
    program = load(Path(args.file), args.gpu, options)
    target_options = f"gpu={program.gpu}{' lineinfo=true' if options.lineinfo else ''}"
    log = Log(args.file, target_options, enabled=args.verbose)
    log.module("read", program.module)
    compiled = program.compile(emit, observe=log.step, verify_each=args.verify_each)
    for remark in compiled.remarks:
        print(remark, file=sys.stderr)
    output = compiled.output
    log.finish(emit, compiled.text, output)
    write_output(args.output, output)
    return 0
