"""Writes `docs/editors/vscode/tileir.tmLanguage.json`, by which editors colour Tile IR.

`python -m docs.grammar` makes the TextMate grammar from the names of the ops and types of
`cuda_tile`, which stand without their dialect, and of the dialects on the road. A test compares.
"""

import json
from pathlib import Path

from tileir_xdsl.dialects.cuda_tile import CudaTile
from tileir_xdsl.universe import DIALECTS

FILE = Path(__file__).resolve().parent / "editors" / "vscode" / "tileir.tmLanguage.json"

BUILTIN_TYPES = r"i\d+|si\d+|ui\d+|bf16|tf32|f\d+(?:E\d+M\d+\w*)?|index|tensor|memref|vector|none"
"""Types that no dialect's name stands before."""

NUMBERS = r"0x[0-9a-fA-F]+|\d+(?:\.\d+(?:[eE][+-]?\d+)?)?"

FURTHER_DIALECTS = ("arith", "builtin", "llvm", "scf")
"""Dialects of xDSL with ops on the road."""

UNITS = ("module", "entry", "global", "func", "experimental$func")
"""Ops that define a symbol."""


def words(names: list[str]) -> str:
    """A pattern for whole words, the longest first: a name may begin with another one."""
    escaped = (name.replace("$", r"\$") for name in sorted(names, key=lambda n: (-len(n), n)))
    return rf"(?<![\w$.%@#!^-])(?:{'|'.join(escaped)})(?![\w$.])"


def short_names() -> list[str]:
    """Ops of `cuda_tile` as they stand in the text."""
    return sorted(op.name.partition(".")[2] for op in CudaTile.operations)


def type_names() -> list[str]:
    """Types of `cuda_tile` as they stand in the text."""
    prefix = f"{CudaTile.name}."
    return sorted(
        attribute.name.removeprefix(prefix)
        for attribute in CudaTile.attributes
        if attribute.name.removeprefix(prefix) in ("tile", "ptr", "token")
        or attribute.name.endswith("_view")
    )


def patterns() -> list[tuple[str, str]]:
    """Scopes and what has them; of those that match first, the first one counts."""
    dialects = "|".join(sorted({*DIALECTS, *FURTHER_DIALECTS}))
    short = [name for name in short_names() if name not in UNITS]
    return [
        ("comment.line.double-slash.tileir", r"//.*$"),
        ("string.quoted.double.tileir", r'"(?:[^"\\]|\\.)*"'),
        ("keyword.control.tileir", words([*UNITS, "builtin.module", "llvm.func", "func.func"])),
        ("support.function.tileir", rf"(?<![\w$.%@#!^-])(?:{dialects})(?:\.[\w$]+)+"),
        ("support.function.tileir", words(short)),
        ("variable.parameter.tileir", r"%[\w$.-]+(?:#\d+)?(?=\s*:)"),
        ("variable.other.tileir", r"%[\w$.-]+(?:#\d+)?"),
        ("entity.name.function.tileir", r'@(?:[\w$.-]+|"[^"]*")'),
        ("entity.name.label.tileir", r"\^[\w$.-]+"),
        ("storage.type.tileir", r"![\w$.]+"),
        ("constant.other.attribute.tileir", r"#[\w$.]+"),
        ("storage.type.tileir", words(type_names())),
        ("storage.type.tileir", rf"(?<![\w$.])(?:{BUILTIN_TYPES})(?![\w$.])"),
        ("constant.language.tileir", r"(?<![\w$.])(?:true|false|unit|dense|loc)(?![\w$.])"),
        (
            "constant.numeric.tileir",
            r"(?<![\w$.])-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+(?:[eE][+-]?\d+)?)?)",
        ),
    ]


def grammar() -> dict[str, object]:
    """The grammar, as JSON has it."""
    return {
        "name": "CUDA Tile IR",
        "scopeName": "source.tileir",
        "fileTypes": ["mlir", "tileir"],
        "patterns": [{"name": name, "match": match} for name, match in patterns()],
    }


def text() -> str:
    """The file."""
    return json.dumps(grammar(), indent=2) + "\n"


def main() -> None:
    """Writes the file."""
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
