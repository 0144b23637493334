"""Tile IR to LLVM IR, assembly or an object file, for `tileir compile --gpu cpu`."""

import argparse
import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.cli.compile_options import options_of
from tileir_xdsl.cli.explaining import check_explained, explain_into
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.options import Options
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
from tileir_xdsl.transforms.pipeline_road import steps

SUFFIXES = {".ll": LLVM_IR, ".s": ASSEMBLY, ".o": OBJECT}
"""The output for each suffix of the output file, unless `--emit` names one."""


def run(args: argparse.Namespace) -> int:
    """Compiles one file for a processor. Raises InputError for invalid options or files."""
    suffix = "" if args.output is None else Path(args.output).suffix
    emit = args.emit or SUFFIXES.get(suffix, LLVM_IR)
    options = options_of(args)
    known = (*CPU_OUTPUTS, *(step.label for step in steps(args.gpu, options)))
    if emit not in known:
        expected = f"expected {', '.join(CPU_OUTPUTS)} or a pass"
        raise InputError(f"--emit {emit}", f"{expected}{did_you_mean(emit, known, most=3)}")
    for name in ("jobs", "executor", "json", "lineinfo", "verify-each"):
        if getattr(args, name.replace("-", "_"), None):
            raise InputError(f"--{name}", f"is not available with --gpu {args.gpu}")
    if len(args.files) > 1:
        raise InputError(f"--gpu {args.gpu}", f"expected one FILE, but got {len(args.files)}")
    contents, file = read_bytes(args.files[0])
    if args.explain is None:
        module = read_contents(new_context(options.extensions), contents, file)
        output = _output(module, file, resolved(args.gpu), options, emit, args.verbose)
    else:
        check_explained(args, emit, (LLVM_IR, ASSEMBLY))
        stem = "stdin" if args.files[0] == "-" else Path(file).stem
        output = explain_into(args.explain, stem, contents, file, args.gpu, emit, options).output
    write_output(args.output, output)
    return 0


def _output(
    module: ModuleOp, file: str, target: CPUTarget, options: Options, emit: str, is_verbose: bool
) -> str | bytes:
    if emit not in CPU_OUTPUTS:
        observe = _shown if is_verbose else None
        lowered = lowered_for_cpu(module, file, target, options, emit, observe=observe)
        return str(lowered) + "\n"
    code = compiled_for_cpu(module, file, target, options)
    if emit == LLVM_IR:
        return code.llvm_ir
    return code.object if emit == OBJECT else listed_for_cpu(code, options.opt_level).assembly


def _shown(module_pass: ModulePass, module: ModuleOp) -> None:
    count = sum(1 for _ in module.walk())
    print(f"{module_pass.name}: {count} ops", file=sys.stderr)
