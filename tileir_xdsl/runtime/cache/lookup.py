"""A result from the store, or made now and stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tileir_xdsl.runtime.cache.keys import store

ResultT = TypeVar("ResultT")


def cached(
    key: Callable[[], str],
    make: Callable[[], ResultT],
    encode: Callable[[ResultT], bytes],
    decode: Callable[[bytes], ResultT],
) -> ResultT:
    """What `make` returns, or returned when the key was the same; what it raises is not stored."""
    found = store()
    if found is None:
        return make()
    name = key()
    data = found.get(name)
    if data is not None:
        return decode(data)
    result = make()
    found.put(name, encode(result))
    return result
