"""An `irdl_op_definition` that computes the definition of an op on first use.

A kernel uses some thirty of the several hundred ops of the dialects. On import, xDSL's decorator
computes the definitions, accessors and assembly formats of all ops. These computations took a
quarter of the import time. The decorator of this module returns the class with placeholders. The
first use of a placeholder replaces all placeholders by the definitions of xDSL's decorator. An
error in a definition is raised on first use, so a test completes all definitions. In commands, the
ops of xDSL's own dialects are also defined on first use.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from threading import RLock
from types import ModuleType, new_class
from typing import Any, TypeVar

from xdsl import irdl
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, IRDLOperationInvT, OpDef
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.utils.runtime_final import is_runtime_final

OpT = TypeVar("OpT", bound=IRDLOperation)

_COMPLETING = RLock()

_FIELDS = tuple(
    {
        type(declare())
        for declare in (
            *(irdl.operand_def, irdl.opt_operand_def, irdl.var_operand_def),
            *(irdl.result_def, irdl.opt_result_def, irdl.var_result_def),
            *(irdl.region_def, irdl.opt_region_def, irdl.var_region_def),
            *(irdl.successor_def, irdl.opt_successor_def, irdl.var_successor_def),
            *(irdl.prop_def, irdl.opt_prop_def, irdl.attr_def, irdl.opt_attr_def),
        )
    }
)
"""The classes of the fields that declare operands, results, regions, successors and attributes."""

_DEFINED: dict[str, list[type[Operation]]] = {}
"""The ops defined so far, by dialect."""

_FINISHES: dict[type[Operation], list[Callable[[Any], None]]] = {}
"""For each op, functions to call when its definition is complete."""


class _Placeholder:
    """A placeholder for a member of an op's class, which the definition will replace."""

    def __init__(self, op: type[IRDLOperation], name: str, declared: object):
        self.op, self.name, self.declared = op, name, declared

    def __get__(self, instance: Operation | None, owner: type[Operation]) -> Any:
        complete(self.op)
        return getattr(owner if instance is None else instance, self.name)

    def __set__(self, instance: Operation, value: object) -> None:
        complete(self.op)
        setattr(instance, self.name, value)


def irdl_op_definition(op: type[IRDLOperationInvT]) -> type[IRDLOperationInvT]:
    """Decorator of op definitions like xDSL's, but computes the definition on first use."""
    _DEFINED.setdefault(op.name.partition(".")[0], []).append(op)
    # xDSL reads the classes of the bases, in which placeholders mean nothing to it.
    for base in op.mro()[1:]:
        if isinstance(vars(base).get("get_irdl_definition"), _Placeholder):
            complete(base)
    for name in tuple(_members(op)):
        setattr(op, name, _Placeholder(op, name, op.__dict__.get(name)))
    return op


def stands_in(op: type[OpT]) -> type[OpT]:
    """Registers an op that replaces the xDSL op of the same name and changes its definition
    itself.
    """
    _DEFINED.setdefault(op.name.partition(".")[0], []).append(op)
    return op


def ops_of(dialect: str) -> list[type[Operation]]:
    """The ops of a dialect whose modules have been imported, sorted by class name.

    A dialect need not list the ops that it re-exports.
    """
    return sorted(_DEFINED[dialect], key=lambda op: op.__name__)


def ops_in(*modules: ModuleType) -> list[type[Operation]]:
    """The ops that modules define, in the order of their definitions."""
    names = {module.__name__: number for number, module in enumerate(modules)}
    found = [op for ops in _DEFINED.values() for op in ops if op.__module__ in names]
    return sorted(found, key=lambda op: names[op.__module__])


def attributes_of(dialect: str, *scopes: Mapping[str, object]) -> list[type[Attribute]]:
    """The attributes and types of a dialect found in scopes, sorted by class name."""
    found = {
        value
        for scope in scopes
        for value in scope.values()
        # Not `issubclass`, which would ask each attribute about each op.
        if isinstance(value, type) and Attribute in value.__mro__ and is_runtime_final(value)
    }
    own = (each for each in found if each.name.partition(".")[0] == dialect)
    return sorted(own, key=lambda attribute: attribute.__name__)


def when_defined(op: type[OpT], finish: Callable[[type[OpT]], None], *members: str) -> None:
    """Calls `finish`, which makes `members` of an op, once the op's definition is complete."""
    with _COMPLETING:
        if isinstance(vars(op).get("get_irdl_definition"), _Placeholder):
            for name in members:
                setattr(op, name, _Placeholder(op, name, None))
            _FINISHES.setdefault(op, []).append(finish)
            return
    finish(op)


@contextmanager
def defined_on_use() -> Generator[None]:
    """Defines the ops of xDSL's dialects that are imported in this context on first use, too.

    Only commands use this, since other programs may rely on xDSL's behaviour.
    """
    at_once = irdl.irdl_op_definition
    # The modules of the dialects take the decorator from here.
    irdl.irdl_op_definition = irdl_op_definition
    try:
        yield
    finally:
        irdl.irdl_op_definition = at_once


def _members(op: type[IRDLOperation]) -> Iterator[str]:
    """The members that the definition of an op makes."""
    yield from ("traits", "get_irdl_definition", "verify_")
    if op.assembly_format is not None:
        yield from ("parse", "print")
    bases = takewhile(lambda base: base is not IRDLOperation, op.mro())
    # A name once; xDSL, too, keeps a field that a class further down overrides.
    yield from {
        name for base in bases for name, value in vars(base).items() if isinstance(value, _FIELDS)
    }


def complete(op: type[IRDLOperation]) -> None:
    """Computes the definition of an op, if that has not been done."""
    with _COMPLETING:
        placeholders = {n: p for n, p in vars(op).items() if isinstance(p, _Placeholder)}
        # Inside the lock, since another thread may just have done it.
        if not placeholders:
            return
        declared = _as_declared(op, placeholders)
        members = get_accessors_from_op_def(
            OpDef.from_pyrdl(declared), getattr(declared, "verify_", None)
        )
        for name, member in members.items():
            setattr(op, name, member)
        for finish in _FINISHES.pop(op, ()):
            finish(op)


def _as_declared(
    op: type[IRDLOperation], placeholders: dict[str, _Placeholder]
) -> type[IRDLOperation]:
    """A copy of the class without placeholders, as xDSL's decorator expects it."""
    members = {n: v for n, v in vars(op).items() if n not in ("__dict__", "__weakref__")}
    for name, placeholder in placeholders.items():
        del members[name]
        if placeholder.declared is not None:
            members[name] = placeholder.declared
    return new_class(op.__name__, op.__bases__, {}, lambda namespace: namespace.update(members))
