"""`tileir compile --gpu cpu`: Tile IR to LLVM IR, assembly or an object file."""

import argparse
import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.cli.compile_options import options_of
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.runtime.cpu.compiling import (
    ASSEMBLY,
    CPU_OUTPUTS,
    LLVM_IR,
    OBJECT,
    compiled_for_cpu,
    listed_for_cpu,
    lowered_for_cpu,
)
from tileir_xdsl.runtime.cpu.host import resolved
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.reader import new_context, read_contents
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.targets.cpu import CPUTarget
from tileir_xdsl.transforms.cpu_road import CPU_ROAD

SUFFIXES = {".ll": LLVM_IR, ".s": ASSEMBLY, ".o": OBJECT}
"""The output that the name of the output file asks for, unless `--emit` does."""


def run(args: argparse.Namespace) -> int:
    """Compiles one file for a processor. Raises InputError for anything that is wrong."""
    suffix = "" if args.output is None else Path(args.output).suffix
    emit = args.emit or SUFFIXES.get(suffix, LLVM_IR)
    known = (*CPU_OUTPUTS, *CPU_ROAD)
    if emit not in known:
        expected = f"expected {', '.join(CPU_OUTPUTS)} or a pass"
        raise InputError(f"--emit {emit}", f"{expected}{did_you_mean(emit, known, most=3)}")
    for name in ("explain", "jobs", "executor", "json", "lineinfo"):
        if getattr(args, name, None):
            raise InputError(f"--{name}", f"is not for {args.gpu}")
    if len(args.files) > 1:
        raise InputError(f"--gpu {args.gpu}", "takes one file at a time")
    contents, file = read_bytes(args.files[0])
    options = options_of(args)
    module = read_contents(new_context(options.extensions), contents, file)
    write_output(args.output, _output(args, module, file, emit, resolved(args.gpu)))
    return 0


def _output(
    args: argparse.Namespace, module: ModuleOp, file: str, emit: str, target: CPUTarget
) -> str | bytes:
    level = options_of(args).opt_level
    if emit in CPU_ROAD:
        observe = _shown if args.verbose else None
        return f"{lowered_for_cpu(module, file, target, emit, observe=observe)}\n"
    code = compiled_for_cpu(module, file, target, level=level)
    if emit == LLVM_IR:
        return code.llvm_ir
    return code.object if emit == OBJECT else listed_for_cpu(code, level).assembly


def _shown(name: str, module: ModuleOp) -> None:
    count = sum(1 for _ in module.walk())
    print(f"{name}: {count} ops", file=sys.stderr)
