"""A text with the positions that editors use: line from 0, and code unit within the line."""

import bisect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

WORD = re.compile(r"[%@^#!]?[\w$.\-]+")
"""A name of a value, symbol, block, alias, op, type or attribute."""

Span = tuple[int, int]
"""The offset of the first character, and the offset after the last."""


UTF_16 = "utf-16"
"""The units in which editors count by default."""

_UNITS: Mapping[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode(errors="surrogatepass")),
    UTF_16: lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-32": len,
}
"""The length of a text in the code units of each encoding of the protocol."""


@dataclass(frozen=True)
class Source:
    """A text with offsets, which count characters, and positions, which count code units."""

    text: str
    encoding: str = UTF_16

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def offset(self, line: int, unit: int) -> int:
        """The offset of a position, or the closest offset if the text has no such position."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        text = self._line(line)
        if text.isascii():
            return self._starts[line] + min(max(unit, 0), len(text))
        length = _UNITS[self.encoding]
        for index, letter in enumerate(text):
            if unit <= 0:
                return self._starts[line] + index
            unit -= length(letter)
        return self._starts[line] + len(text)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and code unit of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect.bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return line, len(before) if before.isascii() else _UNITS[self.encoding](before)

    def _line(self, line: int) -> str:
        end = self._starts[line + 1] - 1 if line + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[line] : end].removesuffix("\r")

    def line_before(self, offset: int) -> str:
        """The text of a line before an offset."""
        return self.text[self.text.rfind("\n", 0, offset) + 1 : offset]

    def end_of_line(self, offset: int) -> int:
        """The end of the line of an offset, before the line break."""
        end = self.text.find("\n", offset)
        end = len(self.text) if end < 0 else end
        return end - 1 if self.text[offset:end].endswith("\r") else end

    def word_at(self, offset: int) -> Span | None:
        """The name that contains an offset or ends at it."""
        start = self.text.rfind("\n", 0, offset) + 1
        for match in WORD.finditer(self.text, start, self.end_of_line(offset)):
            if match.start() <= offset <= match.end():
                return match.span()
            if match.start() > offset:
                break
        return None

    def visible(self, span: Span) -> Span:
        """The span, or if it is empty the word or character at it."""
        start, end = span[0], min(span[1], len(self.text))
        if end > start:
            return start, end
        if start >= len(self.text):
            end = len(self.text.rstrip())
            return max(end - 1, 0), end
        word = WORD.match(self.text, start)
        return (start, word.end() if word else min(start + 1, len(self.text)))
