"""Reduces a failing module's text: extents of tiles, bounds of loops, and padding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileir_xdsl.testing import tools

Fails = Callable[[ModuleOp], bool]

_SHAPE = re.compile(r"\b(tile|tensor|vector)<((?:\d+x)+)")
_EXTENT = re.compile(r"(?<=[<x(\[ ])(\d+)(?=x|\))")
_PADDING = re.compile(r"padding_value = \w+, ")
_CONSTANT = re.compile(r"constant (?:<\w+: )?(\d+)\b")


def without_padding(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Drops the padding of all views, so that views of one array have one type."""
    return _rewritten(module, fails, lambda text: iter([_PADDING.sub("", text)]))


def smaller_ranks(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Replaces as many shapes of tiles as possible by scalars."""
    return _rewritten(module, fails, _without_dimensions)


def smaller_numbers(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Replaces extents and constants by numbers as small as possible."""
    return _rewritten(module, fails, _with_smaller_numbers)


def _rewritten(
    module: ModuleOp, fails: Fails, rewrites: Callable[[str], Iterator[str]]
) -> ModuleOp:
    """Applies as many rewrites of the module's text as possible while it `fails`."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        before = tools.to_text(module)
        for text in rewrites(before):
            smaller = read(text) if text != before else None
            if smaller is not None and fails(smaller):
                module, is_smaller = smaller, True
                break
    return module


def read(text: str) -> ModuleOp | None:
    """The module of a text; None if it is not valid."""
    try:
        return tools.parse(text)
    except (DiagnosticException, ParseError, ValueError):
        return None


def _without_dimensions(text: str) -> Iterator[str]:
    shapes = list(dict.fromkeys(match.group(2) for match in _SHAPE.finditer(text)))
    if len(shapes) > 1:
        yield _SHAPE.sub(r"\1<", text)
    for shape in sorted(shapes, key=len, reverse=True):
        yield re.sub(rf"\b(tile|tensor|vector)<{shape}", r"\1<", text)


def _with_smaller_numbers(text: str) -> Iterator[str]:
    found = {int(match.group(1)) for match in (*_EXTENT.finditer(text), *_CONSTANT.finditer(text))}
    for number in sorted(found - {0, 1}, reverse=True):
        for smaller in dict.fromkeys((1, 2, number // 2)):
            if smaller < number:
                yield re.sub(
                    rf"(?<![\w.#%]){number}(?![\w.])|(?<=[<x]){number}(?=x)", str(smaller), text
                )
