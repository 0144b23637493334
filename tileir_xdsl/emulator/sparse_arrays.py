"""Sparse arrays: a page takes memory only once it is accessed.

    x = emulator.sparse_array((3 << 30,), np.uint8)     # 3 GiB of zeros, no memory
    x[-1] = 1                                           # one page

The memory is an anonymous file of the operating system with holes, so such an array is a numpy
array like any other. The emulator copies only existing pages, and interpreters work in place: the
cost of a launch depends on the accessed pages. Reading or copying all elements touches all pages.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO, Any
from weakref import WeakValueDictionary, finalize

import numpy as np

from tileir_xdsl.emulator.types import Array

SPARSE_BYTES = 1 << 30
"""`zeros` makes arrays of at least this size sparse. Accesses to sparse arrays are slower."""

# From this size on `zeros` asks the operating system for fresh pages. Memory that the allocator has
# kept would be cleared as a whole, also where little of it is used.
_MAPPED_BYTES = 1 << 20


class _Pages(mmap.mmap):
    """The mapped file of a sparse array, and its address in memory."""

    file: IO[bytes]
    address: int


_LIVE: WeakValueDictionary[int, _Pages] = WeakValueDictionary()
"""The mapped files of all sparse arrays, by address."""


def sparse_array(shape: Sequence[int], dtype: Any) -> Array:
    """An array of zeros up to the size of the address space; no page takes memory yet."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=object))
    file = _anonymous_file()
    size = max(1, count * dtype.itemsize)
    file.truncate(size)
    try:
        pages = _Pages(file.fileno(), size)
    except OSError as error:
        raise MemoryError(f"{size} bytes cannot be mapped") from error
    array = np.frombuffer(pages, dtype, count).reshape(shape)
    pages.file, pages.address = file, array.ctypes.data
    _LIVE[pages.address] = pages
    finalize(pages, file.close)
    return array


def _anonymous_file() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("sparse array"), "w+b")
    return tempfile.TemporaryFile()


def zeros(shape: Sequence[int], dtype: Any) -> Array:
    """An array of zeros, sparse if it is large."""
    size = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
    if size >= SPARSE_BYTES:
        return sparse_array(shape, dtype)
    if size < _MAPPED_BYTES:
        return np.zeros(shape, dtype)
    return np.frombuffer(mmap.mmap(-1, size), dtype).reshape(shape)


def held_ranges(data: Array) -> Iterator[slice]:
    """Yields the ranges of a contiguous array of bytes that may hold nonzero bytes, in order."""
    address, size = data.ctypes.data, data.size
    pages = next((p for p in _LIVE.values() if p.address <= address < p.address + len(p)), None)
    if pages is None:
        yield slice(0, size)
        return
    offset = address - pages.address
    position = offset
    while position < offset + size:
        try:
            first = os.lseek(pages.file.fileno(), position, os.SEEK_DATA)
        except OSError:
            # ENXIO: nothing but a hole up to the end.
            return
        position = os.lseek(pages.file.fileno(), first, os.SEEK_HOLE)
        found = slice(first - offset, min(position - offset, size))
        if found.start < found.stop:
            yield found
