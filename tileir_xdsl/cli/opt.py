"""`tileir opt`: `xdsl-opt` for all programs that commands of `tileir` read.

This tool reads bytecode, text without a module line and locations in any order. This tool knows the
position of each op of a text, and reports an error in one diagnostic. The options, passes and
targets are those of `xdsl-opt`.
"""

import argparse
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from io import BytesIO
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import (
    ModulePass,
    PassPipeline,
    PassPipelineCallbackType,
    get_pass_option_infos,
)
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.xdsl_opt_main import xDSLOptMain

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.cli.compile_options import add_with
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes, text_of
from tileir_xdsl.runtime.reader import new_context, parse_text, read_bytecode, register_extensions
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.transforms.tileir_pipeline import TileIRPipelinePass
from tileir_xdsl.universe import extension_passes

FRONT_END = "mlir"
"""The name of the only front end, which tells text from bytecode by the contents of a file."""

SPLIT = b"// -----"
"""The line between parts of a file that are processed one by one."""

STANDARD_INPUT = "-"

_VALUE = re.compile(r"%[\w.$-]+")


def _renamed(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of numbers of lines that are equal after a one-to-one renaming of values."""
    left, right = ([_VALUE.sub("%", line) for line in lines] for lines in (old, new))
    names, back = dict[str, str](), dict[str, str]()
    for there, here, size in SequenceMatcher(None, left, right, False).get_matching_blocks():
        for n in range(size):
            lines = old[there + n], new[here + n]
            pairs = dict(zip(*map(_VALUE.findall, lines), strict=True))
            others = {name: other for other, name in pairs.items()}
            if all(
                names.get(one, other) == other and back.get(other, one) == one == others[other]
                for one, other in zip(*map(_VALUE.findall, lines), strict=True)
            ):
                names |= pairs
                back |= others
                yield there + n, here + n


@dataclass
class PrintedChanges:
    """Prints the module after each pass that has changed it, or the lines that differ."""

    is_diff: bool
    also: PassPipelineCallbackType | None
    """Called first."""
    before: str | None = None
    """The text of the module before the pass."""

    def __call__(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        if self.also is not None:
            self.also(previous, module, following)
        before, self.before = self.before, str(module)
        if previous is None or following is None:
            return
        if self.before == before:
            print(f"IR after {previous.name}: unchanged")
            return
        print(f"IR after {previous.name}:")
        print(line_changes(before or "", self.before) if self.is_diff else self.before)


def line_changes(before: str, after: str) -> str:
    """The lines that differ, each with the previous and the next line.

    A line is unchanged if only the names of its values differ; it is shown with its new names.
    """
    old, new = before.splitlines(), after.splitlines()
    for there, here in _renamed(old, new):
        old[there] = new[here]
    lines = unified_diff(old, new, lineterm="", n=1)
    # Without the names of the files.
    return "\n".join(list(lines)[2:])


class OptTool(xDSLOptMain):
    """`xdsl-opt` with the front ends of `tileir`, for arguments that are already parsed."""

    file: str
    """The file to read, and its name in diagnostics once it has been read."""

    def __init__(self) -> None:
        # Not that of the base class, which parses the words of the process.
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = new_context()
        self.register_all_frontends()
        self.register_all_passes()
        self.register_all_targets()

    def register_all_frontends(self) -> None:
        self.available_frontends = {FRONT_END: self._read}

    def _read(self, stream: IO[bytes]) -> ModuleOp:
        contents, name = stream.read(), self.get_input_name()
        if is_bytecode(contents):
            return read_bytecode(contents, name)
        with errors_in(name):
            text = text_of(contents)
        return parse_text(self.ctx, text, name, not self.args.no_implicit_module)

    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        """The parts of a file, each after empty lines that keep its line numbers."""
        contents, self.file = read_bytes(self.file)
        chunks: list[tuple[IO[bytes], int]] = []
        lines = 0
        for part in contents.split(SPLIT) if self.args.split_input_file else [contents]:
            chunks.append((BytesIO(b"\n" * lines + part), 0))
            lines += part.count(b"\n")
        return chunks, FRONT_END

    def get_input_name(self) -> str:
        return self.file

    def setup_pipeline(self) -> None:
        """The pipeline of `xdsl-opt`; a pass that changes nothing is shown as "unchanged"."""
        is_diff = self.args.diff
        shows = self.args.print_between_passes or is_diff
        self.args.print_between_passes = False
        super().setup_pipeline()
        if shows:
            told = PrintedChanges(is_diff, self.pipeline.callback)
            self.pipeline = replace(self.pipeline, callback=told)

    def take_extensions(self, names: tuple[str, ...], passes: str) -> str:
        """Registers passes of extensions; adds the extensions to `tileir-pipeline` in `passes`."""
        self.available_passes.update(extension_passes(names))
        register_extensions(self.ctx)
        if not names:
            return passes
        pipeline = list(parse_pipeline(passes))
        for spec in pipeline:
            if spec.name == TileIRPipelinePass.name:
                spec.parameters.setdefault("extensions", names)
        return ",".join(map(str, pipeline))

    def check_pass(self, spec: ArgSpec) -> None:
        """Raises InputError for an unknown pass or an unknown option of a pass."""
        if spec.name not in self.available_passes:
            hint = did_you_mean(spec.name, self.available_passes, most=3)
            raise InputError("-p", f"there is no pass '{spec.name}'{hint}")
        options = get_pass_option_infos(self.available_passes[spec.name]())
        known = [option.name.replace("_", "-") for option in options]
        for name in (name.replace("_", "-") for name in spec.parameters):
            if name not in known:
                listed = f"expected {', '.join(known)}" if known else "it has none"
                hint = did_you_mean(name, known)
                message = f"pass '{spec.name}' has no option '{name}', {listed}{hint}"
                raise InputError("-p", message)

    def check_target(self) -> None:
        """Raises InputError for an unknown target."""
        name = parse_spec(self.args.target).name
        if name not in self.available_targets:
            hint = did_you_mean(name, self.available_targets)
            expected = ", ".join(self.available_targets)
            raise InputError("-t", f"there is no target '{name}', expected {expected}{hint}")


@contextmanager
def _pipeline_errors(option: str) -> Generator[None]:
    """Turns errors of xDSL in the text of an option into InputError."""
    try:
        with errors_in(option, ValueError):
            yield
    except ArgSpecParseError as error:
        # The last line; those before it show the text.
        raise InputError(option, str(error).strip().splitlines()[-1]) from error


def read_pipeline(
    text: str, further: Mapping[str, type[ModulePass]], extensions: Sequence[str] = ()
) -> PassPipeline:
    """The passes in the text of `-p`: from `xdsl-opt`, extensions and `further`.

    Raises InputError for an unknown pass, option or extension.
    """
    tool = OptTool()
    tool.available_passes |= {name: lambda made=made: made for name, made in further.items()}
    with _pipeline_errors("-p"):
        text = tool.take_extensions(tuple(extensions), text)
        for spec in parse_pipeline(text):
            tool.check_pass(spec)
        return PassPipeline.parse_spec(tool.available_passes, text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `xdsl-opt`."""
    tool = OptTool()
    tool.register_all_arguments(parser)
    parser.add_argument(
        "--diff",
        action="store_true",
        help="print between passes the lines that each has changed, not the whole module",
    )
    add_with(parser)
    parser.set_defaults(tool=tool)


def run(args: argparse.Namespace) -> int:
    """Parses the file, runs the passes and prints the result."""
    tool: OptTool = args.tool
    tool.args = args
    tool.ctx.allow_unregistered = args.allow_unregistered_dialect
    with _pipeline_errors("-p"):
        args.passes = tool.take_extensions(tuple(args.extensions or ()), args.passes)
        for spec in parse_pipeline(args.passes):
            tool.check_pass(spec)
        tool.setup_pipeline()
    with _pipeline_errors("-t"):
        tool.check_target()
    tool.file = STANDARD_INPUT if args.input_file is None else args.input_file
    with errors_in(tool.file, ValueError):
        tool.run()
    return 0
