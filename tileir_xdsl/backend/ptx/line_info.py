"""Line information: `.file` and `.loc` directives from the locations of ops.

Source: PTX ISA, debugging directives. A `.loc` applies to the instructions that follow it, up to
the next `.loc`. An inlined instruction names its function and the place of the call:

    .loc 1 53 19
    .loc 1 45 11, function_name $inlined_functions+0, inlined_at 1 53 19

An earlier `.loc` must have stated the place of the call. Directives refer to names of functions by
offsets into the section `.debug_str`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from xdsl.ir import Attribute

from tileir_xdsl.dialects.source_locations import SourceScope
from tileir_xdsl.targets import PTXVersion

INLINED_AT_VERSION: PTXVersion = (7, 2)
"""The first PTX version with `function_name` and `inlined_at`; no target's default is older."""

_FUNCTION_NAMES = "$inlined_functions"


class Frame(NamedTuple):
    """A place in a source file, and the name of the function around it; empty if unknown."""

    file: str
    line: int
    column: int
    function: str = ""


def frames(location: Attribute) -> tuple[Frame, ...]:
    """The place of a location, then of the call that inlined it, and so on; empty if unknown."""
    match location:
        case FileLineColLoc():
            return (Frame(location.filename.data, location.line.data, location.column.data),)
        case NameLoc(location=child):
            return frames(child)
        case CallSiteLoc(callee=callee, caller=caller):
            return frames(callee) + frames(caller)
        case FusedLoc(locations=ArrayAttr(data=parts), metadata=metadata):
            found = next((positions for part in parts if (positions := frames(part))), ())
            if found and isinstance(metadata, SourceScope):
                return (found[0]._replace(function=metadata.function_name), *found[1:])
            return found
        case _:
            return ()


def _quotable(name: str) -> str:
    """A file name as PTX can quote it, without escapes: printable ASCII but no quotes."""
    return "".join(c if " " <= c <= "~" and c != '"' else "?" for c in name)


class LineInfo:
    """The line information of a module; numbers files and functions when kernels first name them.

    `version` is the requested PTX version; None for that of the target.
    """

    def __init__(self, version: PTXVersion | None):
        self._inlines = version is None or version >= INLINED_AT_VERSION
        self._files: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._names = bytearray()

    def files(self) -> str:
        """The `.file` directives, one a line."""
        return "".join(f'.file {n} "{_quotable(name)}"\n' for name, n in self._files.items())

    def function_names(self) -> str:
        """The section with the names of inlined functions; empty if nothing is inlined."""
        if not self._functions:
            return ""
        names = ", ".join(map(str, self._names))
        return f".section .debug_str\n{{\n{_FUNCTION_NAMES}:\n\t.b8 {names}\n}}\n"

    def place(self, frame: Frame) -> str:
        """File number, line and column."""
        number = self._files.setdefault(frame.file, len(self._files) + 1)
        return f"{number} {frame.line} {frame.column}"

    def inlining(self, frame: Frame, caller: Frame) -> str:
        """The text of a `.loc` for a place in a function that was inlined at `caller`."""
        if not self._inlines or not frame.function:
            return ""
        offset = self._functions.get(frame.function)
        if offset is None:
            offset = self._functions[frame.function] = len(self._names)
            self._names += frame.function.encode() + b"\0"
        return f", function_name {_FUNCTION_NAMES}+{offset}, inlined_at {self.place(caller)}"


class KernelLines:
    """Prints the locations of one kernel's instructions, in their order."""

    def __init__(self, info: LineInfo):
        self._info = info
        self._location: Attribute | None = None
        self._current: tuple[Frame, ...] = ()
        self._stated: set[tuple[Frame, ...]] = set()

    def __call__(self, location: Attribute | None) -> Iterator[str]:
        """The lines before an instruction; none if its location is the previous one, or unknown."""
        if location is None or location is self._location:
            return
        self._location = location
        positions = frames(location)
        if positions and positions != self._current:
            for depth in range(len(positions) - 1, 0, -1):
                if positions[depth:] not in self._stated:
                    yield self._line(positions[depth:])
            yield self._line(positions)

    def _line(self, positions: tuple[Frame, ...]) -> str:
        self._current = positions
        self._stated.add(positions)
        text = self._info.place(positions[0])
        if len(positions) > 1:
            text += self._info.inlining(positions[0], positions[1])
        return f"\t.loc {text}"
