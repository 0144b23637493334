"""One pass of the pipeline from `cuda_tile` to `llvm`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from xdsl.passes import ModulePass

from tileir_xdsl.levels import LEVELS, TILECPU, Level
from tileir_xdsl.passes import PassEntry, Promise

_BY_NAME = {level.name: level for level in (*LEVELS, TILECPU)}


@dataclass(frozen=True)
class Step:
    """One pass of the pipeline, imported when it runs, and the level of its output."""

    name: str
    level: Level
    make: Callable[[], ModulePass]
    op_names: frozenset[str] | None = None
    """The pass is skipped for a module without any of these ops; None if it always runs."""
    place: str | None = None
    """The name of the step on the road, if it differs from the name of the pass."""
    input_level: Level | None = None
    """The level of the input, if it differs from `level`."""
    promises: frozenset[Promise] = frozenset()
    decides: str = ""
    """The option that the pass decides, which cannot be changed afterwards."""
    extension: str = ""
    """The name of the extension that the pass belongs to."""
    placed_after: str | None = None
    """The name of the step after which an extension has placed this one."""

    @property
    def label(self) -> str:
        """The unique name of the step on the road, such as `tileas-canonicalize:2`."""
        return self.place or self.name

    @property
    def takes(self) -> Level:
        """The level of the input."""
        return self.input_level or self.level

    @cached_property
    def module_pass(self) -> ModulePass:
        """The pass itself."""
        return self.make()


def step_of(name: str, entry: PassEntry, options: Mapping[str, object]) -> Step:
    """The step of a pass with these options."""
    takes, level = _BY_NAME[entry.level], _BY_NAME[entry.leaves]
    return Step(
        name,
        level,
        lambda: entry.load()(**options),
        entry.op_names,
        input_level=None if takes is level else takes,
        promises=entry.promises,
        decides=entry.decides,
    )
