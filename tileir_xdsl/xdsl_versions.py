"""The versions of xDSL that were tested, and the private names of xDSL in use.

`PRIVATE_NAMES` lists every name with a leading underscore that we call, read or override, and the
one stack frame that we inspect. A test fails if the package uses another.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import listdir
from pathlib import Path

import xdsl

TESTED = ("0.74", "0.75")
"""The versions that all tests pass with; `pyproject.toml` allows these."""


@dataclass(frozen=True)
class PrivateName:
    """A name that xDSL may change without notice."""

    owner: str
    """The class or module that has the name, by its full name."""
    name: str
    users: tuple[str, ...]
    """Modules of this package that use the name."""
    reason: str
    public_way: str
    """A public interface that xDSL has, or would need, as a replacement."""


_READER = "tileir_xdsl.runtime.reader"
_EDITOR = "tileir_xdsl.lsp.parsing"
_PARSER = "xdsl.parser.Parser"

PRIVATE_NAMES = (
    PrivateName(
        "xdsl.utils.mlir_lexer.MLIRLexer",
        "_unescaped_characters_regex",
        (_READER,),
        "its time grows exponentially with a string that is not closed",
        "the same pattern with possessive repetition",
    ),
    PrivateName(
        _PARSER,
        "_parser_state",
        (_READER, _EDITOR),
        "the lexer above, op names without a dialect, the current token, going on at an offset",
        "a state as argument of `Parser`",
    ),
    PrivateName(
        _PARSER,
        "_parse_alias_def",
        (_READER, _EDITOR),
        "aliases are defined after their first use where MLIR prints those of locations",
        "forward references to aliases",
    ),
    PrivateName(
        _PARSER,
        "_parse_location",
        (_READER,),
        "fused locations have metadata, which xDSL prints and does not read",
        "metadata in fused locations",
    ),
    PrivateName(
        _PARSER,
        "_get_op_by_name",
        (_READER, _EDITOR),
        "an unknown op is reported where it starts, with the nearest name",
        "an error that carries the name and its place",
    ),
    PrivateName(
        _PARSER,
        "_parse_block_body",
        (_EDITOR,),
        "an editor wants all mistakes: the parser goes on after an op that it cannot read",
        "a parser that recovers",
    ),
    PrivateName(
        _PARSER,
        "_parse_block",
        (_EDITOR,),
        "where blocks are defined",
        "places of names, as those of ops",
    ),
    PrivateName(
        _PARSER,
        "_register_ssa_definition",
        (_EDITOR,),
        "where values are defined",
        "places of names, as those of ops",
    ),
    PrivateName(
        _PARSER,
        "_parse_file_metadata_dictionary",
        (_EDITOR,),
        "resources stand between ops of the top level",
        "a method that parses one item of the top level",
    ),
    PrivateName(
        "xdsl.passes.PassPipeline",
        "apply",
        ("tileir_xdsl.transforms.tileir_pipeline",),
        "its frame has the callback of `--print-between-passes`, which each step of the road calls",
        "the callback as part of the context that a pass is given",
    ),
)


def installed() -> str:
    """The version of the installed xDSL."""
    # `importlib.metadata` takes longer to import than most commands' own modules.
    folder = Path(xdsl.__file__).parents[1]
    found = [name for name in listdir(folder) if name.startswith("xdsl-") and "dist-info" in name]
    if len(found) == 1:
        return found[0].removeprefix("xdsl-").removesuffix(".dist-info")
    return str(xdsl.__version__)


def untested() -> str | None:
    """A warning that names the tested versions, if another xDSL is installed; otherwise None."""
    version = installed()
    if version.startswith(tuple(f"{tested}." for tested in TESTED)):
        return None
    return f"xDSL {version} has not been tested with tileir_xdsl, which knows {', '.join(TESTED)}"
