"""Parts of an extension as plain data: dialects, ops and targets, and how passes handle them.

    OpParts(
        AddSaturatedOp,
        meaning=lambda _op, lhs, rhs: np.where(lhs + rhs < lhs, 2**32 - 1, lhs + rhs),
        pattern=MadeBy(MakeAddSaturated(), after="convert-cuda-tile-to-tileaa"),
        ptx="add.sat.u32  d, lhs, rhs",
    )

This module is imported with an extension: a compilation without one reads the empty tables of
`levels`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from xdsl.ir import Dialect, Operation
    from xdsl.pattern_rewriter import RewritePattern

    from tileir_xdsl.dialects.nvvm.requirements import Requirement
    from tileir_xdsl.targets import Feature, Target

Sees: TypeAlias = Literal["operands", "launch", "regions"]
"""The arguments of an op's `meaning`: only operands, or also the launch or an interpreter."""

LoweringFactory: TypeAlias = Callable[..., Any]
"""Returns the pattern that lowers an op in one conversion; `OpParts.lowering` has its arguments."""


@dataclass(frozen=True)
class ExtensionDialect:
    """A dialect of an extension, whose ops are legal at some levels."""

    dialect: Dialect
    levels: tuple[str, ...]
    """Some of `cuda_tile`, `nv_tileaa`, `nv_tileas` and `llvm`."""


@dataclass(frozen=True)
class MadeBy:
    """Patterns that create an op from ops of ordinary kernels, and the pass next to which they run.

    Exactly one of `before` and `after` names a pass. The patterns are applied until nothing
    changes.
    """

    patterns: Sequence[RewritePattern]
    level: str = "nv_tileaa"
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True)
class EmulatedInstruction:
    """An instruction that computes in each thread from the operands of that thread.

    `EmulatedInstruction("add.sat.u32 d, a, b", "u32 <- u32, u32", function)`: the syntax as in the
    PTX ISA, the PTX types of result and operands, and the result on arrays of numpy.
    """

    syntax: str
    signature: str
    function: Callable[..., Any]


@dataclass(frozen=True, eq=False)
class OpParts:
    """An op with all parts that compilation needs; parts that it does not need are left out.

    The op's class inherits its interfaces (memory effects, scratch memory, elementwise), like ops
    in `tileir_xdsl.dialects`.
    """

    op: type[Operation]
    levels: tuple[str, ...] | None = None
    """The levels at which the op is legal; None means all levels of its dialect."""
    meaning: Callable[..., Any] | None = None
    """`meaning(op, *operands)` is the array of its only result. Run at each tile level."""
    sees: Sees = "operands"
    """With `launch`, `meaning(execution, op, *operands)` returns the tuple of all results; with
    `regions`, `meaning(execution, interpreter, op, *operands)` does."""
    pattern: MadeBy | None = None
    """How the op is created in ordinary kernels."""
    lowering: Mapping[str, LoweringFactory] = field(default_factory=dict[str, LoweringFactory])
    """The factories of the op's lowering patterns, by the level from which they lower.

    A factory for `cuda_tile` receives the conversion and the target (`ConvertOp`). A factory for
    `nv_tileaa` receives the target, and one for `nv_tileas` a `Lowering` (`LowerOp`). Without a
    factory, an op that is legal at the next level, too, only gets that level's types. An
    elementwise op becomes one op on scalars for each register of a thread.
    """
    ptx: str = ""
    """The op's instruction, in the notation of `backend/ptx/forms.py`."""
    requirement: Requirement | None = None
    """The targets and PTX versions that have the instruction. Others skip `pattern`."""
    emulator: tuple[EmulatedInstruction, ...] = ()
    """The op's instruction for the emulator, if that does not have it."""
    bound: float = 0.0
    """The error bound of the compiled code against `meaning`, in units in the last place."""


@dataclass(frozen=True, eq=False)
class ElementaryFunction:
    """An elementwise function of floats, and the error bound of its code.

    The op has operands and a result of one float type.
    """

    op: type[Operation]
    function: Callable[..., Any]
    """The exact function, on arrays of numpy in double precision."""
    computed: Callable[..., Any]
    """The function as a thread computes it: from `Real`s, in f32 or f64, to a `Real`."""
    bound: float
    """The error bound of results, in units in the last place."""
    pattern: MadeBy | None = None
    """How the op is created in ordinary kernels."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """A lowering strategy of an extension for some ops, a candidate of `tileas-select-lowering`.

    The strategy is a candidate if a compilation names the extension; the cheapest or forced
    candidate is chosen.
    """

    name: str
    ops: tuple[type[Operation], ...]
    problem: Callable[[Operation, Target], str | None]
    """Why an op cannot use the strategy; None if it can."""
    cost: Callable[[Operation, Target], float]
    """The number of machine instructions per element of the result in a thread."""
    lowering: LoweringFactory
    """Like a factory of `OpParts.lowering` for `nv_tileas`."""
    source: str
    """The source of the method and its cost."""


@dataclass(frozen=True)
class TargetVariant:
    """A target derived from another one, with fewer features or lower limits.

    Its code is assembled for the base target, so a variant cannot add features.
    """

    name: str
    base: str
    """The base target, whose ``.target`` the PTX text has, such as `sm_90a`."""
    without_features: tuple[Feature, ...] = ()
    without_atoms: tuple[str, ...] = ()
    """Names of missing atoms: of MMAs, and of matrix copies between registers and shared memory."""
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """The fields of `targets.Limits` with lower values."""
    cost_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """The fields of `targets.CostWeights` with other values."""


@dataclass(frozen=True, eq=False)
class ServedPackage:
    """A language embedded in Python, given by the package that scripts import.

    If `tileir_xdsl` also serves the package, the extension takes precedence.
    """

    package: str
    """The full name of the package, such as `my.language`."""
    install: Callable[[Any], Callable[[], None]]
    """Called after the package is imported, with the handler that receives its kernels and launches
    (`frontends.interface.Handler`). Returns a function that undoes the installation."""


@dataclass(frozen=True)
class KnownFrontend:
    """A language that an extension has registered."""

    served: ServedPackage
    origin: str


EXTENSION_FRONTENDS: dict[str, KnownFrontend] = {}
"""The languages of extensions, by the packages that scripts import."""


@dataclass(frozen=True)
class KnownOp:
    """An op that an extension has registered."""

    parts: OpParts
    origin: str
    """The name of the extension."""
    levels: frozenset[str]


@dataclass(frozen=True)
class KnownStrategy:
    """A strategy that an extension has registered."""

    strategy: Strategy
    origin: str


@dataclass(frozen=True)
class KnownDialect:
    """A dialect that an extension has registered."""

    dialect: Dialect
    origin: str
    levels: frozenset[str]
