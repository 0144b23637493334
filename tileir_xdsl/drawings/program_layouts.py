"""The distinct layouts of a program at `nv_tileas`, with the ops that use each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.layouts.groups import awaited
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects.nv_tileas.interfaces import TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.nv_tileas.strategies import ACCESSES, AccessAttr
from tileir_xdsl.dialects.nv_tileas.types import layout_of, memory_of
from tileir_xdsl.layout.banks import MatrixAccess, VectorAccess
from tileir_xdsl.layout.cute import NO_SWIZZLE, LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import AccessKind, staging_accesses
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets.atoms import Memory

Ids = Callable[[Operation], Sequence[str]]
"""A function that returns the caller's names for an op."""


def no_ids(_op: Operation) -> Sequence[str]:
    """Returns no names, for callers without names for ops."""
    return ()


T = TypeVar("T")


@dataclass
class Users(Generic[T]):
    """A layout or access, with all ops that use it."""

    what: T
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])

    def ids(self, ids: Ids) -> tuple[str, ...]:
        """The names of the ops, without duplicates."""
        return tuple(dict.fromkeys(name for op in self.ops for name in ids(op)))

    def names(self) -> str:
        """The kinds of the ops, such as `dot, addf, view and 3 more`."""
        kinds = list(dict.fromkeys(op.name.rpartition(".")[2] for op in self.ops))
        return ", ".join(kinds[:3]) + (f" and {len(kinds) - 3} more" if len(kinds) > 3 else "")


@dataclass(frozen=True)
class StagingAccess:
    """How an op moves a tile between registers and shared memory."""

    access: VectorAccess | MatrixAccess
    is_store: bool


@dataclass
class ProgramLayouts:
    """All distinct layouts and accesses of a function."""

    registers: dict[LinearLayout, Users[LinearLayout]] = field(
        default_factory=dict[LinearLayout, Users[LinearLayout]]
    )
    shared: dict[SharedLayout, Users[SharedLayout]] = field(
        default_factory=dict[SharedLayout, Users[SharedLayout]]
    )
    accesses: dict[StagingAccess, Users[StagingAccess]] = field(
        default_factory=dict[StagingAccess, Users[StagingAccess]]
    )


def layouts_in(ops: Iterable[Operation]) -> ProgramLayouts:
    """The layouts of the operands and results of `ops`."""
    found = ProgramLayouts()
    # Types are unique objects for most values of a program: each is read once.
    read: dict[Attribute, LinearLayout | SharedLayout | None] = {}
    for op in ops:
        for value in (*op.operands, *op.results):
            if value.type not in read:
                read[value.type] = _layout(value.type)
            match read[value.type]:
                case LinearLayout() as layout:
                    found.registers.setdefault(layout, Users(layout)).ops[op] = None
                case SharedLayout() as layout:
                    found.shared.setdefault(layout, Users(layout)).ops[op] = None
                case None:
                    pass
        for access in _staging_accesses(op, read):
            found.accesses.setdefault(access, Users(access)).ops[op] = None
    return found


def _layout(type: Attribute) -> LinearLayout | SharedLayout | None:
    """The layout of a tile in registers or shared memory; None if it cannot be drawn."""
    type = awaited(type)
    if not isinstance(type, TensorType):
        return None
    match memory_of(type):
        case Memory.REGISTER:
            return tile_layout(type)
        case Memory.SHARED if (attribute := layout_of(type)) is not None:
            bits = 8 * element_bytes(type.get_element_type())
            swizzle = attribute.data.swizzle or NO_SWIZZLE
            layout = SharedLayout(attribute.data.layout, bits, swizzle)
            return layout if _is_linear(layout) else None
        case _:
            return None


def _is_linear(layout: SharedLayout) -> bool:
    """Whether the layout has an address map, from which banks are drawn."""
    try:
        layout.address_map()
    except LayoutError:
        return False
    return True


def _staging_accesses(
    op: Operation, read: dict[Attribute, LinearLayout | SharedLayout | None]
) -> Iterator[StagingAccess]:
    """The accesses of a copy or conversion between registers and shared memory."""
    if not isinstance(op, TileMoveOpInterface):
        return
    pair = read.get(op.source.type), read.get(op.results[0].type)
    match pair:
        case (LinearLayout() as layout, SharedLayout() as buffer):
            is_store = True
        case (SharedLayout() as buffer, LinearLayout() as layout):
            is_store = False
        case _:
            return
    if layout.shape != buffer.shape:
        return
    try:
        kinds = staging_accesses(layout, buffer.address_map(), is_store=is_store)
    except LayoutError:
        return
    kind = _chosen(op) or min(kinds, key=lambda kind: kinds[kind][1])
    if kind in kinds:
        yield StagingAccess(kinds[kind][0], is_store)


def _chosen(op: Operation) -> AccessKind | None:
    """The kind that `tileas-select-lowering` wrote on an op; None before that pass."""
    match op.attributes.get(ACCESSES):
        case ArrayAttr(data=(AccessAttr() as access, *_)):
            return AccessKind(access.data.value)
        case _:
            return None
