"""Branches: gives each arm its own allocation and slices, instead of a shared tile from outside.

Both patterns apply to results that both arms derive from one allocation, by ops that only shape
tiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.values.tile_chains import chain_to_allocation, resolve_slice
from tileir_xdsl.dialects.nv_tileas.slices import ExtractSliceOp, Index, InsertSliceOp
from tileir_xdsl.rewriting import replace_op


@dataclass(frozen=True)
class SharedAllocation:
    """The op chains by which both arms derive one result from an allocation before the branch."""

    chains: tuple[tuple[Operation, ...], ...]
    """For each arm, the ops from the yielded value back to the allocation."""

    def outside(self, branch: scf.IfOp) -> list[Operation]:
        """The ops of the chains before the branch, without duplicates, starting with the
        allocation.
        """
        depths = {op: depth for chain in self.chains for depth, op in enumerate(chain[::-1])}
        return [op for op in sorted(depths, key=depths.__getitem__) if not branch.is_ancestor(op)]


def shared_allocation(branch: scf.IfOp, position: int) -> SharedAllocation | None:
    """The allocation from which both arms derive a result, if nothing else uses it.

    None if an arm is missing, a chain has an op that does more than shape tiles, or there are other
    uses. Also None if the allocations differ or are in the arms.
    """
    chains: list[tuple[Operation, ...]] = []
    for region in branch.regions:
        # Without an else there are no results, and an arm that is not yet built has no terminator.
        if not region.blocks or region.block.last_op is None:
            return None
        chain = chain_to_allocation(region.block.last_op.operands[position])
        if chain is None:
            return None
        chains.append(chain)
    allocations = {chain[-1] for chain in chains}
    # In the arms, each has an allocation of its own already.
    if len(allocations) != 1 or branch.is_ancestor(chains[0][-1]):
        return None
    shared = SharedAllocation(tuple(chains))
    outer = shared.outside(branch)
    users = (use.operation for op in outer for result in op.results for use in result.uses)
    # Another user would see what the arms write into the allocation.
    if all(user in outer or branch.is_ancestor(user) for user in users):
        return shared
    return None


class DecomposeIfByInsertSlice(RewritePattern):
    """If both arms insert slices into one allocation, gives each arm its own allocation.

        %t = insert_slice %seed into alloc_tensor
        %r = scf.if .. { scf.yield (insert_slice %a into %t) }
             else { scf.yield (insert_slice %b into %t) }
        ->
        %r = scf.if .. { %t = insert_slice %seed into alloc_tensor  .. } else { .. the same .. }

    Legal if both yielded values derive from the same allocation by ops that only shape tiles, and
    have no other use.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        for position in range(len(op.results)):
            shared = shared_allocation(op, position)
            # Without a slice inserted nothing is written, so that sharing does no harm.
            if shared is None or not any(
                isinstance(link, InsertSliceOp) for chain in shared.chains for link in chain
            ):
                continue
            outer = shared.outside(op)
            for region in op.regions:
                _own(outer, region.block, op, rewriter)
            # Users before what they use.
            for link in reversed(outer):
                rewriter.erase(link)
            return


def _own(
    outer: Sequence[Operation], block: Block, branch: scf.IfOp, rewriter: PatternRewriter
) -> None:
    """Clones ops to the start of an arm, and replaces the originals there."""
    mapper: dict[SSAValue, SSAValue] = {}
    copies = [op.clone(value_mapper=mapper) for op in outer]
    rewriter.insert(copies, InsertPoint.at_start(block))
    for original, copy in zip(outer, copies, strict=True):
        original.results[0].replace_uses_with_if(
            copy.results[0], lambda use: _is_in(use.operation, block)
        )
    rewriter.notify_op_modified(branch)


def _is_in(op: Operation, block: Block) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent is block:
            return True
        current = current.parent_op()
    return False


class DecomposeIfByExtractSlice(RewritePattern):
    """Moves the extraction of a slice of a branch's result into both arms, which yield the slice.

        %r = scf.if .. { scf.yield %x } else { scf.yield %y }
        %s = extract_slice %r[..]
        ->
        %s = scf.if .. { scf.yield (extract_slice %x[..]) }
             else { scf.yield (extract_slice %y[..]) }

    Legal if both arms derive the result from the same allocation by ops that only shape tiles, and
    the allocation has no other use. All users of the result must extract the same slice, at offsets
    known before the branch.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        for position, result in enumerate(op.results):
            slices = _same_slices(result, op)
            if slices and shared_allocation(op, position) is not None:
                _sink(op, position, slices, rewriter)
                return


def _same_slices(result: OpResult, branch: scf.IfOp) -> list[ExtractSliceOp]:
    """The users of a value, if all of them extract the same slice and could do so before the
    branch.
    """
    slices: list[ExtractSliceOp] = []
    for use in result.uses:
        user = use.operation
        if not isinstance(user, ExtractSliceOp):
            return []
        slices.append(user)
    if not slices:
        return []
    first = slices[0]
    part = resolve_slice(first.slice)
    for user in slices[1:]:
        # Two different slices would need two results, and the whole tile is no larger than those.
        if resolve_slice(user.slice) != part or user.result.type != first.result.type:
            return []
    indices = (*first.slice.offsets, *first.slice.sizes, *first.slice.strides)
    return slices if all(_is_known_before(index, branch) for index in indices) else []


def _is_known_before(index: Index, branch: Operation) -> bool:
    """Whether an index is static or defined before the branch."""
    if isinstance(index, int):
        return True
    owner = index.owner
    block = owner if isinstance(owner, Block) else owner.parent
    current: Operation | None = branch
    while current is not None and current.parent is not block:
        current = current.parent_op()
    if current is None:
        return False
    return isinstance(owner, Block) or owner.is_before_in_block(current)


def _sink(
    branch: scf.IfOp, position: int, slices: Sequence[ExtractSliceOp], rewriter: PatternRewriter
) -> None:
    """Extracts the slice at the end of each arm, and rebuilds the branch to yield it."""
    pattern = slices[0]
    for region in branch.regions:
        terminator = region.block.last_op
        assert terminator is not None
        part = ExtractSliceOp(terminator.operands[position], pattern.slice, pattern.result.type)
        part.location = pattern.location
        rewriter.insert(part, InsertPoint.before(terminator))
        terminator.operands[position] = part.result
    types = [
        pattern.result.type if i == position else result.type
        for i, result in enumerate(branch.results)
    ]
    then, otherwise = (branch.detach_region(region) for region in list(branch.regions))
    rebuilt = scf.IfOp(branch.cond, types, then, otherwise, branch.attributes)
    new = rebuilt.results[position]
    new.name_hint = pattern.result.name_hint
    rewriter.insert(rebuilt, InsertPoint.before(branch))
    for user in slices:
        replace_op(rewriter, user, (), [new])
    kept: list[SSAValue | None] = list(rebuilt.results)
    kept[position] = None
    replace_op(rewriter, branch, (), kept)
