"""Returns a result from the store, or computes and stores it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tileir_xdsl.runtime.cache.keys import store

MadeT = TypeVar("MadeT")
FoundT = TypeVar("FoundT")


def cached(
    key: Callable[[], str],
    make: Callable[[], MadeT],
    encode: Callable[[MadeT], bytes],
    decode: Callable[[bytes], FoundT],
) -> MadeT | FoundT:
    """Returns the result of `make`, or the decoded one stored under the same key; exceptions are
    not stored.
    """
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
