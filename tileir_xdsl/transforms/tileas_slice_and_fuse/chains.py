"""Rewrites the values in loops over slices to slices of whole tiles, which no op reads as a whole.

    scf.for %s = .. { %x = load ..  %y = mulf %x, %x : tensor<32x512xf32>  .. }
    ->
    %d = ub.poison : tensor<256x512xf32>
    scf.for %s = .. iter_args(%t = %d) -> (tensor<256x512xf32>) {
      %x = load ..
      %u = insert_slice %x into %t[%s, %c0]
      %p = extract_slice %u[%s, %c0]
      %y = mulf %p, %p : tensor<32x512xf32>  ..  scf.yield %u
    }

Each op then looks as if the next one read the whole tile. The folds of slices
(`tileas-canonicalize`) later remove all whole tiles. Branches insert into a tile that is allocated
before the branch, and views become views of the whole tile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.analysis.values.reshape_groups import slice_before_view
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.slices import Slice
from tileir_xdsl.rewriting import DispatchWalker

from .rewrite import Part


def insert_slices(scope: Operation, parts: Mapping[scf.ForOp, Sequence[Part]]) -> None:
    """Replaces slices that loops in a scope compute by slices of whole tiles."""
    DispatchWalker({scf.ForOp: InsertSlices(parts)}).rewrite(scope)


@dataclass(frozen=True)
class InsertSlices(RewritePattern):
    """Inserts the slices that a loop computes into whole tiles, which the loop carries."""

    parts: Mapping[scf.ForOp, Sequence[Part]]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        body = op.body.block
        # A later group may have taken the loop, or what it computes, into its own loops.
        parts = [
            part
            for part in self.parts.get(op, ())
            if part.is_plain and part.value.uses and part.value.owner.parent is body  # pyright: ignore
        ]
        if not parts:
            return
        chains = _Chains(op, rewriter)
        for part in parts:
            chains.add(part)
        chains.carry()


class _Chains:
    """The chains of slices in one loop, and the whole tiles that the loop carries."""

    def __init__(self, loop: scf.ForOp, rewriter: PatternRewriter):
        self.loop, self.rewriter = loop, rewriter
        self.initial: list[SSAValue] = []
        self.following: list[SSAValue] = []
        self.wholes: dict[SSAValue, SSAValue] = {}
        """The whole tile of each extracted slice."""

    def add(self, part: Part) -> None:
        """Makes the users of a slice extract it from the whole tile."""
        owner = part.value.owner
        assert isinstance(owner, Operation)
        if isinstance(owner, scf.IfOp):
            self._branch(owner, part)
        elif (
            isinstance(owner, nv_tileaa.ViewOp)
            and (source := self.wholes.get(owner.source)) is not None
            and _commutes(source.type, part)
        ):
            self._view(owner, source, part)
        else:
            argument = self.loop.body.block.insert_arg(part.whole, len(self.loop.body.block.args))
            self.initial.append(self._allocate(part, self.loop))
            users = list(part.value.uses)
            insert = nv_tileaa.InsertSliceOp(part.value, argument, self._indices(part))
            self.following.append(insert.result)
            self.rewriter.insert(insert, InsertPoint.after(owner))
            extract = self._extract(insert.result, part, insert)
            for use in users:
                use.operation.operands[use.index] = extract

    def carry(self) -> None:
        """Rebuilds the loop with the whole tiles as further carried values."""
        loop = self.loop
        terminator = loop.body.block.last_op
        assert terminator is not None
        self.rewriter.replace(terminator, scf.YieldOp(*terminator.operands, *self.following), [])
        region = loop.detach_region(loop.body)
        carried = [*loop.iter_args, *self.initial]
        rebuilt = scf.ForOp(loop.lb, loop.ub, loop.step, carried, region)
        rebuilt.attributes.update(loop.attributes)
        rebuilt.location = loop.location
        self.rewriter.insert(rebuilt, InsertPoint.before(loop))
        for old, new in zip(loop.results, rebuilt.results, strict=False):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        self.rewriter.erase(loop)

    def _allocate(self, part: Part, user: Operation) -> SSAValue:
        whole = PoisonOp(part.whole)
        whole.location = user.location
        self.rewriter.insert(whole, InsertPoint.before(user))
        return whole.result

    def _indices(self, part: Part) -> list[SSAValue]:
        rank = len(tile_shape(part.whole).shape)
        # Slices are counted from 0: of a dimension that is whole there is one.
        return [part.number if dim == part.dim else self.loop.lb for dim in range(rank)]

    def _extract(self, whole: SSAValue, part: Part, after: Operation) -> SSAValue:
        """Extracts the slice from the whole tile."""
        extract = nv_tileaa.ExtractSliceOp(whole, self._indices(part), part.value.type)
        extract.location, extract.result.name_hint = after.location, part.value.name_hint
        self.rewriter.insert(extract, InsertPoint.after(after))
        self.wholes[extract.result] = whole
        return extract.result

    def _branch(self, branch: scf.IfOp, part: Part) -> None:
        """Makes each branch of an `if` insert its slice into a whole tile, allocated before the
        `if`.
        """
        whole, position = self._allocate(part, branch), branch.results.index(part.value)
        for region in branch.regions:
            terminator = region.block.last_op
            assert terminator is not None
            yielded = terminator.operands[position]
            insert = nv_tileaa.InsertSliceOp(yielded, whole, self._indices(part))
            self.rewriter.insert(insert, InsertPoint.before(terminator))
            terminator.operands[position] = insert.result
        self._widen(branch, part)

    def _view(self, view: nv_tileaa.ViewOp, source: SSAValue, part: Part) -> None:
        view.operands[0] = source
        self._widen(view, part)

    def _widen(self, op: Operation, part: Part) -> None:
        """Changes the type of a result to the whole tile; its users extract the slice."""
        users, name = list(part.value.uses), part.value.name_hint
        type, result = part.value.type, Rewriter.replace_value_with_new_type(part.value, part.whole)
        extract = nv_tileaa.ExtractSliceOp(result, self._indices(part), type)
        extract.location, extract.result.name_hint = op.location, name
        self.rewriter.insert(extract, InsertPoint.after(op))
        self.wholes[extract.result] = result
        for use in users:
            use.operation.operands[use.index] = extract.result


def _commutes(source: Attribute, part: Part) -> bool:
    """Whether a slice of the view equals a view of a slice, so that folds can swap view and
    slice.
    """
    before, after = tile_shape(source).shape, tile_shape(part.whole).shape
    sizes = tile_shape(part.value.type).shape
    offsets = tuple(part.number if dim == part.dim else 0 for dim in range(len(after)))
    taken = Slice(offsets, sizes, (1,) * len(after))
    return slice_before_view(before, after, taken) is not None
