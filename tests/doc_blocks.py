"""The blocks of the pages of the documentation: commands, IR and Python, and which are schematic.

A block is schematic, and not run, if `schematic` follows the language of its fence, or if the
comment `<!-- schematic -->` stands before it; `<!-- schematic below -->` goes on to the next
heading.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.unit.tools import REPOSITORY

SCHEMATIC = "schematic"
INDENT = "    "
FENCE = re.compile(r"(?P<indent> *)```(?P<language>\w*) ?(?P<mark>\w*)$")
COMMENT = re.compile(r"<!-- (schematic|schematic below) -->$")
PROGRAM = re.compile(r"(tileir(-as)?|xdsl-opt|python|make) ")
IR = re.compile(
    r"^\s*(%[\w$.]+(:\d+)?(, ?%[\w$.]+)* = |(cuda_tile|nv_tileaa|nv_tileas|llvm|nvvm|scf)\.|entry @)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A block of a page, without its indentation."""

    line: int
    language: str
    """That of its fence; empty for an indented block."""
    text: str
    schematic: bool

    @property
    def is_ir(self) -> bool:
        """Whether it is IR of some level."""
        return self.language == "mlir" or (not self.language and IR.search(self.text) is not None)


def pages() -> list[Path]:
    """All pages, from the repository."""
    found = sorted(path.relative_to(REPOSITORY) for path in (REPOSITORY / "docs").rglob("*.md"))
    return [Path("README.md"), Path("CONTRIBUTING.md"), *found]


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    lines = text.splitlines()
    at, before, below = 0, "", False
    while at < len(lines):
        line = lines[at]
        if found := COMMENT.match(line.strip()):
            below = below or found[1].endswith("below")
        if line.startswith("#"):
            below = False
        marked = below or COMMENT.match(before.strip()) is not None
        if fence := FENCE.match(line):
            end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == "```")
            body = [inner.removeprefix(fence["indent"]) for inner in lines[at + 1 : end]]
            marked = marked or fence["mark"] == SCHEMATIC
            yield Block(at + 1, fence["language"] or "text", "\n".join(body) + "\n", marked)
            at, before = end + 1, "```"
        elif line.startswith(INDENT) and not before.startswith(INDENT):
            end = at
            while end < len(lines) and (lines[end].startswith(INDENT) or not lines[end].strip()):
                end += 1
            body = [inner.removeprefix(INDENT) for inner in lines[at:end]]
            yield Block(at + 1, "", "\n".join(body).rstrip() + "\n", marked)
            at, before = end, ""
        else:
            before = line if line.strip() else before if COMMENT.match(before.strip()) else ""
            at += 1


def commands(block: Block) -> Iterator[list[str]]:
    """The commands of a block, as words; in pipes, each part, and `|`, `&&` and `>` between."""
    if block.language not in ("", "console", "sh", "text") or block.schematic:
        return
    text = re.sub(r"\\\n\s*", "", block.text)
    has_prompts = re.search(r"^\$ ", text, re.MULTILINE) is not None
    for line in text.splitlines():
        if has_prompts and not line.startswith("$ "):
            continue
        line = line.removeprefix("$ ")
        if PROGRAM.match(line):
            yield shlex.split(line, comments=True)
