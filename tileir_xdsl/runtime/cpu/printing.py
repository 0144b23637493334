"""Prints output of compiled kernels, which call this module to format values."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import prod
from typing import TextIO

import numpy as np

from tileir_xdsl.interpreters.formatting import format_tiles
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.cpu.kernel_facts import Site

_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)


class _Output(threading.local):
    """The output stream of a thread: kernels that print run on their caller's thread."""

    stream: TextIO | None = None


_output = _Output()


@contextmanager
def printing_to(stream: TextIO | None) -> Generator[None]:
    """Kernels launched in the context print to `stream`; None is the standard output."""
    before, _output.stream = _output.stream, stream
    try:
        yield
    finally:
        _output.stream = before


class Printer:
    """The function that a kernel calls to print at one of its sites."""

    def __init__(self, sites: Sequence[Site]):
        self._sites = sites
        self._function = _FUNCTION(self._print)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _print(self, number: int, operands: int) -> None:
        site = self._sites[number]
        addresses = (ctypes.c_int64 * len(site.operands)).from_address(operands)
        tiles = [
            _tile(address, np.dtype(name), shape)
            for address, (name, shape) in zip(addresses, site.operands, strict=True)
        ]
        (_output.stream or sys.stdout).write(format_tiles(site.message, tiles))


def _tile(address: int, dtype: np.dtype, shape: tuple[int, ...]) -> Array:
    memory = (ctypes.c_uint8 * (prod(shape) * dtype.itemsize)).from_address(address)
    return np.frombuffer(memoryview(memory), dtype).reshape(shape)
