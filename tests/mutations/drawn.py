"""Faults drawn by a seed over all rooms of the package, the folders of its top two levels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from types import CodeType

from tests.reach.map import PACKAGE, REPOSITORY, all_sources

from .edits import Edit, edits
from .fault import Fault

_HELPERS = f"{PACKAGE}/testing/"
"""What tests use, and no compile reaches."""


def draw(
    count: int, seed: int, part: str = "", kind: str = "", root: Path = REPOSITORY
) -> list[Fault]:
    """Some faults, or as many as there are, each in another file; one seed draws the same ones.

    Each room has its turn, then each once more. Of a file a kind is drawn, then a fault of it.

    Args:
        part: of the path of each file.
        kind: of each fault; any kind if empty.
    """
    random = Random(seed)
    rooms = defaultdict[str, list[str]](list)
    for file in all_sources(root):
        if part in file and not file.startswith(_HELPERS):
            rooms[room_of(file)].append(file)
    turns = {room: _drawn_from(files, kind, random, root) for room, files in rooms.items()}
    return list(islice(_by_turns(turns, random), count))


def room_of(file: str) -> str:
    """The folders of the top two levels below the package."""
    return "/".join(file.removeprefix(f"{PACKAGE}/").split("/")[:-1][:2])


def _by_turns(rooms: dict[str, Iterator[Fault]], random: Random) -> Iterator[Fault]:
    """A fault of each room after the other, until none has more."""
    while rooms:
        for room in random.sample(sorted(rooms), len(rooms)):
            if (fault := next(rooms[room], None)) is None:
                del rooms[room]
            else:
                yield fault


def _drawn_from(files: Sequence[str], kind: str, random: Random, root: Path) -> Iterator[Fault]:
    """A fault of each file that may have one, in a drawn order."""
    for file in random.sample(files, len(files)):
        if (fault := _drawn_in(file, kind, random, root)) is not None:
            yield fault


def _drawn_in(file: str, kind: str, random: Random, root: Path) -> Fault | None:
    """One fault of a file, if it may have any."""
    text = (root / file).read_text("utf-8")
    left = defaultdict[str, list[Edit]](list)
    for edit in edits(text):
        if kind in ("", edit.kind):
            left[edit.kind].append(edit)
    for edit in _in_drawn_order(left, random):
        if _changes(text, edit):
            return fault_of(file, text, edit)
    return None


def _in_drawn_order(left: Mapping[str, list[Edit]], random: Random) -> Iterator[Edit]:
    """All edits, each time of a kind that is drawn first: most edits are of few kinds."""
    while kinds := [kind for kind, same in left.items() if same]:
        same = left[random.choice(kinds)]
        yield same.pop(random.randrange(len(same)))


def _changes(text: str, edit: Edit) -> bool:
    """Whether an edit compiles, to other byte code."""
    try:
        return _code(text[: edit.start] + edit.new + text[edit.end :]) != _code(text)
    except SyntaxError:
        return False


def _code(text: str) -> CodeType:
    return _without_lines(compile(text, "", "exec", dont_inherit=True))


def _without_lines(code: CodeType) -> CodeType:
    inner = (
        _without_lines(part) if isinstance(part, CodeType) else part for part in code.co_consts
    )
    return code.replace(co_consts=tuple(inner), co_firstlineno=1, co_linetable=b"")


def fault_of(file: str, text: str, edit: Edit) -> Fault:
    """A row of the table: an edit with as many of the lines around it as make its text unique."""
    start, end = edit.start, edit.end
    while text.find(text[start:end]) != start or text.find(text[start:end], start + 1) >= 0:
        # The rest of the lines first, then a line more on either side.
        is_whole = text[:start][-1:] in ("", "\n") and text[end:][:1] in ("", "\n")
        start = text.rfind("\n", 0, max(start - is_whole, 0)) + 1
        end = (text + "\n").find("\n", min(end + is_whole, len(text)))
    new = text[start : edit.start] + edit.new + text[edit.end : end]
    return Fault(file, edit.kind, text[start:end], new)
