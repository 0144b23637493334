"""One BLAS thread for the dots of tiles that numpy computes.

A BLAS with one thread for each core synchronises them at each dot. On a busy machine this
synchronisation takes much longer than the dot of a tile.
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

from tileir_xdsl.shared_numbers import SharedNumber

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""Environment variables with the user's number of BLAS threads; BLAS reads them when loaded."""

_NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)
"""The names of OpenBLAS functions (`cblas.h`) in numpy's wheels and in other builds."""


@cache
def openblas_threads() -> SharedNumber | None:
    """How many threads OpenBLAS has; None where numpy has another BLAS."""
    import ctypes

    # A name is looked up in what a library is linked with, too: here in numpy's own BLAS.
    file = getattr(sys.modules.get("numpy._core._multiarray_umath"), "__file__", None)
    if file is None:
        return None
    library = ctypes.CDLL(file)
    for name in _NAMES:
        read, write = (getattr(library, name.format(verb), None) for verb in ("get", "set"))
        if read is not None and write is not None:
            return SharedNumber(read, write)
    return None


@contextmanager
def one_blas_thread() -> Generator[None]:
    """Makes numpy compute dots in one thread, unless the user has stated the number of threads.

    All Python threads share the number of BLAS threads. The number is restored when the last of the
    concurrent uses ends.
    """
    threads = openblas_threads() if os.environ.keys().isdisjoint(BLAS_THREADS) else None
    if threads is None:
        yield
        return
    with threads.kept():
        threads.write(1)
        yield
