"""A program at every level of one lowering, to compare levels with each other."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.backend import ptx
from tileir_xdsl.levels import Level
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.collecting import collecting_seldom
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import Lowered, begun_road, checked_level, level_named, run_steps
from tileir_xdsl.runtime.outputs import PTX
from tileir_xdsl.targets import UnknownTargetError, get_target
from tileir_xdsl.walking import clone_of


@dataclass(frozen=True)
class AtLevel:
    """A program at the end of a level, and the seconds of lowering from the level before."""

    level: str
    program: Lowered
    seconds: float


@dataclass(frozen=True)
class LevelByLevel:
    """One lowering of a module of a file through consecutive levels."""

    context: Context
    levels: Sequence[str]
    """The levels of `RUNNABLE` from the level of the module on."""
    gpu: str
    file: str
    options: Options
    verify_each: bool = False

    def lower(self, module: ModuleOp) -> Iterator[AtLevel]:
        """The program at each level, in order; `module` itself is lowered to the last level.

        The module is verified at the end of each level. If a kernel exceeds a resource, all levels
        show its final compilation. Raises InputError as `lowering.lower` does, after yielding the
        levels that the program has reached.
        """
        reached: dict[str, AtLevel] = {}
        failure: InputError | None = None
        try:
            self._lower(module, reached)
        except InputError as error:
            failure = error
        yield from reached.values()
        if failure is not None:
            raise failure

    def _lower(self, module: ModuleOp, reached: dict[str, AtLevel]) -> None:
        names = {level_named(name): name for name in self.levels}
        at, started = checked_level(module, self.file), time.perf_counter()

        def reach(name: str, program: Lowered) -> None:
            nonlocal started
            now = time.perf_counter()
            reached[name] = AtLevel(name, program, now - started)
            started = now

        def keep(level: Level, module: ModuleOp) -> None:
            # A module that becomes PTX is printed when nothing can change it any more.
            if (name := names[level]) != PTX:
                reach(name, Lowered(clone_of(module), None))

        with errors_in(self.file, UnknownTargetError), collecting_seldom():
            gpu = get_target(self.gpu).name
            road = begun_road(module, at, self.levels[-1], gpu, self.options)
            if not any(step.level is at for step in road):
                keep(at, module)
            run_steps(
                self.context,
                module,
                road,
                self.options,
                observe_levels=keep,
                verify_each=self.verify_each,
            )
            if self.levels[-1] == PTX:
                reach(PTX, Lowered(module, ptx.emit(module, gpu)))
