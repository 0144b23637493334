"""Compiles Tile IR bytecode to a cubin for cuTile's launcher, and writes its PTX and remarks."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.cli.output import STANDARD_OUTPUT, write_output
from tileir_xdsl.cli.tileir_as.command_line import PROGRAM, CommandLine
from tileir_xdsl.cli.tileir_as.refusal import (
    BAD_BYTECODE,
    BAD_COMMAND_LINE,
    BAD_VALUE,
    CANNOT_COMPILE,
    Refusal,
)
from tileir_xdsl.cli.tileir_as.remark_formats import command_line_text, wanted, yaml_text
from tileir_xdsl.options import OPTIMIZATION_LEVELS, Options
from tileir_xdsl.runtime.cache.commands import Command, Written, keep
from tileir_xdsl.runtime.cache.entries import decode_both, encode
from tileir_xdsl.runtime.cache.keys import compile_key
from tileir_xdsl.runtime.cache.lookup import cached
from tileir_xdsl.runtime.compiled import Compiled
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.optimization_remarks import OptimizationRemark, RemarkCollector
from tileir_xdsl.runtime.outputs import CUBIN
from tileir_xdsl.runtime.program import Program, program_of
from tileir_xdsl.runtime.reader import read_bytecode
from tileir_xdsl.targets import ABI, TARGETS, get_target

DEFAULT_OUTPUT = "elf.o"
REMARKS_FILE = "tileir_remarks.yaml"
SIMT = "simt"
"""The preview feature by which `tileiras` links Tile libraries."""

HASH_DIGITS = 16
"""Digits of a cubin's SHA-256 in the name of its PTX file."""


def run(flags: CommandLine, file: str, given: Command) -> None:
    """Compiles a file as the flags say, and caches the outputs and warnings. Raises `Refusal`."""
    contents = _read(file)
    options, gpu = options_of(flags), _gpu(flags)
    warnings = _warnings(flags)
    sys.stderr.write(warnings)
    # The launcher of cuTile makes up a name for every file, which only line information keeps.
    named = file if options.lineinfo else ""
    compiled, remarks = cached(
        lambda: compile_key(contents, named, gpu, CUBIN, options, PROGRAM),
        lambda: _compile(contents, file, gpu, options),
        lambda made: encode(*made),
        decode_both,
    )
    output = flags.last("output-file", DEFAULT_OUTPUT)
    ptx = str(ptx_path(Path(output), compiled.cubin))
    # The cubin after its PTX: whoever sees it finds the PTX. Beside a stream there is no place.
    outputs = [
        *([] if output == STANDARD_OUTPUT else [Written(ptx, compiled.text)]),
        Written(output, compiled.cubin),
        _remarks(wanted(remarks, flags), flags),
    ]
    for written in outputs:
        _write(written, output if written.file == ptx else written.file)
    keep(given, warnings, outputs, assembled=True)


def _compile(
    contents: bytes, file: str, gpu: str, options: Options
) -> tuple[Compiled, list[OptimizationRemark]]:
    program = _load(contents, file, gpu, options)
    collector = RemarkCollector(get_target(gpu))
    try:
        compiled = program.compile(CUBIN, observe=collector.observe)
    except CompileError as error:
        raise Refusal(
            CANNOT_COMPILE, located_line(error), "error: failed to compile Tile IR program"
        ) from error
    collector.add_general(compiled.remarks)
    return compiled, collector.remarks


def located_line(error: CompileError) -> str:
    """Formats an error as cuTile reads it, with location and message in one line."""
    if error.line is None:
        return f"error: {error.message}"
    return f'loc("{error.file}":{error.line}:{error.column}): error: {error.message}'


def ptx_path(output: Path, cubin: bytes) -> Path:
    """The path of a cubin's PTX file: the cubin's folder, and the hash of the cubin as name."""
    return output.parent / f"{hashlib.sha256(cubin).hexdigest()[:HASH_DIGITS]}.ptx"


def architecture_specific(gpu: str) -> str:
    """Returns `sm_90a` for `sm_90`, if that target exists; otherwise the name itself."""
    return f"{gpu}a" if f"{gpu}a" in TARGETS else gpu


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        message = f"error: unable to read input file '{file}': {reason}"
        raise Refusal(BAD_COMMAND_LINE, message) from error


def options_of(flags: CommandLine) -> Options:
    """The options of a compilation; full debug information includes lines. Raises `Refusal`."""
    level = flags.last("opt-level", str(OPTIMIZATION_LEVELS[-1]))
    debug = flags.has("device-debug")
    if level not in map(str, OPTIMIZATION_LEVELS):
        raise Refusal(BAD_VALUE, f"error: invalid optimization level: {level}")
    if debug and int(level) > 0:
        raise Refusal(
            BAD_VALUE,
            "error: optimized debugging is currently not supported, change the optimization level "
            "to 0 or disable full debug info",
        )
    lineinfo = debug or flags.has("lineinfo")
    return Options(opt_level=int(level), lineinfo=lineinfo, abi=ABI.TILE.value)


def _gpu(flags: CommandLine) -> str:
    if not flags.has("gpu-name"):
        raise Refusal(BAD_VALUE, "error: no GPU architecture given, --gpu-name is needed")
    return architecture_specific(flags.last("gpu-name", ""))


def _warnings(flags: CommandLine) -> str:
    """Raises `Refusal` for unsupported flags; returns warnings about flags without full effect."""
    features = [name for names in flags.all("preview") for name in names.split(",")]
    for feature in features:
        if feature != SIMT:
            raise Refusal(
                BAD_COMMAND_LINE,
                f"{PROGRAM}: for the --preview option: unknown preview feature '{feature}'; "
                f"supported features: {SIMT}",
            )
    if flags.has("l"):
        refused = "error: libraries are not supported"
        lacking = "error: libraries require the 'simt' preview feature"
        raise Refusal(CANNOT_COMPILE, refused if SIMT in features else lacking)
    if flags.has("apply-controls"):
        raise Refusal(BAD_VALUE, "error: --apply-controls is not supported on this platform")
    found = {
        "device-debug": "--device-debug gives line numbers only",
        "sanitize": "--sanitize has no effect: code is not instrumented",
    }
    return "".join(f"warning: {message}\n" for flag, message in found.items() if flags.has(flag))


def _load(contents: bytes, file: str, gpu: str, options: Options) -> Program:
    foreign = "error: input does not correspond to Tile IR bytecode"
    if not is_bytecode(contents):
        raise Refusal(BAD_BYTECODE, foreign)
    try:
        module = read_bytecode(contents, file)
    except CompileError as error:
        raise Refusal(BAD_BYTECODE, located_line(error), foreign) from error
    try:
        return program_of(module, file, gpu, options)
    except CompileError as error:
        raise Refusal(BAD_VALUE, located_line(error)) from error


def _write(written: Written, named: str | None) -> None:
    """Writes to a file or to the standard output; `Refusal` names the file `named`."""
    try:
        write_output(written.file, written.contents)
    except CompileError as error:
        raise Refusal(BAD_VALUE, f"error: unable to write {named}: {error.message}") from error


def _remarks(remarks: list[OptimizationRemark], flags: CommandLine) -> Written:
    if flags.last("remark-format", "command-line") == "yaml":
        return Written(flags.last("remarks-output-file", REMARKS_FILE), yaml_text(remarks))
    return Written(None, command_line_text(remarks))
