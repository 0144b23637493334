"""The stages of a pipeline, with their buffers and current iterations."""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir_xdsl.interpreters.buffers import Buffer


@dataclass(eq=False)
class Stage:
    """One stage of a pipeline: its storage and its current iterations.

    `acquired` is the iteration for which a producer has acquired the stage, and `committed` the
    last published iteration. `released` is the last iteration that each consumer has released.
    """

    storage: tuple[Buffer, ...] | None = None
    acquired: int | None = None
    committed: int | None = None
    released: dict[int, int] = field(default_factory=dict[int, int])


@dataclass(eq=False)
class Pipeline:
    """The stages of one `create_pipeline` op, the numbers of its consumers, and its buffers.

    A pipeline has no mbarriers if copy groups state which stages are full and empty.
    """

    stages: list[Stage]
    consumers: frozenset[int]
    views: tuple[object, ...] = ()
    has_barriers: bool = True

    def stage(self, iteration: int) -> Stage:
        return self.stages[iteration % len(self.stages)]

    def is_empty(self, iteration: int) -> bool:
        """Whether a producer may fill the stage of an iteration."""
        stage = self.stage(iteration)
        before = iteration - len(self.stages)
        if stage.acquired is not None:
            return False
        return before < 0 or all(stage.released.get(c, -1) >= before for c in self.consumers)

    def describe(self) -> str:
        """The state of all stages, for a report."""
        return ", ".join(f"stage {i} {self._state(s)}" for i, s in enumerate(self.stages))

    def _state(self, stage: Stage) -> str:
        if stage.acquired is not None:
            return f"being filled for iteration {stage.acquired}"
        if stage.committed is None:
            return "never filled"
        holding = [c for c in sorted(self.consumers) if stage.released.get(c, -1) < stage.committed]
        if not holding:
            return f"empty after iteration {stage.committed}"
        return f"full since iteration {stage.committed}, not released by consumers {holding}"
