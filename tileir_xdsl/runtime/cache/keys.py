"""Computes the key of a compilation from all its inputs."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tileir_xdsl.runtime.cache.store import Store
from tileir_xdsl.runtime.outputs import CUBIN

if TYPE_CHECKING:
    from tileir_xdsl.options import Options

SWITCH, PLACE, LIMIT = "TILEIR_CACHE", "TILEIR_CACHE_DIR", "TILEIR_CACHE_LIMIT"
"""The environment variables of the cache."""

DEFAULT_LIMIT_MIB = 1024

_PACKAGE = Path(__file__).resolve().parents[2]

_LOADED = time.time()
"""The time at which this process began to load the compiler."""


def store() -> Store | None:
    """The store that the environment of this process selects; None if the cache is off."""
    return opened() if is_on() and _sources()[1] <= _LOADED else None


def is_on() -> bool:
    """Whether the cache is turned on, and the system reports the owners of files."""
    return os.environ.get(SWITCH) != "0" and hasattr(os, "getuid")


def opened() -> Store:
    """The store, even if the cache is off."""
    place = os.environ.get(PLACE)
    limit = os.environ.get(LIMIT, "")
    mib = int(limit) if limit.isdecimal() else DEFAULT_LIMIT_MIB
    return Store(Path(place) if place else _default_place(), mib << 20)


def _default_place() -> Path:
    # Not above: a process with a place of its own does not need it.
    from platformdirs import user_cache_path

    return user_cache_path("tileir_xdsl", appauthor=False)


def compile_key(
    contents: bytes, file: str, gpu: str | None, emit: str, options: Options, purpose: str = ""
) -> str:
    """The key of compiling a file to `emit`; `purpose` distinguishes entries with further objects.

    The name of the file is part of the key, since remarks and line information contain it.
    """
    # Not above: where a command is found by its words, nothing needs it.
    import json

    facts = (
        *compiler_facts(),
        extension_facts(options),
        ptxas_facts() if emit == CUBIN else "",
        file,
        gpu,
        emit,
        purpose,
        options.given(),
    )
    # An option's value has a type: 1 is not True.
    digest = hashlib.sha256(json.dumps(facts).encode())
    digest.update(b"\0" + contents)
    return digest.hexdigest()


def extension_facts(options: Options) -> dict[str, str]:
    """Digests of the extensions of a compilation, by their names.

    Raises InputError for an unknown extension.
    """
    if not options.extensions:
        return {}
    # Not above: only compilations with extensions import them.
    from tileir_xdsl.extensions.registry import digests
    from tileir_xdsl.runtime.diagnostics import errors_in

    with errors_in("extensions"):
        return digests(options.extensions)


def compiler_facts() -> tuple[str, str, dict[str, str]]:
    """Facts that distinguish compilers, and the package's environment variables."""
    variables = {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith("TILEIR_") and name not in (SWITCH, PLACE, LIMIT)
    }
    return _sources()[0], _foundation(), variables


@cache
def _sources() -> tuple[str, float]:
    return _scan()


def sources_now() -> str:
    """A digest that changes whenever a file of the compiler does."""
    return _scan()[0]


def _scan() -> tuple[str, float]:
    """A digest of the compiler's source files by size and time, and the time of the newest.

    A process that loaded the compiler before a change must not store results, since it still runs
    the former compiler.
    """
    digest, newest = hashlib.sha256(), 0.0
    folders = [str(_PACKAGE)]
    while folders:
        with os.scandir(folders.pop()) as listed:
            files = sorted(listed, key=lambda file: file.name)
        for file in files:
            if file.is_dir(follow_symlinks=False):
                folders.append(file.path)
            elif file.name.endswith(".py"):
                status = file.stat()
                newest = max(newest, status.st_mtime)
                digest.update(f"{file.path}:{status.st_size}:{status.st_mtime_ns}\n".encode())
    return digest.hexdigest(), newest


@cache
def _foundation() -> str:
    """Facts that distinguish installations of xDSL and Python."""
    spec = importlib.util.find_spec("xdsl")
    origin = "" if spec is None or spec.origin is None else spec.origin
    return f"{sys.version}:{origin}:{os.stat(origin).st_mtime_ns}"


@cache
def ptxas_facts() -> str:
    """Facts that distinguish versions of `ptxas`; empty without one."""
    # Not above: text needs no assembler.
    from tileir_xdsl.runtime.ptxas import ToolNotFoundError, ptxas_path

    try:
        path = ptxas_path()
        status = path.stat()
    except (ToolNotFoundError, OSError):
        return ""
    return f"{path}:{status.st_size}:{status.st_mtime_ns}"
