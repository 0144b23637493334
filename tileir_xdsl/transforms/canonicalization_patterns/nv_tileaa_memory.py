"""Merges offsets, removes constant masks, and replaces atomics that change nothing by loads.

Tokens are rewired, never dropped: ops that waited for an erased access wait for the accesses before
it.
"""

from xdsl.dialects.builtin import IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import RMWMode
from tileir_xdsl.dialects.nv_tileaa.atomics import AtomicCASOp, AtomicRMWOp
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.integer import AddIOp
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import (
    AddPtrOp,
    CreateMemTokenOp,
    JoinMemTokenOp,
    LoadOp,
    StoreOp,
)
from tileir_xdsl.rewriting import replace_op

from .nv_tileaa_values import (
    Scalar,
    bits_of,
    constant_of,
    constant_tile,
    is_false,
    is_true,
    zero_of,
)


class AddUpOffsets(RewritePattern):
    """`addptr (addptr p, a), b` -> `addptr p, a + b`.

    The sum must not wrap: constant offsets whose sum fits their type, or 64-bit offsets.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddPtrOp, rewriter: PatternRewriter, /) -> None:
        inner = op.pointer.owner
        # Offsets of other widths would be extended first, and the narrower sum may wrap.
        if not isinstance(inner, AddPtrOp) or inner.offset.type != op.offset.type:
            return
        total = _constant_sum(inner.offset, op.offset)
        if total is not None:
            offset = constant_tile(total, op.offset.type)
        # A constant added last costs an access nothing.
        elif constant_of(op.offset) is not None:
            return
        # With another user the first addition would stay, and nothing be saved.
        elif element_type(op.offset) == i64 and op.pointer.has_one_use():
            offset = [AddIOp(inner.offset, op.offset)]
        else:
            return
        moved = AddPtrOp(inner.pointer, offset[-1].results[0])
        replace_op(rewriter, op, [*offset, moved])


class SplitConstantOffset(RewritePattern):
    """`addptr p, x + c` -> `addptr (addptr p, x), c`: accesses next to each other share `p + x`.

    The constant may be nested in sums, multiplications by constants, and shape ops.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddPtrOp, rewriter: PatternRewriter, /) -> None:
        # Few kernels have pointers with offsets.
        from .nv_tileaa_offsets import split_offset  # noqa: PLC0415

        if (ops := split_offset(op)) is not None:
            replace_op(rewriter, op, ops)


def _constant_sum(lhs: SSAValue, rhs: SSAValue) -> Scalar | None:
    """The sum of two constants, if it fits their type as signed."""
    terms = [constant_of(lhs), constant_of(rhs)]
    type = element_type(lhs)
    assert isinstance(type, IntegerType)
    limit = 1 << (type.width.data - 1)
    total = 0
    for term in terms:
        if not isinstance(term, IntegerAttr):
            return None
        value = bits_of(term)
        total += value - 2 * limit if value >= limit else value
    return IntegerAttr(total, type) if -limit <= total < limit else None


def _token_before(token: SSAValue | None) -> tuple[list[Operation], SSAValue]:
    """An access's token operand, or else a new token with the op that creates it."""
    if token is not None:
        return [], token
    created = CreateMemTokenOp()
    return [created], created.result


class DropKnownMaskOfLoad(RewritePattern):
    """Removes a load's all-true mask, and replaces a load with all-false mask.

    The masked-off load becomes `other`, or zero if there is no `other`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoadOp, rewriter: PatternRewriter, /) -> None:
        if is_true(op.mask):
            unmasked = LoadOp(
                operands=[op.pointers, None, None, op.token],
                properties=_without_segments(op),
                attributes=op.attributes,
                result_types=op.result_types,
            )
            replace_op(rewriter, op, unmasked)
        # Stronger accesses order others around them even where no element is accessed.
        elif is_false(op.mask) and op.mem_semantic.data == MemSemantic.WEAK:
            values, value = _value_of_nothing(op)
            if value is None:
                return
            tokens, token = _token_before(op.token)
            replace_op(rewriter, op, [*values, *tokens], [value, token])


def _value_of_nothing(op: LoadOp) -> tuple[list[Operation], SSAValue | None]:
    """The result of a load that is masked off, and the ops that create it."""
    if op.other is not None:
        return [], op.other
    zero = zero_of(element_type(op.value))
    if zero is None:
        return [], None
    constants = constant_tile(zero, op.value.type)
    return constants, constants[-1].results[0]


class DropKnownMaskOfStore(RewritePattern):
    """Removes a store's all-true mask, and erases a store with all-false mask."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: StoreOp, rewriter: PatternRewriter, /) -> None:
        if is_true(op.mask):
            unmasked = StoreOp(
                operands=[op.pointers, op.value, None, op.token],
                properties=_without_segments(op),
                attributes=op.attributes,
                result_types=op.result_types,
            )
            replace_op(rewriter, op, unmasked)
        # As for loads: a release orders what is before it even if it writes nothing.
        elif is_false(op.mask) and op.mem_semantic.data == MemSemantic.WEAK:
            tokens, token = _token_before(op.token)
            replace_op(rewriter, op, tokens, [token])


def _without_segments(op: LoadOp | StoreOp) -> dict[str, Attribute]:
    """The properties of an access without `operandSegmentSizes`."""
    return {name: p for name, p in op.properties.items() if name != "operandSegmentSizes"}


LOADABLE = (MemSemantic.RELAXED, MemSemantic.ACQUIRE)
"""The semantics that loads have in common with atomic accesses; a release needs the write."""


class LoadForUselessSwap(RewritePattern):
    """Replaces an `atomic_cas` whose constants are equal by a load."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtomicCASOp, rewriter: PatternRewriter, /) -> None:
        compare, replacement = constant_of(op.compare), constant_of(op.replacement)
        if compare is None or replacement is None or bits_of(compare) != bits_of(replacement):
            return
        # A release orders by its write, which a load has not (PTX ISA, memory consistency model).
        if op.mem_semantic.data in LOADABLE:
            # The result of a masked element is what it was compared with (Tile IR spec, 8.10.1).
            other = None if op.mask is None else op.compare
            replace_op(rewriter, op, _atomic_load(op, other))


def _all_ones(width: int) -> int:
    return (1 << width) - 1


def _neutral_bits(mode: RMWMode, width: int) -> int | None:
    """The bits of the neutral operand of an integer `atomic_rmw`; None if the mode has none."""
    match mode:
        # Per mode, the operand `n` with `x op n == x` for all x of the width.
        case RMWMode.ADD | RMWMode.OR | RMWMode.XOR | RMWMode.UMAX:
            return 0
        case RMWMode.AND | RMWMode.UMIN:
            return _all_ones(width)
        case RMWMode.MAX:
            return 1 << (width - 1)
        case RMWMode.MIN:
            return _all_ones(width - 1)
        case _:
            return None


class LoadForUselessModification(RewritePattern):
    """Replaces an `atomic_rmw` by a constant neutral operand by a load.

    Exchanges have no neutral operand, and float additions may flush subnormals.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtomicRMWOp, rewriter: PatternRewriter, /) -> None:
        operand, element = constant_of(op.value), element_type(op.value)
        if operand is None or not isinstance(element, IntegerType):
            return
        neutral = _neutral_bits(op.rmw_mode.data, element.width.data)
        if bits_of(operand) == neutral and op.mem_semantic.data in LOADABLE:
            replace_op(rewriter, op, _atomic_load(op, None))


def _atomic_load(op: AtomicCASOp | AtomicRMWOp, other: SSAValue | None) -> LoadOp:
    """A load with the memory order, mask and token of an atomic op."""
    return LoadOp(
        operands=[op.pointers, op.mask, other, op.token],
        properties={"mem_semantic": op.mem_semantic, "mem_scope": op.mem_scope},
        attributes=op.attributes,
        result_types=op.result_types,
    )


class JoinFewTokens(RewritePattern):
    """Replaces a join of one token by the token, and a join without tokens by a new token."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: JoinMemTokenOp, rewriter: PatternRewriter, /) -> None:
        # In the order of the operands, so that the printed IR does not depend on hashes.
        tokens = list(dict.fromkeys(op.tokens))
        if not tokens:
            replace_op(rewriter, op, CreateMemTokenOp())
        elif len(tokens) == 1:
            replace_op(rewriter, op, (), tokens)
        elif len(tokens) < len(op.tokens):
            replace_op(rewriter, op, JoinMemTokenOp(tokens))


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    AddPtrOp: (AddUpOffsets(), SplitConstantOffset()),
    AtomicCASOp: (LoadForUselessSwap(),),
    AtomicRMWOp: (LoadForUselessModification(),),
    JoinMemTokenOp: (JoinFewTokens(),),
    LoadOp: (DropKnownMaskOfLoad(),),
    StoreOp: (DropKnownMaskOfStore(),),
}
