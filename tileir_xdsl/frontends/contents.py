"""Compares Python values by their contents at different times."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, EnumType
from functools import cache
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

import numpy as np

MISSING = Enum("MISSING", ["MISSING"]).MISSING
"""Stands for a missing value."""

_SCALARS = (bool, int, float, complex, str, bytes, type(None), np.generic, Enum)

_PLAIN = (*_SCALARS, tuple, list, dict, set, frozenset)

_INSTALLED = tuple(
    os.path.join(folder, "") for folder in (*site.getsitepackages(), site.getusersitepackages())
)


@dataclass(frozen=True)
class _Same:
    """A value that is compared by identity."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@cache
def is_installed(module: str) -> bool:
    """Whether a module belongs to Python or to an installed package, whose code does not change."""
    if module == "__main__":
        # A script or a notebook, also where an installed package has started it.
        return False
    if module.partition(".")[0] in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and is_installed_file(file)


def is_installed_file(file: str) -> bool:
    """Whether a file belongs to an installed package."""
    return file.startswith(_INSTALLED)


def is_own(value: object) -> bool:
    """Whether a function, class, instance or module is the user's, and may be redefined."""
    match value:
        case FunctionType():
            name = value.__globals__.get("__name__")
        case ModuleType():
            name = value.__name__
        case _:
            name = getattr(value, "__module__", None)
    return isinstance(name, str) and not is_installed(name)


def is_scalar(value: object) -> bool:
    """Whether a value is immutable, without parts."""
    return isinstance(value, _SCALARS)


def is_plain(value: object) -> bool:
    """Whether a value is a number, text or another scalar, or a container."""
    return isinstance(value, _PLAIN)


def is_settled(value: object) -> bool:
    """Whether the contents of an object can never change."""
    if isinstance(value, tuple | frozenset):
        return all(map(is_settled, cast("tuple[object, ...]", value)))
    if isinstance(value, list | dict | set | bytearray | np.ndarray):
        return False
    # Functions are observed by their own attributes.
    fixed = isinstance(value, FunctionType | CodeType | ModuleType) or is_scalar(value)
    return fixed or not (is_own(value) if isinstance(value, type) else _is_instance(value))


def contents(value: object, around: frozenset[int] = frozenset()) -> object:
    """A key that is equal for values that a kernel cannot distinguish, independent of addresses.

    Functions and classes of the user are compared by their code, so redefining one without a change
    keeps the key. Objects of installed packages are compared by identity.
    """
    if id(value) in around:
        return "in itself"
    inside = around | {id(value)}
    match value:
        case Enum():
            return (type(value).__qualname__, value.name, contents(value.value, inside))
        case float() | complex():
            # A NaN is equal to itself here, and -0.0 is not 0.0.
            return (type(value), repr(value))
        case bool() | int() | str() | bytes() | None:
            return (type(value), value)
        case np.generic() | np.ndarray():
            array = np.asarray(cast(Any, value))
            return (type(value), array.dtype.str, array.shape, array.tobytes())
        case tuple() | list():
            items = cast("list[object]", value)
            return (type(items), *(contents(item, inside) for item in items))
        case dict():
            pairs = cast("dict[object, object]", value).items()
            return (dict, *((contents(k, inside), contents(v, inside)) for k, v in pairs))
        case set() | frozenset():
            members = cast("set[object]", value)
            return (type(members), frozenset(contents(item, inside) for item in members))
        case CodeType():
            return _code(value)
        case FunctionType():
            wrapped = getattr(value, "__wrapped__", None)
            if not is_own(value):
                return _Same(value) if wrapped is None else contents(wrapped, inside)
            parts = (value.__code__, value.__defaults__, value.__kwdefaults__, wrapped)
            return tuple(contents(part, inside) for part in parts)
        case type() if is_own(value):
            return (value.__qualname__, *_members(value, inside))
        case _ if _is_instance(value):
            return (contents(type(value), inside), contents(object.__getstate__(value), inside))
        case _:
            return _Same(value)


def functions_in(value: object, around: frozenset[int] = frozenset()) -> Iterator[FunctionType]:
    """The user's functions that a value consists of."""
    if id(value) in around:
        return
    inside = around | {id(value)}
    parts: list[Any] = []
    match value:
        case FunctionType():
            if is_own(value):
                yield value
            parts = [getattr(value, "__wrapped__", None)]
        case tuple() | list() | set() | frozenset():
            parts = list(cast("list[object]", value))
        case dict():
            parts = list(cast("dict[object, object]", value).values())
        case type() if is_own(value):
            parts = [part for _, part in _attributes(value)]
        case _ if _is_instance(value):
            parts = [type(value), object.__getstate__(value)]
        case _:
            pass
    for part in parts:
        yield from functions_in(part, inside)


def is_method(value: object, owner: object) -> bool:
    """Whether an attribute is a bound method, a new object at each access."""
    bound = isinstance(value, MethodType | BuiltinMethodType)
    return bound and not isinstance(owner, ModuleType)


def _is_instance(value: object) -> bool:
    return not isinstance(value, type | Enum) and is_own(type(value))


def _attributes(value: type) -> Iterator[tuple[str, object]]:
    for owner in value.__mro__:
        for name, attribute in vars(owner).items() if is_own(owner) else ():
            if isinstance(attribute, staticmethod | classmethod):
                attribute = cast(Any, attribute).__func__
            elif isinstance(attribute, property):
                attribute = attribute.fget
            # The other names with underscores say where a class is written.
            if isinstance(attribute, FunctionType) or not name.startswith("__"):
                yield name, attribute


def _members(value: type, around: frozenset[int]) -> Iterator[object]:
    if isinstance(value, EnumType):
        for member in value:
            yield contents(member, around)
        return
    for name, attribute in _attributes(value):
        found = contents(attribute, around)
        # Descriptors and the like are made with the class.
        if not isinstance(found, _Same):
            yield (name, found)


def _code(code: CodeType) -> object:
    """The code of a function without its position in the source."""
    constants = tuple(
        _code(each) if isinstance(each, CodeType) else contents(each) for each in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return (code.co_code, constants, names, counts)
