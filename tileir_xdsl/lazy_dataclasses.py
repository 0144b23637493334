"""Dataclasses whose methods are made when something first uses them; imports nothing of ours.

`dataclasses.dataclass` compiles half a dozen methods for each class, which takes a third of the
time of importing the compiler; a kernel makes objects of few of these classes. `made_on_use` has
`dataclass` leave placeholders, for the modules that are imported within. The first use of any of
them has `dataclass` do its work; what is wrong with a definition is raised then.
"""

import dataclasses
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from threading import RLock
from typing import Any

_AT_ONCE = dataclasses.dataclass
_COMPLETING = RLock()

_ALWAYS = ("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__repr__")
_FROZEN = ("__setattr__", "__delattr__")
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")


class _Placeholder:
    """A member of a class that `dataclass` makes."""

    def __init__(self, cls: type[Any], name: str, options: dict[str, Any]):
        self.cls, self.name, self.options = cls, name, options

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        _complete(self.cls, self.options)
        if self.name not in vars(self.cls):
            return getattr(super(self.cls, owner if instance is None else instance), self.name)
        member = vars(self.cls)[self.name]
        return member.__get__(instance, owner) if hasattr(member, "__get__") else member


def _complete(cls: type[Any], options: dict[str, Any]) -> None:
    """Has `dataclass` do its work, if that has not been done."""
    with _COMPLETING:
        placeholders = [n for n, member in vars(cls).items() if isinstance(member, _Placeholder)]
        if not placeholders:
            return
        for name in placeholders:
            delattr(cls, name)
        _AT_ONCE(cls, **options)


def dataclass(cls: type[Any] | None = None, /, **options: Any) -> Any:
    """Decorator of dataclasses, as that of Python but for the time when it does its work."""
    if cls is None:
        return partial(_decorated, options=options)
    return _decorated(cls, options)


def _decorated(cls: type[Any], options: dict[str, Any]) -> type[Any]:
    # `dataclass` removes what `field` has returned from the class, and slots make another class.
    has_fields = any(isinstance(member, dataclasses.Field) for member in vars(cls).values())
    if has_fields or options.get("slots"):
        return _AT_ONCE(cls, **options)
    for name in _members(cls, options):
        if name not in vars(cls):
            setattr(cls, name, _Placeholder(cls, name, options))
    return cls


def _members(cls: type[Any], options: dict[str, Any]) -> list[str]:
    """The members that `dataclass` may make."""
    frozen, eq = options.get("frozen", False), options.get("eq", True)
    names = [*_ALWAYS, *(_FROZEN if frozen else ()), *(_ORDER if options.get("order") else ())]
    if options.get("init", True):
        names.append("__init__")
    if eq:
        names.append("__eq__")
    has_hash = vars(cls).get("__hash__") is not None or "__eq__" in vars(cls)
    if frozen or options.get("unsafe_hash"):
        names.append("__hash__")
    elif eq and not has_hash:
        # At once, as `Hashable` looks for it.
        cls.__hash__ = None  # pyright: ignore[reportAttributeAccessIssue]
    return names


@contextmanager
def made_on_use() -> Generator[None]:
    """Has the dataclasses of modules that are imported within made on first use.

    For commands: a process of somebody else may expect what Python does by itself.
    """
    replaced: Callable[..., Any] = dataclasses.dataclass
    dataclasses.dataclass = dataclass
    try:
        yield
    finally:
        dataclasses.dataclass = replaced
