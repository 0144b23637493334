"""Byte code of the methods that `dataclass` generates, stored like other byte code of Python.

`dataclasses` generates the source of half a dozen methods for each class and compiles it at each
import. Compiling them was a third of the time of a cold start, because Python stores the byte code
of files, not of generated text. `kept_method_code` stores and reuses the byte code of generated
text. The classes do not change, because the same code is executed in the same namespaces.

The file is in `__pycache__`, or in the compiler's cache where Python may not write byte code. The
file is written completely or not at all. The compiler also works without the file.
"""

import contextlib
import dataclasses
import importlib.util
import marshal
import os
import sys
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from sys import dont_write_bytecode
from typing import Any

from tileir_xdsl.runtime.cache.keys import is_on, opened

MOST_ENTRIES = 20_000
"""Several times the number for all classes; a larger file mostly has text of former versions."""

_CHECKSUM_BYTES = 4


class MethodCode:
    """A replacement of `exec` in `dataclasses` that reuses the code of earlier processes."""

    def __init__(self, path: Path | None):
        self._path = path
        self._kept: dict[str, bytes] | None = None
        self._added: dict[str, bytes] = {}

    def execute(self, source: str, *namespaces: dict[str, Any]) -> None:
        """Executes source text, as `exec` does."""
        # Not before: a process that has all classes reads no file.
        if self._kept is None:
            self._kept = {} if self._path is None else _read(self._path)
        data = self._kept.get(source)
        if data is None:
            code = compile(source, "<string>", "exec", dont_inherit=True)
            self._added[source] = marshal.dumps(code)
        else:
            code = marshal.loads(data)
        exec(code, *namespaces)

    def save(self) -> None:
        """Writes new entries to the file and keeps the old ones; a failure is not an error."""
        if self._path is None or not self._added:
            return
        kept = _read(self._path)
        full = len(kept) + len(self._added) > MOST_ENTRIES
        _write(self._path, self._added if full else kept | self._added)


def default_path() -> Path | None:
    """The file: beside byte code, otherwise in the cache; None if neither is writable."""
    try:
        module = Path(importlib.util.cache_from_source(__file__)).with_suffix(".generated")
    except NotImplementedError:
        return _path_in_cache(f"method_code.{sys.hexversion:x}.generated")
    folder = module.parent if module.parent.exists() else module.parent.parent
    if not dont_write_bytecode and os.access(folder, os.W_OK):
        return module
    return _path_in_cache(module.name)


def _path_in_cache(name: str) -> Path | None:
    if not is_on():
        return None
    store = opened()
    return store.folder / name if store.prepare() else None


@contextmanager
def kept_method_code(path: Path | None) -> Generator[None]:
    """Makes classes use the code in a file, and add their code to it."""
    code, members = MethodCode(path), dataclasses.__dict__
    # A name of the module goes before that of the built-in function.
    if "exec" in members:
        yield
        return
    members["exec"] = code.execute
    try:
        yield
    finally:
        del members["exec"]
        code.save()


def _read(path: Path) -> dict[str, bytes]:
    """The code in a file by its source; empty without a file of this Python version."""
    head = importlib.util.MAGIC_NUMBER
    try:
        contents = path.read_bytes()
    except OSError:
        return {}
    body = contents[len(head) + _CHECKSUM_BYTES :]
    if contents[: -len(body)] != head + _checksum(body):
        return {}
    return marshal.loads(body)


def _write(path: Path, code: dict[str, bytes]) -> None:
    body = marshal.dumps(code)
    unfinished = path.with_suffix(f".unfinished-{os.urandom(8).hex()}")
    try:
        path.parent.mkdir(exist_ok=True)
        with open(unfinished, "xb") as file:
            file.write(importlib.util.MAGIC_NUMBER + _checksum(body) + body)
        os.replace(unfinished, path)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little")
