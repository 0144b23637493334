"""Parts of an extension as plain data: dialects, ops and targets, and what the road needs of them.

    OpParts(
        AddSaturatedOp,
        meaning=lambda _op, lhs, rhs: np.where(lhs + rhs < lhs, 2**32 - 1, lhs + rhs),
        pattern=MadeBy(MakeAddSaturated(), after="convert-cuda-tile-to-tileaa"),
        ptx="add.sat.u32  d, lhs, rhs",
    )

Imported where an extension is: a compilation without one reads the empty tables of `levels`.
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
"""All that the meaning of an op is given: only the operands, or more."""

LoweringFactory: TypeAlias = Callable[..., Any]
"""Makes the pattern of an op for one conversion; `OpParts.lowering` says from what."""


@dataclass(frozen=True)
class ExtensionDialect:
    """A dialect of an extension, whose ops are legal at some levels."""

    dialect: Dialect
    levels: tuple[str, ...]
    """Of `cuda_tile`, `nv_tileaa`, `nv_tileas` and `llvm`."""


@dataclass(frozen=True)
class MadeBy:
    """The patterns that make an op from ops of an unchanged kernel, and the step they run at.

    Exactly one of `before` and `after` names a step. They are applied until nothing changes.
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
    """An op with all parts that the road needs; unneeded parts are left out.

    Its interfaces (memory effects, scratch memory, elementwise or not) are bases of its class, as
    those of the ops in `tileir_xdsl.dialects`.
    """

    op: type[Operation]
    levels: tuple[str, ...] | None = None
    """The levels at which it is legal; None: all levels of its dialect."""
    meaning: Callable[..., Any] | None = None
    """`meaning(op, *operands)` is the array of its only result. Executed at each tile level."""
    sees: Sees = "operands"
    """With `launch`, `meaning(execution, op, *operands)` yields the tuple of all results; with
    `regions`, `meaning(execution, interpreter, op, *operands)` does."""
    pattern: MadeBy | None = None
    """How it gets into the program of an unchanged kernel."""
    lowering: Mapping[str, LoweringFactory] = field(default_factory=dict[str, LoweringFactory])
    """By the level that the op leaves, what makes its pattern.

    From `cuda_tile` it is called with the conversion and the target (`ConvertOp`). From `nv_tileaa`
    it is called with the target, and from `nv_tileas` with a `Lowering` (`LowerOp`). Without one,
    an op that the next level has, too, is rebuilt with the types of that level. An elementwise op
    becomes one op on scalars for each register of a thread.
    """
    ptx: str = ""
    """Its instruction, in the notation of `backend/ptx/forms.py`."""
    requirement: Requirement | None = None
    """The targets and PTX versions that have the instruction. Elsewhere `pattern` is not run."""
    emulator: tuple[EmulatedInstruction, ...] = ()
    """Its instruction in the emulator, where that lacks it."""
    bound: float = 0.0
    """How far a result of its code may be off that of its meaning, in units in the last place."""


@dataclass(frozen=True, eq=False)
class ElementaryFunction:
    """A function of floats, element by element, and the bound that its code keeps.

    Its op takes and yields tiles of one float type. f16 and bf16 are computed in f32 and rounded.
    """

    op: type[Operation]
    function: Callable[..., Any]
    """The exact function, on arrays of numpy in double precision."""
    computed: Callable[..., Any]
    """The function as a thread computes it: from `Real`s, in f32 or f64, to a `Real`."""
    bound: float
    """How far a result may be off, in units in the last place."""
    pattern: MadeBy | None = None
    """How it gets into the program of an unchanged kernel."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy of an extension for some ops, which `tileas-select-lowering` compares with its own
    strategies.

    It is a candidate if the extension is named, and is chosen if it is cheapest or forced.
    """

    name: str
    ops: tuple[type[Operation], ...]
    problem: Callable[[Operation, Target], str | None]
    """Why an op cannot have it; None if it can."""
    cost: Callable[[Operation, Target], float]
    """The machine instructions of a thread for one element of the result."""
    lowering: LoweringFactory
    """As `OpParts.lowering` from `nv_tileas`."""
    source: str
    """Where the method and its cost are from."""


@dataclass(frozen=True)
class TargetVariant:
    """A target derived from another one, without some of its features and with lower limits.

    Its code is assembled as that one, so nothing can be added.
    """

    name: str
    base: str
    """The ``.target`` that its code is assembled as, such as `sm_90a`."""
    without_features: tuple[Feature, ...] = ()
    without_atoms: tuple[str, ...] = ()
    """Atoms of MMAs, and of copies of matrices between registers and shared memory."""
    limits: Mapping[str, int] = field(default_factory=dict[str, int])
    """Fields of `targets.Limits` that are lower."""
    cost_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Fields of `targets.CostWeights` that are others."""


@dataclass(frozen=True, eq=False)
class ServedPackage:
    """A language embedded in Python, by the package that scripts import for it.

    Where this package serves that itself, the extension does in its place.
    """

    package: str
    """Its whole name, such as `my.language`."""
    install: Callable[[Any], Callable[[], None]]
    """Called once the package is imported, with the handler that is to be told of kernels and
    launches (`frontends.interface.Handler`). Returns what undoes that."""


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
