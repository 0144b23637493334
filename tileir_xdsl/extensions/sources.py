"""Digests of extensions: of their source files or, as in a notebook, of code without a file."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from tileir_xdsl.extensions.extension import Extension

FOUNDATION = frozenset({"tileir_xdsl", "xdsl", *sys.stdlib_module_names}) - {"__main__"}
"""Packages that never belong to an extension; the cache's key has their versions already."""


def parts(value: object) -> Iterator[Any]:
    """The classes, functions and other values of an extension."""
    if is_dataclass(value) and type(value).__module__.startswith("tileir_xdsl.extension"):
        for field in fields(value):
            yield from parts(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from parts(tuple(value.values()))
    elif isinstance(value, tuple | list | frozenset | set):
        for each in value:
            yield from parts(each)
    else:
        # A dialect is an object that lists its ops.
        yield from getattr(value, "operations", ())
        yield value


def modules_of(extension: Extension) -> set[str]:
    """The modules that define the parts of an extension."""
    found = {getattr(part, "__module__", None) for part in parts(extension)}
    return {name for name in found if name is not None and _top(name) not in FOUNDATION}


def source_files(modules: Iterable[str]) -> list[Path]:
    """The source files of modules: all files of a package, or a file and its neighbours."""
    found = set[Path]()
    for name in modules:
        top = sys.modules[_top(name)]
        folders = [Path(folder) for folder in getattr(top, "__path__", ())]
        found.update(file for folder in folders for file in folder.rglob("*.py"))
        file = getattr(sys.modules[name], "__file__", None)
        if not folders and file is not None:
            found.update(_with_neighbours(Path(file).resolve()))
    return sorted(found)


def _with_neighbours(file: Path) -> set[Path]:
    """A file, and the files in its folder that it imports, directly or indirectly."""
    found, pending = set[Path](), [file]
    while pending:
        path = pending.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        for name in _imported(path.read_bytes()):
            package = file.parent / name
            if (package / "__init__.py").is_file() and "site-packages" not in package.parts:
                found.update(package.rglob("*.py"))
            pending.append(file.parent / f"{name}.py")
    return found


# A compilation asks several times whether an extension has changed.
@lru_cache(maxsize=256)
def _imported(source: bytes) -> frozenset[str]:
    """The top-level names of modules that a source text imports anywhere."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return frozenset()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return frozenset(map(_top, names))


def digest_of_files(files: Iterable[Path]) -> str:
    """A digest of the contents of files, equal on all machines; a missing file counts as empty."""
    digest = hashlib.sha256()
    for file in files:
        contents = file.read_bytes() if file.is_file() else b""
        digest.update(f"{file.name}:{len(contents)}\n".encode() + contents)
    return digest.hexdigest()


def digest_of_code(extension: Extension) -> str:
    """A digest of the code of an extension's parts, without line numbers."""
    code = _Code({_top(name) for name in modules_of(extension)})
    code.add(extension)
    return code.digest.hexdigest()


class _Code:
    """Adds values to a digest, and follows them to the functions, classes and values that they use.

    Installed packages are not followed, except those that define parts of the extension.
    """

    def __init__(self, own: Collection[str]) -> None:
        self._own = own
        self.digest = hashlib.sha256()
        # Kept, as another object may get the number of one that is gone.
        self._seen: dict[int, object] = {}

    def add(self, value: object) -> None:
        """Adds a value to the digest, and everything that it uses."""
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            self._put(repr(value))
            return
        if id(value) in self._seen:
            self._put("seen")
            return
        self._seen[id(value)] = value
        match value:
            case CodeType():
                self._code(value)
            case FunctionType():
                self._function(value)
            case type():
                self._class(value)
            case ModuleType():
                self._put(value.__name__)
            case BuiltinFunctionType():
                self._put(f"{value.__module__}.{value.__qualname__}")
            case staticmethod() | classmethod() | property():
                self._attributes(value, ("__func__", "fget", "fset"))
            case tuple() | list() | set() | frozenset():
                self._sequence(value)
            case Mapping():
                self._mapping(value)
            case _:
                self._object(value)

    def _put(self, text: str) -> None:
        self.digest.update(f"{len(text)}:{text}".encode())

    def _sequence(self, value: Any) -> None:
        self._put(f"{type(value).__name__}{len(value)}")
        for each in sorted(value, key=repr) if isinstance(value, set | frozenset) else value:
            self.add(each)

    def _mapping(self, value: Any) -> None:
        for key, each in value.items():
            self.add(key)
            self.add(each)

    def _code(self, value: CodeType) -> None:
        names = (*value.co_names, *value.co_varnames, *value.co_freevars)
        self._put(f"{value.co_name} {value.co_flags} {value.co_argcount} {names}")
        self.digest.update(value.co_code + value.co_exceptiontable)
        self._sequence(value.co_consts)

    def _function(self, value: FunctionType) -> None:
        self._put(f"{value.__module__}.{value.__qualname__}")
        if self._is_elsewhere(value):
            return
        self.add(value.__code__)
        self.add(value.__defaults__)
        self.add(value.__kwdefaults__)
        for cell in value.__closure__ or ():
            self.add(_contents(cell))
        self._names(value.__code__, value.__globals__)

    def _names(self, code: CodeType, known: Mapping[str, Any]) -> None:
        """Adds the values of names that code reads, and of names in modules."""
        for name in code.co_names:
            if name in known:
                self.add(known[name])
            if isinstance(known.get(name), ModuleType) and not self._is_elsewhere(known[name]):
                self._names(code, vars(known[name]))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._names(constant, known)

    def _class(self, value: type) -> None:
        self._put(f"{value.__module__}.{value.__qualname__}")
        if self._is_elsewhere(value):
            return
        self._sequence(value.__bases__)
        for name, each in vars(value).items():
            if name not in ("__dict__", "__weakref__", "__firstlineno__"):
                self._put(name)
                self.add(each)

    def _object(self, value: object) -> None:
        self.add(type(value))
        self.add(getattr(value, "__dict__", None))
        self._attributes(value, getattr(type(value), "__slots__", ()))

    def _is_elsewhere(self, value: Any) -> bool:
        """Whether a function, a class or a module belongs to a package that is not followed."""
        top = _top(getattr(value, "__module__", None) or getattr(value, "__name__", ""))
        file = getattr(sys.modules.get(top), "__file__", None)
        is_installed = file is not None and "site-packages" in Path(file).parts
        return top in FOUNDATION or (is_installed and top not in self._own)

    def _attributes(self, value: object, names: Iterable[str]) -> None:
        for name in names:
            self.add(getattr(value, name, None))


def _contents(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _top(module: str) -> str:
    return module.partition(".")[0]
