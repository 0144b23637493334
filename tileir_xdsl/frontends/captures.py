"""The outside variables that a kernel's code reads, and whether one has changed since.

A language embedded in Python compiles a kernel with the present values of globals, closure
variables and functions. A later change would be ignored silently:

    SCALE = 2.0

    @ct.kernel
    def scale(x): ct.store(x, (0,), ct.load(x, (0,), (8,)) * SCALE)

The bytecode of the kernel and of all user functions that it reaches shows the reads. A read is a
variable with the members taken of it, as in `config.TILE` or `SIZES[0]`.
"""

from __future__ import annotations

import builtins
import dis
import json
import reprlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, cast

from tileir_xdsl.frontends.contents import (
    MISSING,
    contents,
    functions_in,
    is_method,
    is_own,
    is_plain,
    is_scalar,
    is_settled,
)

_GLOBAL = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_ENCLOSING = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF"})
_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_CONSTANT = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})

_Steps = tuple[tuple[bool, Any], ...]
"""The members taken of a variable in order: an attribute by name (True), or an item."""

_PARTS = {
    "__code__": "{}",
    "__defaults__": "the default arguments of {}",
    "__kwdefaults__": "the default keyword arguments of {}",
}
"""The parts of a function object that can change."""


@dataclass(frozen=True)
class Change:
    """A variable that has changed."""

    location: str
    """`FILE:LINE:COLUMN` of the code that reads the variable, columns from 1 on."""
    message: str
    """The name of the variable, its reader, and both values."""


@dataclass(frozen=True)
class _Read:
    """One read of a function: a function to repeat it, and the value at compilation."""

    reader: str
    path: str
    location: str
    get: Callable[[], object]
    value: object
    contents: object
    is_settled: bool

    def is_as_before(self) -> bool:
        """Whether the variable certainly has the same value as at compilation."""
        value = self.get()
        if value is self.value:
            return self.is_settled or contents(value) == self.contents
        return is_scalar(value) and contents(value) == self.contents


_Key = tuple[int, str]
"""The number of the reading function, in the order of discovery, and the path."""


class Captures:
    """The outside values that a kernel's code reads, as they were at its compilation."""

    def __init__(self, function: FunctionType):
        self._function = function
        self._take(_reads(function))

    def _take(self, reads: dict[_Key, _Read]) -> None:
        self._reads = reads
        settled = [read for read in reads.values() if read.is_settled]
        self._settled = [(read.get, read.value, read) for read in settled]
        self._others = [read for read in reads.values() if not read.is_settled]

    def change(self) -> Change | None:
        """The first variable that has changed since compilation; None if there is none.

        Without a change this takes 0.1 microseconds per variable; lists, dictionaries and classes
        are compared by contents.
        """
        for get, value, read in self._settled:
            if get() is not value and not read.is_as_before():
                break
        else:
            if all(read.is_as_before() for read in self._others):
                return None
        now = _reads(self._function)
        for key, before in self._reads.items():
            after = now.get(key)
            if isinstance(before.value, FunctionType) and after and after.value is before.value:
                # Its parts tell what of it has changed.
                continue
            if after is None or after.contents != before.contents:
                return _change(self._function.__name__, before, after)
        # Other objects with the same contents, as after a cell of a notebook was executed again.
        self._take(now)
        return None


def _change(kernel: str, before: _Read, after: _Read | None) -> Change:
    owner, _, last = before.path.rpartition(".")
    name = _PARTS[last].format(f"'{owner}'") if last in _PARTS else f"'{before.path}'"
    value = MISSING if after is None else after.value
    shown = "changed"
    if value is MISSING:
        shown = "vanished"
    elif is_plain(value) and is_plain(before.value):
        origin = "inside" if value is before.value else f"from {reprlib.repr(before.value)}"
        shown = f"changed {origin} to {reprlib.repr(value)}"
    reader = "" if before.reader == kernel else f"{before.reader} in "
    message = f"{name}, which {reader}{kernel} reads, has {shown} since the kernel was compiled"
    return Change(before.location, message)


def _reads(kernel: FunctionType) -> dict[_Key, _Read]:
    """The reads of a function and of the functions that it reaches, those of the reader first."""
    found: dict[_Key, _Read] = {}
    functions = [kernel]
    # The list grows.
    for number, function in enumerate(functions):
        for read in _reads_of(function):
            found.setdefault((number, read.path), read)
            # A function is equal to itself only.
            functions += dict.fromkeys(
                each for each in functions_in(read.value) if each not in functions
            )
    return found


def _reads_of(function: FunctionType) -> Iterator[_Read]:
    code = function.__code__
    location = f"{code.co_filename}:{code.co_firstlineno}:1"
    for part in _PARTS:
        path = f"{function.__name__}.{part}"
        yield _read(function, path, location, partial(getattr, function, part))
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    for load in _loads(code, frozenset()):
        if load.is_global:
            default = vars(builtins).get(load.name, MISSING)
            root = partial(function.__globals__.get, load.name, default)
        elif load.name in cells:
            root = partial(_content, cells[load.name])
        else:
            continue
        for steps in _followed(root(), load.steps, load.names):
            get = partial(_taken, root, steps) if steps else root
            yield _read(function, _text(load.name, steps), load.location, get)


def _read(function: FunctionType, path: str, location: str, get: Callable[[], object]) -> _Read:
    value = get()
    return _Read(function.__name__, path, location, get, value, contents(value), is_settled(value))


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


@dataclass(frozen=True)
class _Load:
    """An instruction that loads an outside variable, and the members then taken of it."""

    is_global: bool
    name: str
    steps: _Steps
    location: str
    names: frozenset[str]
    """The attributes that the code may take of the variable later."""


def _loads(code: CodeType, hidden: frozenset[str]) -> Iterator[_Load]:
    """The outside variables that code and its inner functions load; `hidden` are their closures."""
    hidden |= {*code.co_cellvars}
    names = frozenset((*code.co_names, *(c for c in code.co_consts if isinstance(c, str))))
    instructions = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    for index, each in enumerate(instructions):
        is_global = each.opname in _GLOBAL
        if is_global or (each.opname in _ENCLOSING and each.argval not in hidden):
            at = each.positions
            line = at.lineno if at and at.lineno else code.co_firstlineno
            column = at.col_offset if at and at.col_offset else 0
            location = f"{code.co_filename}:{line}:{column + 1}"
            steps = tuple(_steps(instructions[index + 1 :]))
            yield _Load(is_global, each.argval, steps, location, names)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _loads(each, hidden)


def _steps(instructions: Sequence[dis.Instruction]) -> Iterator[tuple[bool, Any]]:
    rest = iter(instructions)
    for each in rest:
        if each.opname in _ATTRIBUTE:
            yield True, each.argval
        elif each.opname in _CONSTANT:
            following = next(rest, None)
            if following is None or "BINARY_SUBSCR" not in (following.opname, following.argrepr):
                return
            yield False, each.argval
        else:
            return


def _followed(value: object, steps: _Steps, names: frozenset[str]) -> list[_Steps]:
    """The steps whose results can change: up to a value, or an object that is not the user's."""
    taken: list[tuple[bool, Any]] = []
    settled = 0
    for step in steps:
        if is_scalar(value) or isinstance(value, FunctionType):
            break
        following = _step(value, *step)
        if following is MISSING or is_method(following, value):
            break
        taken.append(step)
        is_of_package = isinstance(value, ModuleType | type) and not is_own(value)
        value = following
        # A name that an installed package defines stays, but its settings may be set.
        if not is_of_package or is_own(value) or is_plain(value):
            settled = len(taken)
    path = tuple(taken[:settled])
    if isinstance(value, ModuleType) and is_own(value):
        # Another name may have been given to the module.
        return [path, *((*path, (True, name)) for name in names if hasattr(value, name))]
    return [path]


def _step(value: object, is_attribute: bool, key: Any) -> object:
    if is_attribute:
        return getattr(value, key, MISSING)
    if not isinstance(value, dict | list | tuple):
        return MISSING
    try:
        return cast(Any, value)[key]
    except (LookupError, TypeError):
        return MISSING


def _taken(root: Callable[[], object], steps: _Steps) -> object:
    value = root()
    for step in steps:
        value = _step(value, *step)
    return value


def _text(name: str, steps: _Steps) -> str:
    words = (f".{key}" if named else f"[{json.dumps(key, default=repr)}]" for named, key in steps)
    return name + "".join(words)
