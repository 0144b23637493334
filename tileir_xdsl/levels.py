"""The levels of the road: which dialects each may contain, and what must hold for its accesses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.views import TiledAccessOp
from tileir_xdsl.rewriting import dialect_name
from tileir_xdsl.walking import ops_in

if TYPE_CHECKING:
    from tileir_xdsl.extension_parts import KnownDialect, KnownOp, KnownStrategy

EXTENSION_DIALECTS: dict[tuple[str, str], "KnownDialect"] = {}
"""The dialects of loaded extensions, by extension and name."""

EXTENSION_OPS: dict[type[Operation], "KnownOp"] = {}
"""The ops of extensions; conversions, interpreters and the PTX backend use this table."""


EXTENSION_STRATEGIES: dict[str, "KnownStrategy"] = {}
"""The strategies of extensions by name."""


def extension_ops(level: str) -> dict[type[Operation], "KnownOp"]:
    """The ops of extensions that are legal at a level."""
    return {op: known for op, known in EXTENSION_OPS.items() if level in known.levels}


def missing_lowering(op: Operation, level: str) -> str:
    """Why an op of an extension cannot be lowered below a level; empty for other ops."""
    known = EXTENSION_OPS.get(type(op))
    if known is None:
        return ""
    return f": extension '{known.origin}' gives it no lowering from {level}"


@dataclass(frozen=True)
class Level:
    """One level, with the dialects of this package that are legal at it."""

    name: str
    own: frozenset[str]

    @property
    def dialects(self) -> frozenset[str]:
        """All dialects that are legal at the level, including those of extensions."""
        known = EXTENSION_DIALECTS.values()
        return self.own.union(each.dialect.name for each in known if self.name in each.levels)


CUDA_TILE = Level("cuda_tile", frozenset({"builtin", "cuda_tile"}))
NV_TILEAA = Level(
    "nv_tileaa", frozenset({"builtin", "nv_tileaa", "arith", "math", "scf", "func", "gpu", "ub"})
)
NV_TILEAS = Level("nv_tileas", NV_TILEAA.own | {"nv_tileas", "tile"})
TILECPU = Level("tilecpu", NV_TILEAA.own | {"tilecpu"})
"""The level of kernels for a CPU, on a separate road from `nv_tileaa`."""
LLVM = Level("llvm", frozenset({"builtin", "llvm", "nvvm"}))

LEVELS = (CUDA_TILE, NV_TILEAA, NV_TILEAS, LLVM)
"""The levels in the order of the road."""

CPU_LEVELS = (CUDA_TILE, NV_TILEAA, TILECPU, LLVM)
"""The levels of the road to CPUs, in order."""


def level_of(module: ModuleOp, levels: Sequence[Level] = LEVELS) -> Level:
    """The first level at which all ops of the module are legal; the last level if there is none."""
    present = {op.dialect_name() for op in ops_in(module)}
    return next((level for level in levels if present <= level.dialects), levels[-1])


def is_legal(module: ModuleOp, level: Level) -> bool:
    """Whether all ops of a module are legal at the level."""
    legal = level.dialects
    return all(dialect_name(op) in legal for op in ops_in(module))


def check_legal(module: ModuleOp, level: Level) -> None:
    """Raises `PassFailedException` naming the first op that is not legal at the level."""
    legal = level.dialects
    for op in ops_in(module):
        if dialect_name(op) not in legal or _is_elsewhere(op, level):
            fail(op, f"'{op.name}' op is not legal at level {level.name}")


def _is_elsewhere(op: Operation, level: Level) -> bool:
    """Whether an op of an extension is illegal at a level, although its dialect is legal."""
    known = EXTENSION_OPS.get(type(op))
    return known is not None and level.name not in known.levels


SCHEDULED = frozenset(
    f"nv_tileaa.{name}"
    for name in (
        "cancel_next_program_id",
        "create_queue",
        "dot",
        "execute",
        "expand_dims",
        "extract_slice",
        "gather_load",
        "generate",
        "insert_slice",
        "load",
        "pack",
        "pragma",
        "queue.get",
        "queue.put",
        "queue.yield",
        "reduce",
        "scan",
        "scatter_store",
        "store",
        "tiled_atomic_rmw",
        "tiled_load",
        "tiled_store",
        "unpack",
        "view",
        "yield",
    )
)
"""The ops of `nv_tileaa` that the conversion to `nv_tileas` replaces."""

_REPLACED = {NV_TILEAS: SCHEDULED, TILECPU: frozenset({"nv_tileaa.func"})}
"""By level, the illegal ops of `nv_tileaa`, whose other ops are legal."""

_LEVELLED = frozenset({"cuda_tile", "nv_tileaa", "nv_tileas", "tilecpu", "llvm", "nvvm"})
"""The dialects that determine the level of a program; `arith` and `scf` are legal at all levels."""


def check_level(module: ModuleOp, level: Level, pass_name: str) -> None:
    """Raises `PassFailedException` naming the first op that is not of the level of a pass."""
    foreign = _LEVELLED - level.dialects
    replaced = _REPLACED.get(level, frozenset[str]())
    for op in ops_in(module):
        if dialect_name(op) not in foreign and op.name not in replaced:
            continue
        fail(op, f"'{op.name}' op is at another level: {pass_name} expects level {level.name}")


@cache
def at_level(base: type[ModulePass], level: str) -> type[ModulePass]:
    """The pass, preceded by a check that its input is at the level called `level`.

    Without the check a pass finds no op of its own in IR of another level, and changes nothing. The
    pass is not run on a module without a block.
    """
    expected = next(known for known in (*LEVELS, TILECPU) if known.name == level)

    class Checked(base):
        def apply(self, ctx: Context, op: ModuleOp) -> None:
            if op.body.blocks:
                check_level(op, expected, self.name)
                base.apply(self, ctx, op)

    Checked.__name__, Checked.__qualname__ = base.__name__, base.__qualname__
    Checked.__module__, Checked.__doc__ = base.__module__, base.__doc__
    return Checked


@dataclass(frozen=True)
class ViewAccess:
    """Facts about one access of a view, unchanged from `nv_tileaa` until layouts are assigned.

    Memory objects are numbered by the function arguments they come from, tokens in the order of the
    program. So accesses before and after a conversion can be compared.
    """

    access: str
    """The mnemonic of the op."""
    memory_object: int | None
    """The number of the argument that points to the object; None if it is not known."""
    shape: Attribute
    """The type of the view: its tiles, and the extents and strides of the object."""
    layout_intent: tuple[tuple[str, Attribute], ...]
    """How the view cuts the object into tiles."""
    memory_order: tuple[Attribute | None, ...]
    """The memory semantics and the memory scope of the access."""
    token_order: frozenset[int]
    """The numbers of the tokens that the access waits for."""


def view_accesses(module: ModuleOp) -> list[ViewAccess]:
    """All accesses of views, in the order of the program."""
    return [access for _, access in _walk_accesses(module)]


def check_view_accesses(module: ModuleOp, before: Sequence[ViewAccess]) -> None:
    """Raises `PassFailedException` unless all accesses of views are as before a pass.

    Accesses of parts may replace an access of a tile, as when dots are divided. The message names
    the first op that differs, and the changed fact.
    """
    accesses = list(_walk_accesses(module))
    kept = Counter(before)
    others: list[tuple[Operation, ViewAccess]] = []
    for op, access in accesses:
        if kept[access]:
            kept[access] -= 1
        else:
            others.append((op, access))
    gone = list(kept.elements())
    divided: set[ViewAccess] = set()
    for op, access in others:
        whole = next((whole for whole in gone if _is_part(access, whole)), None)
        expected = next((whole for whole in gone if whole not in divided), None)
        if whole is not None:
            divided.add(whole)
        elif expected is not None:
            _fail_unlike(op, access, expected)
    if not divided.issuperset(gone) or (others and not divided):
        fail(
            module,
            f"expects the {len(before)} accesses of views from before the pass, or their parts, "
            f"but got {len(accesses)}",
        )


def _fail_unlike(op: Operation, access: ViewAccess, expected: ViewAccess) -> NoReturn:
    names = [field.name for field in fields(ViewAccess)]
    changed = next(n for n in names if getattr(access, n) != getattr(expected, n))
    what = changed.replace("_", " ")
    fail(op, f"'{op.name}' op has another {what} than before the pass")


def _is_part(part: ViewAccess, whole: ViewAccess) -> bool:
    """Whether an access differs from another only in its tiles, which are parts of the other's."""
    inner, outer = part.shape, whole.shape
    assert isinstance(inner, nv_tileaa.TiledViewType)
    assert isinstance(outer, nv_tileaa.TiledViewType)
    sizes = list(zip(inner.get_shape(), outer.get_shape(), strict=False))
    return (
        replace(part, shape=outer, layout_intent=whole.layout_intent) == whole
        and inner.source == outer.source
        and len(inner.get_shape()) == len(outer.get_shape())
        and inner != outer
        and all(extent % size == 0 for size, extent in sizes)
    )


_CUTTING = (nv_tileaa.BlockTileOp, nv_tileaa.ConvTileOp)
_TRANSPARENT = (nv_tileaa.CreateMemTokenOp, nv_tileaa.JoinMemTokenOp)


def _walk_accesses(module: ModuleOp) -> Iterator[tuple[Operation, ViewAccess]]:
    tokens: dict[SSAValue, int] = {}
    for op in ops_in(module):
        for value in _defined_values(op):
            # A token that nothing follows may be left out.
            if (
                isinstance(value.type, nv_tileaa.MemTokenType)
                and value.uses
                and not isinstance(op, _TRANSPARENT)
            ):
                tokens[value] = len(tokens)
    for op in ops_in(module):
        if not isinstance(op, TiledAccessOp):
            continue
        view = next((v for v in op.operands if isinstance(v.type, nv_tileaa.TiledViewType)), None)
        if view is None:
            continue
        cut = view.owner if isinstance(view.owner, _CUTTING) else None
        yield (
            op,
            ViewAccess(
                op.name.rpartition(".")[2],
                None if cut is None else _base_argument(cut.operands[0]),
                view.type,
                () if cut is None else tuple(sorted(cut.properties.items())),
                (op.mem_semantic, op.mem_scope),
                frozenset(_followed(op, tokens)),
            ),
        )


_FORWARDING = (nv_tileaa.AddPtrOp, nv_tileaa.AssumeOp, nv_tileaa.MakeMemRefOp)
"""Ops whose first operand points to the same object as their result."""


def _base_argument(value: SSAValue) -> int | None:
    """The number of the function argument that a memory object or a pointer comes from.

    Ops that make objects are not compared, since they are hoisted out of loops over tile blocks.
    The order of accesses is not compared, since dividing dots reorders loads.
    """
    while isinstance(value.owner, _FORWARDING):
        value = value.owner.operands[0]
    if isinstance(value, BlockArgument) and isinstance(value.owner.parent_op(), nv_tileaa.FuncOp):
        return value.index
    return None


def _defined_values(op: Operation) -> Iterator[SSAValue]:
    """The arguments of an op's blocks, and its results."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.args
    yield from op.results


def _followed(op: Operation, tokens: dict[SSAValue, int]) -> Iterator[int]:
    """The numbers of the token operands of an op, and of the tokens joined into these operands."""
    pending = [v for v in op.operands if isinstance(v.type, nv_tileaa.MemTokenType)]
    seen: set[SSAValue] = set()
    while pending:
        token = pending.pop()
        if token in seen:
            continue
        seen.add(token)
        if token in tokens:
            yield tokens[token]
        elif isinstance(token.owner, Operation):
            pending += token.owner.operands
