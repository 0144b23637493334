"""Maps lines of PTX to lines of the source."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.targets.symbols import ptx_name

_FILE = re.compile(r'\.file (\d+) "([^"]*)"')
_LOCATION = re.compile(r"\s*\.loc (\d+) (\d+) (\d+)")
_PTX_LINE = re.compile(r"PTX line (\d+)")


def with_sources(
    error: emulator.EmulatorError, module: ModuleOp, kernel: str, ptx: str
) -> emulator.EmulatorError:
    """The error, with the source lines of its PTX line and of PTX lines in its message.

    `module` is at `llvm`, and `ptx` its text.
    """
    if error.line is None and _PTX_LINE.search(error.message) is None:
        return error
    sources = source_lines(module, kernel, ptx)

    def with_source(found: re.Match[str]) -> str:
        source = sources.get(int(found[1]))
        return found[0] if source is None else f"{found[0]} ({source})"

    return type(error)(
        _PTX_LINE.sub(with_source, error.message),
        line=error.line,
        instruction=error.instruction,
        location=error.location,
        source=None if error.line is None else sources.get(error.line),
    )


def source_lines(module: ModuleOp, kernel: str, ptx: str) -> Mapping[int, str]:
    """By line of the PTX of a kernel: `file:line:column` of the op, if it has a location."""
    stated = emit(module, lineinfo=True).splitlines()
    files = {found[1]: found[2] for line in stated if (found := _FILE.match(line))}
    sources: list[str | None] = []
    source: str | None = None
    for line in _after_entry(stated, kernel):
        if (found := _LOCATION.match(line)) is None:
            sources.append(source)
        else:
            source = f"{files[found[1]]}:{found[2]}:{found[3]}"
    lines = ptx.splitlines()
    body = _after_entry(lines, kernel)
    first = len(lines) - len(body) + 1
    numbers = (first + n for n, line in enumerate(body) if not _LOCATION.match(line))
    return {n: found for n, found in zip(numbers, sources, strict=False) if found is not None}


def _after_entry(lines: list[str], kernel: str) -> list[str]:
    """The lines from the declaration of a kernel on."""
    declares = re.compile(rf".*\.entry {re.escape(ptx_name(kernel))}(?![\w$])")
    first = next((n for n, line in enumerate(lines) if declares.match(line)), len(lines))
    return lines[first:]
