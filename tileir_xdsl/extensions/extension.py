"""The parts of an extension, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, cast

from tileir_xdsl.extension_parts import (
    ElementaryFunction,
    ExtensionDialect,
    OpParts,
    ServedPackage,
    Strategy,
    TargetVariant,
)
from tileir_xdsl.passes import LEVEL_NAMES, Promise, takes_option
from tileir_xdsl.suggestions import did_you_mean

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


def _check_level(level: str, of: str) -> None:
    if level not in LEVEL_NAMES:
        hint = did_you_mean(level, LEVEL_NAMES)
        raise ValueError(
            f"{of}: there is no level '{level}', expected {', '.join(LEVEL_NAMES)}{hint}"
        )


def _check_ops(ops: Any, of: str) -> None:
    """Raises ValueError unless ops are a set of names: a class in it would match no op."""
    if ops is None:
        return
    if not isinstance(ops, frozenset | set):
        raise ValueError(f"{of}: expected ops to be a set of names, got {ops!r}")
    for op in cast("set[Any]", ops):
        if not isinstance(op, str):
            shown = getattr(op, "__name__", repr(op))
            raise ValueError(f"{of}: expected ops to hold names, such as {shown}.name, got {shown}")


def _check_tuples(owner: Any, of: str) -> None:
    """Raises ValueError if a field has one part without a tuple, as after a forgotten comma."""
    for field_ in fields(owner):
        given = getattr(owner, field_.name)
        if field_.name != "name" and not isinstance(given, tuple | list):
            kind = type(given).__name__
            raise ValueError(
                f"{of}: expected {field_.name} to be a tuple, such as (x,), got {kind}"
            )


@dataclass(frozen=True)
class PlacedPass:
    """A pass and its place: exactly one of `before`, `after` and `instead_of` names a step.

    Steps have the names that `tileir passes` lists; the second run of a pass is `NAME:2`. A pass
    between `nv_tileaa` and PTX runs again if a kernel exceeds a resource and is recompiled with
    other choices. A pass instead of another one must keep the promises of that pass.

    Raises ValueError for a pass that is not a class with a name, and for ops that are not names.
    Also raises it for an unknown level or option, and unless exactly one place is given.
    """

    pass_type: type[ModulePass]
    """The class of the pass, which is created with `options` as arguments."""
    level: str
    """The level of the pass's input: `cuda_tile`, `nv_tileaa`, `nv_tileas` or `llvm`."""
    before: str | None = None
    after: str | None = None
    instead_of: str | None = None
    ops: frozenset[str] | None = None
    """The pass is skipped for modules without any of these ops; None means that it always runs."""
    promises: frozenset[Promise] = frozenset()
    rounding: float | None = None
    """The error that the pass may add to results, in units in the last place; None: no error."""
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    """The arguments of the pass."""

    def __post_init__(self) -> None:
        given: Any = self.pass_type
        if not isinstance(given, type):
            kind = type(given).__name__
            raise ValueError(
                f"expected the class of a pass, such as {kind}, got an object of this class"
            )
        if not isinstance(getattr(given, "name", None), str):
            message = f'pass {given.__name__} has no name: expected name = ".." in its class'
            raise ValueError(message)
        _check_level(self.level, f"pass '{self.name}'")
        _check_ops(self.ops, f"pass '{self.name}'")
        if len([place for place in (self.before, self.after, self.instead_of) if place]) != 1:
            message = "expected exactly one of before, after and instead_of"
            raise ValueError(f"pass '{self.name}': {message}")
        for option in self.options:
            if not takes_option(self.pass_type, option):
                raise ValueError(f"pass '{self.name}' has no option '{option}'")

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.pass_type.name

    @property
    def place(self) -> str:
        """The place of the pass, such as `after tileas-canonicalize`."""
        places = {"before": self.before, "after": self.after, "instead of": self.instead_of}
        return next(f"{where} {label}" for where, label in places.items() if label)

    @property
    def anchor(self) -> str:
        """The label of the step that the place names."""
        return self.before or self.after or self.instead_of or ""


@dataclass(frozen=True)
class Extension:
    """A named set of all parts that a package adds to the compiler.

    Raises ValueError for a name with other characters than below, for an unknown level, and for a
    field without a tuple.
    """

    name: str
    """The name of the extension, of letters, digits, `_` and `-`."""
    passes: tuple[PlacedPass, ...] = ()
    dialects: tuple[ExtensionDialect, ...] = ()
    ops: tuple[OpParts, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    targets: tuple[TargetVariant, ...] = ()
    functions: tuple[ElementaryFunction, ...] = ()
    frontends: tuple[ServedPackage, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.replace("_", "a").replace("-", "a").isalnum():
            raise ValueError(
                f"extension '{self.name}': expected a name of letters, digits, _ and -"
            )
        _check_tuples(self, f"extension '{self.name}'")
        for each in self.dialects:
            if isinstance(each.levels, str):
                raise ValueError(
                    f"dialect '{each.dialect.name}': expected a tuple of levels, "
                    f"such as ('{each.levels}',)"
                )
            for level in each.levels:
                _check_level(level, f"dialect '{each.dialect.name}'")
