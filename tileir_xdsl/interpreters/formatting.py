"""Output of kernels and failed assertions: C format strings applied to tiles.

C format strings applied to tiles.

A scalar prints as `printf` prints it; a tile of higher rank as nested lists of its elements,
`[[1, 2], [3, 4]]`, each element formatted on its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.integer_operations import as_signed, as_unsigned
from tileir_xdsl.interpreters.numerics import Array

_EXPRESSION = re.compile(
    r"%(?P<flags>[^diuoxXeEfFgGaAcsSpn%]*)(?P<conversion>[diuoxXeEfFgGaAcsSpn%])"
)
_LENGTH_MODIFIERS = re.compile(r"[hlLqjzt]+")


def format_tiles(text: str, tiles: Sequence[Array]) -> str:
    """Replaces each format expression of `text` by the next of `tiles`."""
    remaining = iter(tiles)

    def replace(match: re.Match[str]) -> str:
        if match["conversion"] == "%":
            return "%"
        flags = _LENGTH_MODIFIERS.sub("", match["flags"])
        return _format_tile(flags, match["conversion"], next(remaining))

    return _EXPRESSION.sub(replace, text)


def check_assertion(condition: Array, message: str) -> None:
    """Raises `ExecutionError` with `message` if an element of `condition` is false."""
    if not condition.all():
        index = np.unravel_index(int(np.argmin(condition)), condition.shape)
        where = f" for element {[int(i) for i in index]}" if condition.ndim else ""
        raise ExecutionError(f"assertion failed{where}: {message}")


def _format_tile(flags: str, conversion: str, tile: Array) -> str:
    if tile.ndim:
        return f"[{', '.join(_format_tile(flags, conversion, np.asarray(t)) for t in tile)}]"
    return _format_element(flags, conversion, tile)


def _format_element(flags: str, conversion: str, value: Array) -> str:
    if conversion in "aA":
        text = float(value).hex()
        return text.upper() if conversion == "A" else text
    if conversion == "p":
        return f"{int(value):#x}"
    if conversion in "eEfFgG":
        return f"%{flags}{conversion}" % float(value)
    return f"%{flags}{'d' if conversion in 'iu' else conversion}" % _integer(conversion, value)


def _integer(conversion: str, value: Array) -> Any:
    if value.dtype.kind not in "biu":
        return int(value) if np.isfinite(float(value)) else 0
    if conversion in "di" and value.dtype != np.bool_:
        return int(as_signed(value))
    return int(as_unsigned(value))
