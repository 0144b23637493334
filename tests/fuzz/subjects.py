"""What reads inputs, and by which errors it may refuse them."""

from __future__ import annotations

import contextlib
import io
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.universe import Universe
from xdsl.utils.exceptions import ArgSpecParseError, ParseError, VerifyException

from tests.ptx_mutations.execution import execute
from tests.ptx_mutations.mutate import mutate
from tests.ptx_mutations.seeds import generated_kernels, instruction_kernels
from tileir_xdsl.bytecode import BytecodeError, read
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.cli.arguments import parse_argument, parse_grid
from tileir_xdsl.cli.main import USAGE, main
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.options import OptionError, Options
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

from . import sound_inputs
from .damage import TOKENS, damage_bytes, damage_text

Input = str | bytes
GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")


class Misbehaviour(Exception):
    """A command that ends otherwise than with a result or with one line about its input."""


@dataclass(frozen=True)
class Subject:
    """Something that reads inputs of one kind."""

    damaged: Callable[[Random], Input]
    """Makes an input."""
    run: Callable[[Any, Random], None]
    """Reads one."""
    refuses_by: tuple[type[BaseException], ...] = ()
    """What may be raised for an input that is wrong."""

    def accepts(self, given: Input, random: Random) -> bool:
        """Reads an input. Raises whatever may not be raised."""
        try:
            self.run(given, random)
        except self.refuses_by:
            return False
        return True


@cache
def _tokens(texts: Callable[[], Sequence[str]]) -> tuple[list[list[str]], list[str]]:
    """The tokens of each text, and all that there are."""
    found = [TOKENS.findall(text) for text in texts()]
    return found, sorted({token for tokens in found for token in tokens})


def _damaged_text(texts: Callable[[], Sequence[str]], random: Random) -> str:
    tokens, pool = _tokens(texts)
    return damage_text(random, random.choice(tokens), pool)


def _damaged_bytecode(random: Random) -> bytes:
    files = sound_inputs.bytecode_files()
    return damage_bytes(random, random.choice(files), files)


def _damaged_ptx(random: Random) -> str:
    texts = instruction_kernels() if random.random() < 0.8 else generated_kernels()
    return mutate(random.choice(texts), random)


def _texts(dialect: str) -> Callable[[], Sequence[str]]:
    return partial(sound_inputs.texts, dialect)


@cache
def _context() -> Context:
    return tools.context()


def _parsed(text: str) -> ModuleOp:
    module = Parser(_context(), text, name="<text>").parse_module()
    module.verify()
    return module


def _read_text(text: str, _random: Random) -> None:
    """What is read and valid is also printed, and read again."""
    module = _parsed(text)
    generic = tools.to_text(module, generic=True)
    again = Parser(_context(), tools.to_text(module), name="<printed>").parse_module()
    again.verify()
    if tools.to_text(again, generic=True) != generic:
        raise Misbehaviour("the printed text is another module")


def _read_bytecode(data: bytes, _random: Random) -> None:
    module = read(data)
    module.verify()
    disassemble(module, debug_info=True)


def _compile(text: str, random: Random) -> None:
    """What is valid is compiled for a drawn target, or refused with a reason."""
    module = _parsed(text)
    lower(tools.context(), module, "ptx", gpu=random.choice(GPUS), file="<text>")


def _run_ptx(text: str, random: Random) -> None:
    execute(text, random)


def _read_layout(text: str, _random: Random) -> None:
    parser = Parser(_context(), text)
    attribute = parser.parse_attribute()
    again = Parser(_context(), str(attribute)).parse_attribute()
    if again != attribute:
        raise Misbehaviour(f"the printed attribute is another one: {attribute}")


def _read_options(text: str, _random: Random) -> None:
    options = Options.from_json(text)
    if Options.from_json(options.to_json()) != options:
        raise Misbehaviour("other options are read than were written")


@cache
def _passes() -> Mapping[str, Any]:
    return Universe.get_multiverse().all_passes


def _read_pipeline(text: str, _random: Random) -> None:
    PassPipeline.parse_spec(dict(_passes()), text)


def _read_argument(text: str, _random: Random) -> None:
    parse_argument(text, np.random.default_rng(0))


def _read_grid(text: str, _random: Random) -> None:
    parse_grid(text)


@cache
def _files() -> Mapping[str, str]:
    """Files that commands read, by what stands for them; they stay until the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    file, ptx = folder / "kernel.mlir", folder / "kernel.ptx"
    text = sound_inputs.kernels()[0]
    file.write_text(text, "utf-8")
    lowered = lower(tools.context(), tools.parse(text), "ptx", gpu="sm_90a", file=str(file))
    ptx.write_text(lowered.ptx or "", "utf-8")
    return {"FILE": str(file), "PTX": str(ptx)}


def _damaged_command(random: Random) -> str:
    """A command line in which some words are others, gone, doubled or damaged."""
    words = shlex.split(random.choice(sound_inputs.COMMANDS))
    pool = sorted({word for line in sound_inputs.COMMANDS for word in line.split()[1:]})
    for _ in range(random.choice((1, 1, 2))):
        index = random.randrange(1, len(words)) if len(words) > 1 else 0
        match random.randrange(4):
            case 0 if len(words) > 1:
                del words[index]
            case 1:
                words.insert(index + 1, random.choice(pool))
            case 2:
                words[index] = random.choice(pool)
            case _:
                changed = damage_text(random, TOKENS.findall(words[index]), pool)
                # A file elsewhere than where commands may write.
                words[index] = changed.replace("\0", "").replace("/", "")
    # Words that would make files here, or wait for input.
    return shlex.join(word for word in words if word not in ("-", "") or words[-2:-1] == ["-o"])


def _run_command(line: str, _random: Random) -> None:
    words = [_files().get(word, word) for word in shlex.split(line)]
    errors = io.StringIO()
    with (
        # What commands write stays with the files that they read.
        contextlib.chdir(Path(_files()["FILE"]).parent),
        contextlib.redirect_stderr(errors),
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())),
    ):
        try:
            status = main(words)
        except SystemExit as leaving:
            status = leaving.code
    said = errors.getvalue()
    # Without a command there is help instead of a line.
    if status not in ((0, 1) if words else (USAGE,)) or "Traceback" in said:
        raise Misbehaviour(f"status {status}: {said[:200]}")
    if status == 1 and not said:
        raise Misbehaviour("status 1 without a word")


_PARSING = (ParseError, VerifyException)

SUBJECTS: Mapping[str, Subject] = {
    "bytecode": Subject(_damaged_bytecode, _read_bytecode, (BytecodeError, VerifyException)),
    **{
        dialect: Subject(partial(_damaged_text, _texts(dialect)), _read_text, _PARSING)
        for dialect in ("cuda_tile", "nv_tileaa", "nv_tileas", "llvm")
    },
    "compile": Subject(
        partial(_damaged_text, sound_inputs.kernels), _compile, (*_PARSING, InputError)
    ),
    "ptx": Subject(_damaged_ptx, _run_ptx),
    "layouts": Subject(
        partial(_damaged_text, lambda: sound_inputs.LAYOUTS),
        _read_layout,
        (*_PARSING, LayoutError),
    ),
    "options": Subject(
        partial(_damaged_text, lambda: sound_inputs.OPTIONS),
        _read_options,
        (OptionError, ValueError),
    ),
    "pipelines": Subject(
        partial(_damaged_text, lambda: sound_inputs.PIPELINES),
        _read_pipeline,
        (ArgSpecParseError, ValueError),
    ),
    "arguments": Subject(
        partial(_damaged_text, lambda: sound_inputs.ARGUMENTS), _read_argument, (InputError,)
    ),
    "grids": Subject(partial(_damaged_text, lambda: sound_inputs.GRIDS), _read_grid, (InputError,)),
    "commands": Subject(_damaged_command, _run_command),
}
"""Everything that reads inputs, by name."""
