"""Finds extensions by name, and makes their parts known to this process.

A name is that of a registered extension, or of an entry point in the group
`tileir_xdsl.extensions`. A path that ends in `.py` names the `EXTENSION` of that file. An extension
is imported when it is named, and again after its source files have changed.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import extract_tb

from tileir_xdsl.extensions.extension import Extension, PlacedPass
from tileir_xdsl.extensions.sources import (
    digest_of_code,
    digest_of_files,
    modules_of,
    source_files,
)
from tileir_xdsl.options import OptionError
from tileir_xdsl.passes import OURS, PASSES, PassEntry, Promise, takes_option
from tileir_xdsl.suggestions import did_you_mean

GROUP = f"{OURS}.extensions"
"""The group of entry points that provide extensions."""

ATTRIBUTE = "EXTENSION"
"""The name of the variable that holds the extension in a Python file."""

HERE = "this process"
"""The origin of a registered extension."""

REGISTRARS = (f"{OURS}.joining",)
"""Modules whose `register(extension)` registers the parts, and returns the extension to run."""

_PROBLEMS = (
    ImportError,
    SyntaxError,
    NameError,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
)
"""Exceptions during an import that count as faults of the extension."""


@dataclass(frozen=True)
class Known:
    """An extension that this process has imported."""

    extension: Extension
    origin: str
    """The extension's distribution or file, or `HERE`."""
    modules: frozenset[str] = frozenset()
    """The modules of the extension's parts; none for a registered extension."""
    digest: str = ""
    """The digest of the source files of the extension."""


_registered: dict[str, Known] = {}
_imported: dict[str, Known] = {}
"""Imported extensions, by the requested name or the full path of a file."""


def register(extension: Extension) -> Extension:
    """Registers an extension by its name in this process, in place of one with the same name."""
    _registered[extension.name] = Known(extension, HERE)
    return extension


def origins() -> Mapping[str, str]:
    """The origins of the extensions known to this process, by name."""
    known = (*_imported.values(), *_registered.values())
    return {found.extension.name: found.origin for found in known}


def installed() -> Mapping[str, str]:
    """The names of all registered and installed extensions, with their origins."""
    found = {point.name: _distribution(point) for point in entry_points(group=GROUP)}
    return found | {name: known.origin for name, known in _registered.items()}


def find(name: str) -> Extension:
    """Finds an extension. Raises OptionError if there is none or it cannot be imported."""
    return _find(name).extension


def load(names: Sequence[str]) -> tuple[Extension, ...]:
    """The extensions with these names; makes their parts known to this process.

    Raises OptionError like `find`, for an extension that is named twice, and for a pass with the
    name of another pass.
    """
    found: list[Extension] = []
    for name in names:
        extension = find(name)
        own = extension.name
        twins = [given for given, other in zip(names, found, strict=False) if other.name == own]
        if twins:
            also = "" if twins[0] == name else f": {twins[0]} is an extension '{own}', too"
            raise OptionError("extensions", name, f"is named twice{also}")
        for module in REGISTRARS:
            extension = importlib.import_module(module).register(extension)
        _add_passes(extension, found)
        found.append(extension)
    return tuple(found)


def digests(names: Sequence[str]) -> dict[str, str]:
    """Digests that distinguish versions of extensions, by the given names.

    The digests are of the extensions' source files here, or of a registered extension's code.
    """
    return {name: _digest(_find(name)) for name in names}


def expect(found_there: Mapping[str, str]) -> None:
    """Raises OptionError unless this process has the same versions of extensions as another one."""
    for name, digest in found_there.items():
        try:
            known = _find(name)
        except OptionError as error:
            message = f"in a process that compiles, {error.message}"
            raise OptionError("extensions", name, message) from error
        if _digest(known) != digest:
            raise OptionError(
                "extensions",
                name,
                "has another version in a process that compiles than in the main process",
            )


def _digest(known: Known) -> str:
    return known.digest or digest_of_code(known.extension)


def _find(name: str) -> Known:
    if (known := _registered.get(name)) is not None:
        return known
    # A path is of the folder that the process is in now.
    key = str(Path(name).resolve()) if name.endswith(".py") else name
    known = _imported.get(key)
    if known is None or known.digest != _digest_of(known.modules):
        if known is not None:
            _forget(known)
        known = _imported[key] = _import(name)
    return known


def _import(name: str) -> Known:
    """Imports an extension from a file or an installed package."""
    if name.endswith(".py"):
        if not Path(name).is_file():
            raise OptionError("extensions", name, "there is no such file")
        return _known(name, str(Path(name)), lambda: _from_file(name))
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        hint = did_you_mean(name, {*points, *_registered}, most=3)
        raise OptionError("extensions", name, f"there is no extension of this name{hint}")
    point = points[name]
    return _known(name, _distribution(point), lambda: (point.load(), point.module))


def _distribution(point: EntryPoint) -> str:
    return point.module if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _known(name: str, origin: str, read: Callable[[], tuple[object, str]]) -> Known:
    # Code of an earlier version with the same size and time would be taken for that of this one.
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        found, module = read()
    except _PROBLEMS as error:
        text = f"{type(error).__name__}: {error}{_line(error, name)}"
        raise OptionError("extensions", name, f"cannot be imported: {text}") from error
    finally:
        sys.dont_write_bytecode = writes
    if not isinstance(found, Extension):
        got = "it has none" if found is None else f"got {type(found).__name__}"
        message = f"expected {ATTRIBUTE} to be an Extension, {got}"
        raise OptionError("extensions", name, message)
    modules = frozenset({module, *modules_of(found)})
    return Known(found, origin, modules, _digest_of(modules))


def _line(error: Exception, name: str) -> str:
    """The line in an extension's file at which an exception was raised; empty for a package."""
    path = str(Path(name).resolve())
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == path]
    return f" ({Path(name).name}, line {lines[-1]})" if lines else ""


def _digest_of(modules: Iterable[str]) -> str:
    return digest_of_files(source_files(modules))


def _from_file(name: str) -> tuple[object, str]:
    """The value of `EXTENSION` in a file, and the name of the file's module."""
    path = Path(name).resolve()
    # Files of one name in two folders are two modules.
    number = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    module_name = f"tileir_extension_{path.stem}_{number}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[module_name] = importlib.util.module_from_spec(spec)
    # As for a script, what is next to it can be imported.
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return getattr(module, ATTRIBUTE, None), module_name


def _forget(known: Known) -> None:
    """Unloads the modules of an extension, so that they are imported again after a change."""
    files = {str(file) for file in source_files(known.modules)}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name in known.modules or (file is not None and str(Path(file).resolve()) in files):
            del sys.modules[name]
    importlib.invalidate_caches()


def _add_passes(extension: Extension, others: Sequence[Extension]) -> None:
    """Adds the passes of an extension to the registered passes."""
    taken = {OURS, *(other.name for other in others)}
    for placed in extension.passes:
        entry = PASSES.get(placed.name)
        if entry is None or entry.origin not in taken:
            PASSES[placed.name] = entry_of(placed, extension.name)
        # One more run of a pass is not another pass.
        elif entry.load() is not placed.pass_type:
            message = f"pass '{placed.name}' has the name of a pass of {entry.origin}"
            raise OptionError("extensions", extension.name, message)


def entry_of(placed: PlacedPass, origin: str) -> PassEntry:
    """The entry of a placed pass in the table of all passes."""
    # Its reports name candidates, as those of the passes here that choose.
    chooses = {Promise.FORCES_CANDIDATES} if takes_option(placed.pass_type, "force") else set()
    return PassEntry(
        placed.level,
        placed.level,
        placed.pass_type.__module__,
        placed.pass_type.__qualname__,
        placed.ops,
        placed.promises.union(chooses),
        origin=origin,
        place=placed.place,
        rounding=placed.rounding,
        pass_type=placed.pass_type,
    )
