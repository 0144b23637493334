"""Other choices for a kernel that exceeds a resource, tried one after the other.

A pass raises `ResourceExceededError` if a thread block lacks registers or memory. The pipeline then
compiles again, from `nv_tileaa` on, with the next rung of the ladder for that function. A rung is a
set of function attributes that passes read, so that running these passes by hand gives the same
result. A remark names every rung that was used, and the resource. Kernels that fit are compiled
once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType, i32
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.diagnostics import (
    FEWER_RESOURCES,
    Excess,
    Resource,
    ResourceExceededError,
    remark,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.resource_attributes import (
    SLICES_ATTRIBUTE,
    STAGES_ATTRIBUTE,
    STRATEGY_ATTRIBUTE,
)
from tileir_xdsl.options import UNSPECIALIZE
from tileir_xdsl.walking import ancestors, clone_of, ops_in

MOST_WARPS = 8
"""The fewest warps that can use all registers of a multiprocessor."""

MOST_SLICES = 64
# Every target has 48 KiB of shared memory for a block, and four warps 127 KiB of registers.
SMALL_BYTES = 32768
"""Kernels whose tiles together have at most so many bytes never exceed a resource."""


@dataclass(frozen=True)
class Rung:
    """A choice for the compilation of a function; passes decide the fields that are None."""

    stages: int | None = None
    bulk_stores: bool = True
    specialized: bool = True
    warps: int | None = None
    slices: int | None = None

    def __str__(self) -> str:
        return ", ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        if self.slices is not None:
            yield f"{self.slices} slices"
        if self.warps is not None:
            yield f"{self.warps} warps"
        if self.stages is not None:
            yield f"at most {self.stages} stage{'s' * (self.stages > 1)}"
        if not self.bulk_stores:
            yield "stores from registers"
        if not self.specialized:
            yield "no agents"

    def apply(self, function: nv_tileaa.FuncOp) -> None:
        """Sets the attributes of a function that the rung consists of."""
        if self.stages is not None:
            function.attributes[STAGES_ATTRIBUTE] = IntegerAttr(self.stages, i32)
        if self.slices is not None:
            function.attributes[SLICES_ATTRIBUTE] = IntegerAttr(self.slices, i32)
        if not self.specialized:
            function.attributes[STRATEGY_ATTRIBUTE] = StringAttr(UNSPECIALIZE)
        if not self.bulk_stores:
            for op in ops_in(function):
                if isinstance(op, nv_tileaa.TiledStoreOp):
                    op.properties["allow_tma"] = IntegerAttr.from_bool(False)
        spec = function.kernel_spec
        if self.warps is not None and spec is not None:
            function.kernel_spec = KernelSpecAttr(
                self.warps, spec.num_ctas.data, getattr(spec.occupancy, "data", None)
            )


def _slices() -> Iterator[int]:
    number = 2
    while number <= MOST_SLICES:
        yield number
        number *= 2


# From what costs least to what costs most: fewer stages, no bulk stores, no agents, slices.
MEMORY_RUNGS = (
    Rung(stages=2),
    Rung(stages=1),
    Rung(bulk_stores=False),
    Rung(stages=2, bulk_stores=False),
    Rung(stages=1, bulk_stores=False),
    Rung(stages=1, bulk_stores=False, specialized=False),
    *(
        rung
        for count in _slices()
        for rung in (Rung(slices=count), Rung(slices=count, stages=1, bulk_stores=False))
    ),
)
"""The rungs for a kernel that exceeds shared memory or tensor memory."""

# Warps first: slices load again what they share.
REGISTER_RUNGS = (Rung(warps=MOST_WARPS), *(Rung(slices=count) for count in _slices()))
"""The rungs for a kernel that exceeds the registers."""

RUNGS: dict[Resource, Sequence[Rung]] = {
    Resource.REGISTERS: REGISTER_RUNGS,
    Resource.SHARED_MEMORY: MEMORY_RUNGS,
    Resource.TENSOR_MEMORY: MEMORY_RUNGS,
}


@dataclass
class _State:
    """The rungs tried for one function."""

    tried: list[Rung] = field(default_factory=list[Rung])
    first: ResourceExceededError | None = None


@dataclass
class ResourceLadder:
    """A copy of the module before the first choice, and the current rung of each function."""

    module: ModuleOp
    saved: ModuleOp
    states: dict[str, _State] = field(default_factory=dict[str, _State])
    taken: dict[str, Rung] = field(default_factory=dict[str, Rung])
    current: str | None = None
    """The name of the function whose rung was chosen last."""

    @staticmethod
    def of(module: ModuleOp) -> "ResourceLadder | None":
        """The ladder of a module at `nv_tileaa`; None if its kernels are too small to exceed a
        resource.
        """
        # A clone of the module costs time that small kernels need not pay.
        if not any(may_exceed(f) for f in ops_in(module) if isinstance(f, nv_tileaa.FuncOp)):
            return None
        return ResourceLadder(module, clone_of(module))

    def climb(self, failure: PassFailedException) -> bool:
        """Restores the module with the next rung; returns False if no rung is left.

        A failure for another reason also ends the current rung.
        """
        name = self.current
        if isinstance(failure, ResourceExceededError):
            # An op that failed may be detached by now, so that it is in no function.
            name = function_name(failure.op) or self._only_function() or name
        # Before any rung another failure is a plain error of the program.
        elif name is None:
            return False
        if name is None or name not in {f.sym_name.data for f in self._functions(self.saved)}:
            return False
        state = self.states.setdefault(name, _State())
        if isinstance(failure, ResourceExceededError):
            # The first failure is about the program as it was written: that one is reported.
            state.first = state.first or failure
        assert state.first is not None
        resource = state.first.excess.resource
        if isinstance(failure, ResourceExceededError):
            # A rung may cure one resource and exceed another.
            resource = failure.excess.resource
        rung = self._next(name, state, RUNGS[resource])
        if rung is None:
            return False
        state.tried.append(rung)
        self.taken[name], self.current = rung, name
        self._restore()
        return True

    def first_failure(self) -> ResourceExceededError | None:
        """The first resource error of the function `current`."""
        return None if self.current is None else self.states[self.current].first

    def _next(self, name: str, state: _State, rungs: Sequence[Rung]) -> Rung | None:
        (function,) = (f for f in self._functions(self.saved) if f.sym_name.data == name)
        for rung in rungs:
            # Compiling again what comes out the same would only cost time.
            if rung not in state.tried and is_different(rung, function):
                return rung
        return None

    def _restore(self) -> None:
        """Restores the copy of the module, with the current rung of each function."""
        for op in list(self.module.body.block.ops):
            op.detach()
            # Unchecked, as all of the module goes.
            op.erase(safe_erase=False)
        fresh = clone_of(self.saved)
        for op in list(fresh.body.block.ops):
            op.detach()
            self.module.body.block.add_op(op)
        self.module.attributes = dict(self.saved.attributes)
        for function in self._functions(self.module):
            name = function.sym_name.data
            if (rung := self.taken.get(name)) is not None:
                rung.apply(function)
                first = self.states[name].first
                assert first is not None
                excess = first.excess
                remark(
                    function,
                    FEWER_RESOURCES,
                    f"kernel '{name}' needs {excess.needed} {excess.resource}, "
                    f"{excess.limit} are available: compiled with {rung}",
                )

    def _only_function(self) -> str | None:
        names = [f.sym_name.data for f in self._functions(self.saved)]
        return names[0] if len(names) == 1 else None

    @staticmethod
    def _functions(module: ModuleOp) -> list[nv_tileaa.FuncOp]:
        return [op for op in ops_in(module) if isinstance(op, nv_tileaa.FuncOp)]


def climbing(module: ModuleOp, count: int, start: int, run: Callable[[int], None]) -> None:
    """Runs steps 0 to `count`, and again from `start` on for each further rung.

    `run(number)` runs a step. If no rung is left, raises the error of the step, or the first error
    of an exceeded resource.
    """
    number, ladder = 0, None
    while number < count:
        if number == start and ladder is None:
            ladder = ResourceLadder.of(module)
        try:
            run(number)
        except PassFailedException as failure:
            if ladder is None:
                raise
            if not ladder.climb(failure):
                first = ladder.first_failure()
                if first is None:
                    raise
                first.add_note(nearest_fit(first.excess))
                if first is failure:
                    raise
                # The last failure is of a rung that nobody asked for.
                raise first from failure
            number = start
            continue
        number += 1


def nearest_fit(excess: Excess) -> str:
    """A note on which tiles would fit, if no rung does."""
    parts = 1
    while excess.needed > parts * max(excess.limit, 1):
        parts *= 2
    return (
        f"no other choice fits: {excess.needed} {excess.resource} are needed, {excess.limit} are "
        f"available; tiles of 1/{parts} of the elements would fit"
    )


def function_name(op: Operation) -> str | None:
    """The name of an op that is a function, otherwise of the function around the op."""
    functions = (op for op in (op, *ancestors(op)) if isinstance(op, nv_tileaa.FuncOp))
    return next((function.sym_name.data for function in functions), None)


def may_exceed(function: nv_tileaa.FuncOp) -> bool:
    """Whether the tiles of a function are large enough to exceed a resource."""
    total = 0
    for op in ops_in(function):
        for result in op.results:
            if isinstance(result.type, TensorType):
                tile = tile_shape(result.type)
                total += prod(tile.shape) * element_bytes(tile.element)
        if total > SMALL_BYTES:
            return True
    return False


def is_different(rung: Rung, function: nv_tileaa.FuncOp) -> bool:
    """Whether a rung may change the compiled code of a function."""
    spec = function.kernel_spec
    if rung.warps is not None and (spec is None or spec.num_warps.data >= rung.warps):
        return False
    has_loops = any(isinstance(op, scf.ForOp | scf.WhileOp) for op in ops_in(function))
    # Stages and agents are only for loads in loops.
    if not has_loops and rung.slices is None and (rung.stages or not rung.specialized):
        return False
    stores = (op for op in ops_in(function) if isinstance(op, nv_tileaa.TiledStoreOp))
    return rung.bulk_stores or any(
        op.allow_tma is None or bool(op.allow_tma.value.data) for op in stores
    )
