"""The source lines that `.loc` directives name for the lines of a PTX text."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOCATION = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")


@dataclass(frozen=True)
class SourceLocations:
    """The `.loc` directives of a text in order, and the files that they refer to by number."""

    lines: tuple[int, ...]
    locations: tuple[tuple[int, int, int], ...]
    files: Mapping[int, str]

    @staticmethod
    def of(text: str) -> "SourceLocations":
        """Collects the directives of a text."""
        lines: list[int] = []
        locations: list[tuple[int, int, int]] = []
        files: dict[int, str] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if match := _LOCATION.match(line):
                lines.append(number)
                locations.append((int(match[1]), int(match[2]), int(match[3])))
            elif match := _FILE.match(line):
                files[int(match[1])] = match[2]
        return SourceLocations(tuple(lines), tuple(locations), files)

    def find(self, line: int | None) -> str | None:
        """`FILE:LINE:COL` of the source of a PTX line; None without a directive for the line."""
        index = 0 if line is None else bisect_right(self.lines, line)
        if index == 0:
            return None
        file, row, column = self.locations[index - 1]
        return f"{self.files.get(file, '?')}:{row}:{column}"
