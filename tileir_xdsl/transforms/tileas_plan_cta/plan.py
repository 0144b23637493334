"""Chooses the part of each tile that a CTA of a cluster computes, or returns the reason against
clusters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.regions.region_flow import forwarded_as
from tileir_xdsl.analysis.threads.cluster_shapes import Shape, cluster_shapes
from tileir_xdsl.analysis.values.tile_division import (
    Dimension,
    Site,
    TileDimensions,
    extents,
    stored_site,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.walking import ops_in

LOADS = (nv_tileaa.LoadOp, nv_tileaa.TiledLoadOp)
STORES = (nv_tileaa.StoreOp, nv_tileaa.TiledStoreOp)
STRUCTURE = (
    nv_tileaa.CreateMemTokenOp,
    nv_tileaa.JoinMemTokenOp,
    nv_tileaa.ReturnOp,
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
)
"""Ops with effects, other than accesses, that every CTA may execute."""

NO_DOT = "there is no dot to divide"


@dataclass(frozen=True)
class Division:
    """The division among CTAs: for each axis of the cluster, the divided dimension of some
    tiles.
    """

    shape: Shape
    divided: tuple[dict[Site, int], dict[Site, int]]

    def parts(self, of: Site) -> tuple[tuple[int, int], ...]:
        """The divided dimensions of a tile, each with the axis of the cluster."""
        found = [(tiles[of], axis) for axis, tiles in enumerate(self.divided) if of in tiles]
        return tuple(sorted(found))

    def sites(self) -> Iterator[Site]:
        """All divided tiles."""
        yield from dict.fromkeys((*self.divided[0], *self.divided[1]))


def plan(function: nv_tileaa.FuncOp, ctas: int) -> Division | str:
    """The best division of a kernel among at most `ctas` CTAs, or the reason if there is none."""
    if (reason := _unfit_op(function)) is not None:
        return reason
    mmas = [op for op in ops_in(function) if isinstance(op, nv_tileaa.DotOp)]
    # Without an MMA nothing is loaded by several CTAs: more tile blocks are as good.
    if not mmas:
        return NO_DOT
    # The largest dot decides the shape; for the others it only has to be possible.
    *_, rows, columns = max((extents(op.result)[-2:] for op in mmas), key=prod)
    dimensions, reason = TileDimensions.of(function), ""
    while ctas > 1:
        for shape in cluster_shapes(rows, columns, ctas):
            found = _divide(function, mmas, dimensions, shape)
            if isinstance(found, Division):
                return found
            reason = reason or found
        ctas //= 2
    return reason or f"dots of {rows} x {columns} are too small to divide"


def _unfit_op(function: nv_tileaa.FuncOp) -> str | None:
    """The reason of the first op that only one CTA of a cluster may execute; None without such an
    op.
    """
    for op in ops_in(function):
        if isinstance(op, (*LOADS, *STORES)):
            if op.mem_semantic.data is not MemSemantic.WEAK:
                return f"'{op.name}' op with other semantics than weak happens once"
        elif not isinstance(op, STRUCTURE) and op is not function and not is_side_effect_free(op):
            return f"'{op.name}' op happens once"
    return None


def _divide(
    function: nv_tileaa.FuncOp,
    mmas: Sequence[nv_tileaa.DotOp],
    dimensions: TileDimensions,
    shape: Shape,
) -> Division | str:
    divided: list[dict[Site, int]] = []
    for axis, (name, count) in enumerate(zip(("rows", "columns"), shape, strict=True)):
        if count == 1:
            divided.append({})
            continue
        seeds: list[Dimension] = [(op.result, len(extents(op.result)) - 2 + axis) for op in mmas]
        found = dimensions.divided_with(seeds)
        if found is None:
            return f"the {name} of dots cannot be divided"
        # Tiles have power-of-two extents, but some are smaller than the cluster.
        if any(extents(tile)[dim] % count for tile, dim in found.items()):
            return f"not all tiles have {count} parts"
        divided.append(found)
    division = Division(shape, (divided[0], divided[1]))
    both = divided[0].keys() & divided[1].keys()
    if any(divided[0][tile] == divided[1][tile] for tile in both):
        return "one dimension of a tile holds rows and columns"
    return _unfit_access(function, division) or division


def _unfit_access(function: nv_tileaa.FuncOp, division: Division) -> str | None:
    """The reason why accesses of different CTAs would conflict; None if they do not."""
    wanted = sum(count > 1 for count in division.shape)
    for op in ops_in(function):
        if isinstance(op, STORES) and len(division.parts(stored_site(op))) < wanted:
            return f"'{op.name}' op stores a tile that is not divided"
        if isinstance(op, (*LOADS, *STORES)):
            for earlier in accesses_before(op.token):
                # Loads commute; an order with a store would have to hold between CTAs.
                ordered = isinstance(op, STORES) or isinstance(earlier, STORES)
                if ordered and not _stays_in_one_cta(op, earlier, division):
                    return f"'{op.name}' op follows another access of memory"
    return None


def _stays_in_one_cta(op: Operation, earlier: Operation, division: Division) -> bool:
    """Whether both ops access the same elements in each CTA: equal tiles of one object."""
    cuts: list[tuple[object, ...]] = []
    for access in (op, earlier):
        if not isinstance(access, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp):
            return False
        tile = access.tile if isinstance(access, nv_tileaa.TiledLoadOp) else stored_site(access)
        cut = access.view.owner
        assert isinstance(cut, nv_tileaa.BlockTileOp)
        parts = division.parts(tile)
        if len(parts) < sum(count > 1 for count in division.shape):
            return False
        cuts.append((cut.source, cut.get_tile_sizes(), cut.get_dim_groups(), parts))
    return cuts[0] == cuts[1]


def accesses_before(token: SSAValue | None) -> Iterator[Operation]:
    """The accesses that precede an access with this operand token."""
    pending, seen = [] if token is None else [token], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, (*LOADS, *STORES)):
            yield owner
        if isinstance(owner, (*LOADS, *STORES, nv_tileaa.JoinMemTokenOp)):
            pending += (v for v in owner.operands if isinstance(v.type, MemTokenType))
        pending += forwarded_as(value)


def divided_shape(of: Site, division: Division) -> tuple[int, ...]:
    """The shape of a CTA's part of a tile."""
    shape = list(extents(of))
    for dim, axis in division.parts(of):
        shape[dim] //= division.shape[axis]
    return tuple(shape)
