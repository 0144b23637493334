"""The flags of `tileiras`, as data, and how its command line is read.

A flag is `-name` or `--name`; its value follows after `=` or as the next word. The value of `-O`
follows without a separator.
Source: the output of `tileiras --help`, and its errors for wrong command lines.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tileir_xdsl.diagnostics import RemarkCategory, RemarkKind
from tileir_xdsl.targets import TARGETS

PROGRAM = "tileir-as"


class CommandLineError(Exception):
    """A wrong command line; each line of the message is shown after the program's name."""


class Value(Enum):
    """Whether a flag has a value, and how it is written."""

    NONE = "none"
    REQUIRED = "required"
    PREFIX = "attached to the flag itself"


@dataclass(frozen=True)
class Flag:
    """One flag of the command line; its value must be one of `values`, if there are any."""

    name: str
    help: str
    value: Value = Value.REQUIRED
    values: tuple[str, ...] = ()
    metavar: str = "value"
    alias_of: str = ""


CATEGORIES = ("none", "all", *RemarkCategory)
KINDS = tuple(RemarkKind)
GPU_NAMES = tuple(TARGETS)

FLAGS = (
    Flag("help", "Display available options", Value.NONE),
    Flag("help-list", "The same", Value.NONE, alias_of="help"),
    Flag("version", "Display the version of this program", Value.NONE),
    Flag("list-versions", "List all supported bytecode versions and exit", Value.NONE),
    Flag("install", "Make a tileiras in DIR that is this program, and exit", metavar="dir"),
    Flag("opt-level", "Optimization level, 0 to 3; default 3", metavar="N"),
    Flag("O", "Alias for --opt-level", Value.PREFIX, alias_of="opt-level"),
    Flag("gpu-name", "GPU to generate code for; sm_90 stands for sm_90a", values=GPU_NAMES),
    Flag("arch", "Alias for --gpu-name", values=GPU_NAMES, alias_of="gpu-name"),
    Flag("output-file", "Name of the output file; default elf.o", metavar="file"),
    Flag("o", "Alias for --output-file", alias_of="output-file"),
    Flag("lineinfo", "Generate line numbers (if present in the bytecode)", Value.NONE),
    Flag("device-debug", "Needs -O0; generates line numbers only", Value.NONE),
    Flag("g", "Alias for --device-debug", Value.NONE, alias_of="device-debug"),
    Flag("sanitize", "Accepted; code is not instrumented", values=("memcheck",)),
    Flag("preview", "Named preview features", metavar="feature[,feature...]"),
    Flag("l", "Tile libraries to load: not supported", metavar="path"),
    Flag("apply-controls", "Not supported", metavar="path"),
    Flag("host-arch", "No host code is made", values=("x86_64", "aarch64")),
    Flag("host-os", "No host code is made", values=("linux", "windows")),
    Flag("remark-format", "Format of remarks", values=("command-line", "yaml")),
    Flag("remarks-output-file", "File of YAML remarks; default tileir_remarks.yaml"),
    Flag("remarks", "Enable all kinds of remarks for a category", values=CATEGORIES),
    *(
        Flag(f"remarks-{kind}", f"Enable {kind} remarks for a category", values=CATEGORIES)
        for kind in KINDS
    ),
)
"""All flags, in the order of the help text."""

_BY_NAME = {flag.name: flag for flag in FLAGS}


@dataclass
class CommandLine:
    """A parsed command line: the values of each flag by its name, aliases resolved."""

    file: str | None = None
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def has(self, name: str) -> bool:
        """Whether a flag is present."""
        return name in self.values

    def last(self, name: str, default: str) -> str:
        """The last value of a flag."""
        return self.values[name][-1] if name in self.values else default

    def all(self, name: str) -> list[str]:
        """All values of a flag."""
        return self.values.get(name, [])


def parse(words: Sequence[str]) -> CommandLine:
    """Reads a command line, without the name of the program.

    Raises `CommandLineError` with everything that is wrong.
    """
    found, problems = CommandLine(), list[str]()
    rest = iter(words)
    for word in rest:
        if word == "--" or not word.startswith("-") or word == "-":
            positional = rest if word == "--" else (word,)
            problems += _positionals(found, positional)
            continue
        problems += _flag(found, word, rest)
    if problems:
        raise CommandLineError("\n".join(problems))
    return found


def _positionals(found: CommandLine, words: Iterator[str] | tuple[str, ...]) -> list[str]:
    problems: list[str] = []
    for word in words:
        if found.file is None:
            found.file = word
        elif not problems:
            problems.append(
                "Too many positional arguments specified!\n"
                f"Can specify at most 1 positional arguments: See: {PROGRAM} --help"
            )
    return problems


def _flag(found: CommandLine, word: str, rest: Iterator[str]) -> list[str]:
    """Reads one flag with its value; returns the error in it, if any."""
    name, has_value, value = word.lstrip("-").partition("=")
    flag = _BY_NAME.get(name)
    if flag is None and name[:1] == "O":
        flag, has_value, value = _BY_NAME["O"], "=", word.lstrip("-")[1:].lstrip("=")
    if flag is None:
        return [_unknown(word)]
    if flag.value is Value.NONE:
        if has_value and value not in ("", "true", "1"):
            return [f"for the --{flag.name} option: does not allow a value! '{value}' specified."]
        value = "true"
    elif not has_value:
        following = None if flag.value is Value.PREFIX else next(rest, None)
        if following is None:
            return [f"for the {_spelled(flag)} option: requires a value!"]
        value = following
    if flag.values and value not in flag.values:
        return [f"for the {_spelled(flag)} option: Cannot find option named '{value}'!"]
    found.values.setdefault(flag.alias_of or flag.name, []).append(value)
    return []


def _spelled(flag: Flag) -> str:
    return f"-{flag.name}" if len(flag.name) == 1 else f"--{flag.name}"


def _unknown(word: str) -> str:
    line = f"Unknown command line argument '{word}'.  Try: '{PROGRAM} --help'"
    close = difflib.get_close_matches(word.lstrip("-").partition("=")[0], _BY_NAME, 1)
    return f"{line}\nDid you mean '{_spelled(_BY_NAME[close[0]])}'?" if close else line


def help_text() -> str:
    """The output of `--help`."""
    lines = [
        f"OVERVIEW: {PROGRAM}: the open CUDA Tile IR assembler, in place of tileiras",
        "",
        f"USAGE: {PROGRAM} [options] <tile bytecode file>",
        "",
        "OPTIONS:",
        "",
    ]
    for flag in FLAGS:
        value = "" if flag.value is Value.NONE or flag.alias_of else f"=<{flag.metavar}>"
        lines.append(f"  {_spelled(flag) + value:<36} - {flag.help}")
        if flag.values and not flag.alias_of:
            lines += [f"    ={value}" for value in flag.values]
    return "\n".join(lines) + "\n"
