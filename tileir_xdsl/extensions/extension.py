"""The parts of an extension, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tileir_xdsl.extension_parts import (
    ElementaryFunction,
    ExtensionDialect,
    OpParts,
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


@dataclass(frozen=True)
class PlacedPass:
    """A pass, and where it runs: exactly one of `before`, `after` and `instead_of` names a step.

    Steps are called as `tileir passes` lists them; the second run of a pass is `NAME:2`. A pass
    between `nv_tileaa` and PTX runs again when a kernel that exceeds a resource is compiled with
    other choices. A pass in place of another also keeps the promises of that one.

    Raises ValueError for an unknown level or option, and unless there is exactly one place.
    """

    pass_type: type[ModulePass]
    """Made without arguments, or with `options`."""
    level: str
    """Of the IR that it takes: `cuda_tile`, `nv_tileaa`, `nv_tileas` or `llvm`."""
    before: str | None = None
    after: str | None = None
    instead_of: str | None = None
    ops: frozenset[str] | None = None
    """A module without any of these ops stays as it is; None where the pass is always run."""
    promises: frozenset[Promise] = frozenset()
    rounding: float | None = None
    """How far results may be off after it, in units in the last place; None: not at all."""
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    """The arguments of the pass."""

    def __post_init__(self) -> None:
        _check_level(self.level, f"pass '{self.name}'")
        if len([place for place in (self.before, self.after, self.instead_of) if place]) != 1:
            raise ValueError(f"pass '{self.name}': expected one of before, after and instead_of")
        for option in self.options:
            if not takes_option(self.pass_type, option):
                raise ValueError(f"pass '{self.name}' has no option '{option}'")

    @property
    def name(self) -> str:
        """The name of the pass."""
        return self.pass_type.name

    @property
    def place(self) -> str:
        """Where it runs, such as `after tileas-canonicalize`."""
        places = {"before": self.before, "after": self.after, "instead of": self.instead_of}
        return next(f"{where} {label}" for where, label in places.items() if label)

    @property
    def anchor(self) -> str:
        """The label of the step that its place names."""
        return self.before or self.after or self.instead_of or ""


@dataclass(frozen=True)
class Extension:
    """All that a package adds to the compiler, by one name.

    Raises ValueError for a name that a command line cannot have, and for an unknown level.
    """

    name: str
    """Of letters, digits, `_` and `-`."""
    passes: tuple[PlacedPass, ...] = ()
    dialects: tuple[ExtensionDialect, ...] = ()
    ops: tuple[OpParts, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    targets: tuple[TargetVariant, ...] = ()
    functions: tuple[ElementaryFunction, ...] = ()
    frontends: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.replace("_", "a").replace("-", "a").isalnum():
            raise ValueError(f"extension '{self.name}': expected letters, digits, _ and -")
        for each in self.dialects:
            for level in each.levels:
                _check_level(level, f"dialect '{each.dialect.name}'")
