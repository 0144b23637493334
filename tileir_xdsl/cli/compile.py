"""`tileir compile`: Tile IR to PTX, to machine code, or to the IR of a level.

Where the cache has the result, the compiler is not imported.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tileir_xdsl.cli.compile_options import add_options, add_verify_each, options_of
from tileir_xdsl.cli.importing import importing_for_one_command
from tileir_xdsl.cli.output import add_output_argument, write_output
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.cache.commands import Written, keep
from tileir_xdsl.runtime.cache.entries import encode, shown
from tileir_xdsl.runtime.cache.keys import compile_key
from tileir_xdsl.runtime.cache.lookup import cached
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.outputs import CUBIN, EMITTED, PTX
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.targets import DEFAULT_TARGET
from tileir_xdsl.targets.cpu import is_cpu

if TYPE_CHECKING:
    from tileir_xdsl.runtime.compiled import Compiled

SUFFIXES = {".ptx": PTX, ".cubin": CUBIN, ".mlir": "llvm"}
"""The output for each suffix of the output file, unless `--emit` names one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir compile`."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="IR text or Tile IR bytecode, or - for the standard input; the outputs of several and "
        "of folders go into the folder of -o",
    )
    parser.add_argument(
        "--gpu", help=f"target, default: the one that the program names, else {DEFAULT_TARGET}"
    )
    add_output_argument(parser)
    parser.add_argument(
        "--emit",
        metavar="|".join((*EMITTED, "PASS")),
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
        "--explain",
        metavar="FOLDER",
        help="leave a report of every file there, a page and JSON, also where compiling fails",
    )
    parser.add_argument(
        "--jobs",
        type=_count,
        metavar="N",
        help="processes for several files, or for the kernels of one, default: 1",
    )
    parser.add_argument(
        "--executor",
        metavar="dask:ADDRESS",
        help="what compiles instead of processes: the workers of a dask scheduler",
    )
    parser.add_argument(
        "--json", action="store_true", help="print what became of several files as JSON"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the passes and the sizes on stderr"
    )


def _check_emitted(emit: str) -> None:
    """Raises InputError for an output that is neither a level nor a pass."""
    if emit in EMITTED:
        return
    # Names of passes are plain data, which PTX does not need.
    from tileir_xdsl.passes import PASSES

    known = (*EMITTED, *PASSES)
    if emit.partition(":")[0] not in known:
        hint = did_you_mean(emit, known, most=3)
        raise InputError(f"--emit {emit}", f"expected {', '.join(EMITTED)} or a pass{hint}")


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text) or not int(text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 9999, got '{text}'")
    return int(text)


def _emitted(args: argparse.Namespace) -> str:
    suffix = Path(args.output).suffix if args.output is not None else ""
    return args.emit or SUFFIXES.get(suffix, PTX)


def run(args: argparse.Namespace) -> int:
    """Compiles the file and writes the result; remarks of passes go to the standard error."""
    if is_cpu(args.gpu):
        # Only code for processors needs LLVM.
        from tileir_xdsl.cli import compile_cpu

        return compile_cpu.run(args)
    emit, options = _emitted(args), options_of(args)
    _check_emitted(emit)
    if len(args.files) > 1 or (os.path.isdir(args.files[0]) and args.output is not None):
        from tileir_xdsl.cli.compile_many import compile_many

        return compile_many(args, emit, options)
    contents, file = read_bytes(args.files[0])
    if args.explain is not None:
        return _explain(args, contents, file, emit, options)

    def compiled() -> Compiled:
        with importing_for_one_command():
            return _compile(args, contents, file, emit, options)

    if args.verbose or args.verify_each:
        # The passes must run to be shown.
        result = compiled()
    else:
        result = cached(
            lambda: compile_key(contents, file, args.gpu, emit, options), compiled, encode, shown
        )
    if result.remarks:
        from tileir_xdsl.cli.terminal import print_diagnostic

        for remark in result.remarks:
            print_diagnostic(str(remark), sys.stderr)
    write_output(args.output, result.output)
    # How a remark looks depends on the terminal, and the words do not say what an extension holds.
    is_plain = not (args.verbose or args.verify_each or result.remarks or options.extensions)
    if args.given is not None and is_plain:
        keep(args.given, "", [Written(args.output, result.output)], assembled=emit == CUBIN)
    return 0


def _explain(
    args: argparse.Namespace, contents: bytes, file: str, emit: str, options: Options
) -> int:
    """Compiles one file and writes a report."""
    from tileir_xdsl.cli.explaining import check_explained, explain_into

    check_explained(args, emit)
    stem = "stdin" if args.files[0] == "-" else Path(file).stem
    compiled = explain_into(args.explain, stem, contents, file, args.gpu, emit, options)
    for remark in compiled.remarks:
        print(remark, file=sys.stderr)
    write_output(args.output, compiled.output)
    return 0


def _compile(
    args: argparse.Namespace, contents: bytes, file: str, emit: str, options: Options
) -> Compiled:
    from tileir_xdsl.runtime.program import program_of
    from tileir_xdsl.runtime.reader import new_context, read_contents

    module = read_contents(new_context(options.extensions), contents, file)
    is_plain = not args.verbose and not args.verify_each
    if args.jobs is not None and args.jobs > 1 and emit in (PTX, CUBIN) and is_plain:
        from tileir_xdsl.runtime.executors import opened_executor
        from tileir_xdsl.runtime.parallel_kernels import compile_kernels, groups_of

        groups = groups_of(module, contents, file, args.gpu, options, args.jobs)
        if len(groups) > 1:
            with opened_executor(args.executor, len(groups)) as executor:
                return compile_kernels(groups, emit, executor)
    program = program_of(module, file, args.gpu, options)
    if not args.verbose:
        return program.compile(emit, verify_each=args.verify_each)
    from tileir_xdsl.cli.compile_log import Log

    log = Log(args.files[0], contents, program.gpu, options)
    log.module("read", program.module)
    compiled = program.compile(emit, observe=log.step, verify_each=args.verify_each)
    log.finish(compiled)
    return compiled
