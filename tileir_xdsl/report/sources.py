"""The source texts of a report, with the origins of their lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tileir_xdsl.bytecode.container import is_bytecode
from tileir_xdsl.report.provenance import Origins, Provenance
from tileir_xdsl.report.schema import Line, Text

LANGUAGES = {".py": "python"}
"""The language of a file by its suffix; other files are IR text."""


def sources_of(contents: bytes, file: str, provenance: Provenance) -> tuple[Text, ...]:
    """The texts that the locations of ops name, if they can be read: Python before IR.

    For bytecode, the texts are the files that its debug locations name.
    """
    places = _origins_by_line(provenance)
    texts = {} if is_bytecode(contents) else {file: contents.decode("utf-8-sig", "replace")}
    for other in places:
        if other not in texts and (found := _read(other)) is not None:
            texts[other] = found
    made = [_text(name, text, places.get(name, {})) for name, text in texts.items()]
    return tuple(sorted(made, key=lambda text: text.language != "python"))


def _origins_by_line(provenance: Provenance) -> dict[str, dict[int, Origins]]:
    """The origins of the ops of each line of each file."""
    files: dict[str, dict[int, Origins]] = {}
    for place, origins in provenance.lines_read():
        name, line, _ = place.rsplit(":", 2)
        lines = files.setdefault(name, {})
        lines[int(line)] = tuple(dict.fromkeys((*lines.get(int(line), ()), *origins)))
    return files


def _read(file: str) -> str | None:
    """The text of a file that ops name; None if it cannot be read or is not text."""
    path = Path(file)
    try:
        return path.read_text(encoding="utf-8-sig") if path.is_file() else None
    except (OSError, UnicodeDecodeError):
        return None


def _text(name: str, text: str, places: Mapping[int, Origins]) -> Text:
    language = LANGUAGES.get(Path(name).suffix, "mlir")
    lines = text.rstrip("\n").split("\n")
    return Text(
        name,
        language,
        tuple(Line(line, places.get(number, ())) for number, line in enumerate(lines, 1)),
    )
