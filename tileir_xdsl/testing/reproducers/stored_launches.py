"""A launch as JSON: its grid, numbers and arrays, with the arrays' strides and overlaps."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.checking.inputs import Argument, LaunchInput
from tileir_xdsl.interpreters.numerics import Array

ALIGNMENT = 64
"""Arrays keep their addresses modulo this many bytes, more than kernels assume."""


def as_json(launch: LaunchInput) -> dict[str, Any]:
    """Converts a launch to JSON data; overlapping arrays share one memory."""
    arrays = [a for a in launch.arguments if isinstance(a, np.ndarray)]
    spans = _spans(arrays)
    memories = [_packed(low, high, arrays) for low, high in spans]
    return {
        "grid": list(launch.grid),
        "arguments": [_argument(each, spans) for each in launch.arguments],
        "memories": memories,
    }


def _spans(arrays: Sequence[Array]) -> list[tuple[int, int]]:
    """The address ranges of arrays, with overlapping ranges merged."""
    spans: list[tuple[int, int]] = []
    for low, high in sorted(byte_bounds(array) for array in arrays):
        if spans and low < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], high)
        else:
            spans.append((low, high))
    return spans


def _packed(low: int, high: int, arrays: Sequence[Array]) -> dict[str, Any]:
    memory = np.zeros(high - low, np.uint8)
    for array in arrays:
        first, last = byte_bounds(array)
        if low <= first and last <= high:
            offset = array.ctypes.data - low
            np.ndarray(array.shape, array.dtype, memory, offset, array.strides)[...] = array
    packed = base64.b64encode(zlib.compress(memory.tobytes(), 9)).decode("ascii")
    return {"bytes": high - low, "aligned": low % ALIGNMENT, "packed": packed}


def _argument(value: Argument, spans: Sequence[tuple[int, int]]) -> object:
    if isinstance(value, np.ndarray):
        first, last = byte_bounds(value)
        number = next(n for n, (low, high) in enumerate(spans) if low <= first and last <= high)
        return {
            "memory": number,
            "offset": value.ctypes.data - spans[number][0],
            "type": value.dtype.name,
            "shape": list(value.shape),
            "strides": list(value.strides),
        }
    if isinstance(value, np.generic):
        packed = base64.b64encode(value.tobytes()).decode("ascii")
        return {"type": value.dtype.name, "number": packed}
    return value


def from_json(stored: Mapping[str, Any]) -> LaunchInput:
    """The launch that `as_json` converted. Raises KeyError, TypeError or ValueError for any other
    data.
    """
    memories = [_unpacked(each) for each in stored["memories"]]
    arguments = tuple(_value(each, memories) for each in stored["arguments"])
    x, y, z = (int(extent) for extent in stored["grid"])
    return LaunchInput((x, y, z), arguments)


def _unpacked(memory: Mapping[str, Any]) -> Array:
    data = zlib.decompress(base64.b64decode(memory["packed"]))
    room = np.empty(len(data) + ALIGNMENT, np.uint8)
    start = (memory["aligned"] - room.ctypes.data) % ALIGNMENT
    placed = room[start : start + len(data)]
    placed[...] = np.frombuffer(data, np.uint8)
    return placed


def _value(stored: Any, memories: Sequence[Array]) -> Argument:
    if not isinstance(stored, Mapping):
        return stored
    dtype = np.dtype(getattr(ml_dtypes, stored["type"], stored["type"]))
    if "number" in stored:
        return np.frombuffer(base64.b64decode(stored["number"]), dtype)[0]
    memory = memories[stored["memory"]]
    return np.ndarray(stored["shape"], dtype, memory, stored["offset"], stored["strides"])
