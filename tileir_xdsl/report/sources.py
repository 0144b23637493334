"""The sources of a report: what the user wrote, with the origins of its lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tileir_xdsl.bytecode.container import is_bytecode
from tileir_xdsl.report.provenance import Origins, Provenance
from tileir_xdsl.report.schema import Line, Text

LANGUAGES = {".py": "python"}
"""By the suffix of a file; anything else is IR text."""


def sources_of(contents: bytes, file: str, provenance: Provenance) -> tuple[Text, ...]:
    """The texts that the locations of ops name, if they can be read: Python before IR.

    Bytecode is not text; its debug locations name the files that it was made from.
    """
    places = _origins_by_line(provenance)
    texts = {} if is_bytecode(contents) else {file: contents.decode("utf-8-sig", "replace")}
    for other in places:
        if other not in texts and (found := _read(other)) is not None:
            texts[other] = found
    made = [_text(name, text, places.get(name, {})) for name, text in texts.items()]
    return tuple(sorted(made, key=lambda text: text.language != "python"))


def _origins_by_line(provenance: Provenance) -> dict[str, dict[int, Origins]]:
    """The origins of what stands in each line of each file."""
    files: dict[str, dict[int, Origins]] = {}
    for place, origins in provenance.lines_read():
        name, line, _ = place.rsplit(":", 2)
        lines = files.setdefault(name, {})
        lines[int(line)] = tuple(dict.fromkeys((*lines.get(int(line), ()), *origins)))
    return files


def _read(file: str) -> str | None:
    """A file that ops name; None where it is not here, or no text."""
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
