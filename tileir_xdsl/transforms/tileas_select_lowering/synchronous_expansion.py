"""Expands asynchronous ops without hardware support into their synchronous counterparts.

    %v = nv_tileas.async.extract_slice %w[0][32][1] : !async.value<T> to !async.value<S>
    ->
    %t = nv_tileas.async.future_wait %w : !async.value<T> -> T
    %s = nv_tileas.extract_slice %t[0][32][1] : T to S
    %v = nv_tileas.async.to_async %s : S -> !async.value<S>

No instruction executes such ops asynchronously, so that each completes where it is issued, before
any wait. A `wgmma` becomes a dot with the atom of its types, and `create_none` with a value becomes
poison.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.rewriting import OpDispatch, Walker, replace_op
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.transforms.convert_tileaa_to_tileas.dots import accumulator_name, input_name

PIPELINE_TOKENS = (nv_tileas.PipelineConsumerTokenType, nv_tileas.PipelineProducerTokenType)

Expansion = Callable[[Any, PatternRewriter], None]
"""Replaces an op by its expansion."""


def _sibling(
    op: Operation,
    kind: type[Operation],
    operands: list[SSAValue],
    result_types: list[Attribute],
) -> Operation:
    """The synchronous counterpart of an asynchronous op, with its properties."""
    return kind.create(operands=operands, result_types=result_types, properties=dict(op.properties))


def _payload(type: Attribute) -> Attribute:
    assert isinstance(type, ValueType)
    return type.payload


def _expand_slice(
    op: nv_tileas.AsyncExtractSliceOp | nv_tileas.AsyncInsertSliceOp, rewriter: PatternRewriter
) -> None:
    """Expands a slice: waits for operands in flight first."""
    kind = (
        nv_tileas.ExtractSliceOp
        if isinstance(op, nv_tileas.AsyncExtractSliceOp)
        else nv_tileas.InsertSliceOp
    )
    waits: list[nv_tileas.FutureWaitOp] = []
    operands: list[SSAValue] = []
    for operand in op.operands:
        if isinstance(operand.type, ValueType):
            waits.append(nv_tileas.FutureWaitOp(operand))
            operand = waits[-1].result
        operands.append(operand)
    done = _sibling(op, kind, operands, [_payload(op.result.type)])
    replace_op(rewriter, op, [*waits, done, nv_tileas.ToAsyncOp(done.results[0])])


def _expand_store(op: nv_tileas.AsyncStoreOp, rewriter: PatternRewriter) -> None:
    """Expands a store; the async token completes with the memory token."""
    done = _sibling(op, nv_tileas.StoreOp, list(op.operands), [MemTokenType()])
    replace_op(rewriter, op, [done, nv_tileas.TokenToAsyncOp(done.results[0])])


def _expand_modification(op: nv_tileas.AsyncTiledAtomicRMWOp, rewriter: PatternRewriter) -> None:
    """Expands an atomic reduction: waits use the memory token, other users the value."""
    types = [_payload(op.result.type), MemTokenType()]
    done = _sibling(op, nv_tileas.TiledAtomicRMWOp, list(op.operands), types)
    completion = nv_tileas.TokenToAsyncOp(done.results[1])
    for use in tuple(op.result.uses):
        # A wait is for the effect on memory, which the token stands for.
        if isinstance(use.operation, nv_tileas.WaitOp):
            use.operation.operands[use.index] = completion.result
    value = nv_tileas.ToAsyncOp(done.results[0])
    replace_op(rewriter, op, [done, completion, value])


def _expand_copy(op: nv_tileas.AsyncCopyOp, rewriter: PatternRewriter) -> None:
    """Expands a copy to the tile, or to a completed token if the result is a token."""
    if isinstance(op.result.type, ValueType):
        done = _sibling(op, nv_tileas.CopyOp, list(op.operands), [op.result.type.payload])
        replace_op(rewriter, op, [done, nv_tileas.ToAsyncOp(done.results[0])])
        return
    assert op.destination is not None
    done = _sibling(op, nv_tileas.CopyOp, list(op.operands), [op.destination.type])
    replace_op(rewriter, op, [done, *_nothing_to_do()])


def _nothing_to_do() -> list[Operation]:
    """The ops for an async token that is already complete."""
    token = nv_tileaa.CreateMemTokenOp()
    return [token, nv_tileas.TokenToAsyncOp(token.result)]


def _expand_none(op: nv_tileas.CreateNoneOp, rewriter: PatternRewriter) -> None:
    """Expands `create_none` to a completed token, a null token, or a poison value."""
    type = op.result.type
    if isinstance(type, nv_tileas.AsyncTokenType):
        replace_op(rewriter, op, _nothing_to_do())
    # Releasing no stage is a token of its own, and no poison: it is read.
    elif isinstance(type, PIPELINE_TOKENS):
        replace_op(rewriter, op, nv_tileas.CreateNullTokenOp(type))
    elif isinstance(type, ValueType):
        poison = ub.PoisonOp(type.payload)
        replace_op(rewriter, op, [poison, nv_tileas.ToAsyncOp(poison.result)])
    else:
        replace_op(rewriter, op, ub.PoisonOp(type))


def _expand_wgmma(op: nv_tileas.WgmmaOp, rewriter: PatternRewriter) -> None:
    """Expands `wgmma` to a dot; 32-bit floats are read as tf32."""
    wanted = (
        # `wgmma` has no f32 operands: 32 bits are tf32 (PTX ISA, "wgmma.mma_async").
        input_name(element_type(op.a), op.signedness_a, "tf32"),
        input_name(element_type(op.b), op.signedness_b, "tf32"),
        accumulator_name(element_type(op.c)),
    )
    names = [
        atom.name
        for atom in MMA_ATOMS.values()
        if atom.kind is MMAKind.WARPGROUP and (atom.a, atom.b, atom.accumulator) == wanted
    ]
    # The op names no atom; its types must be those of one.
    if not names:
        a, b, c = wanted
        fail(op, f"'{op.name}' op has no instruction for A of {a}, B of {b} and C of {c}")
    properties = {**op.properties, "atom": nv_tileas.AtomAttr(names[0])}
    mma = nv_tileas.DotOp.create(
        operands=list(op.operands), result_types=[op.result.type], properties=properties
    )
    replace_op(rewriter, op, mma)


EXPANSIONS: Mapping[type[Operation], Expansion] = {
    nv_tileas.AsyncCopyOp: _expand_copy,
    nv_tileas.AsyncExtractSliceOp: _expand_slice,
    nv_tileas.AsyncInsertSliceOp: _expand_slice,
    nv_tileas.AsyncStoreOp: _expand_store,
    nv_tileas.AsyncTiledAtomicRMWOp: _expand_modification,
    nv_tileas.CreateNoneOp: _expand_none,
    nv_tileas.WgmmaOp: _expand_wgmma,
}
"""The expansion of each op type."""


@dataclass(frozen=True)
class Expand(RewritePattern):
    """Replaces ops of one type."""

    expansion: Expansion

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.expansion(op, rewriter)


def expand(module: ModuleOp) -> None:
    """Expands all asynchronous ops without hardware support in a module."""
    table = {op: Expand(expansion) for op, expansion in EXPANSIONS.items()}
    Walker(OpDispatch(table), apply_recursively=False).rewrite_module(module)
