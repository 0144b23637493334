"""Families of instructions whose operands are more than registers: memory, warps, barriers, matrices.

A family has the forms of the emulator, and says of what kind each operand of theirs is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.ptx_grammar import operands as ops
from tests.ptx_grammar.operands import Context, Maker
from tileir_xdsl.emulator.instructions import (
    asynchronous,
    atomics,
    bulk_copy,
    byte_matrix,
    cluster,
    cluster_launch,
    control,
    data_movement,
    matrix,
    mbarrier,
    scaled_matrix,
    sparse_matrix,
    tcgen05_mma,
    tcgen05_scaled_mma,
    tensor_memory,
    tensor_work,
    warp,
    warpgroup,
)
from tileir_xdsl.emulator.instructions.form import Form


@dataclass(frozen=True)
class Family:
    """Forms of one target; `operands` makes those of a name, of one opcode where it says so."""

    forms: tuple[Form, ...]
    operands: Mapping[str, Maker]
    target: str = "sm_100a"


_JUMPS = ("bra", "brx", "exit", "ret", "trap")
_SHARED, _NAMED = ops.address("shared"), ops.address()
_TENSOR = ops.address("tensor")
_MASK = ops.word_or(-1, 1, 65535)
_BYTES = ops.word_or(16, 64, 128, 8)


def _selector(c: Context) -> str:
    """The byte and the thread that scales come from."""
    return f"{{{c.number(0, 1, 2, 3)}, {c.number(0, 1)}}}"


_MMA: Mapping[str, Maker] = {
    **{role: ops.fragment(role) for role in "dabc"},
    "metadata": ops.word,
    "selector": ops.constant(0, 1, 2, 3),
    "a_scales": ops.word,
    "b_scales": ops.word,
    "a_select": _selector,
    "b_select": _selector,
}


def _state(c: Context) -> str:
    """The state of a barrier object, which those of other blocks do not have."""
    drops = c.has("shared::cluster") or c.random.random() < 0.2
    return "_" if drops else ops.long(c)


FAMILIES: Mapping[str, Family] = {
    "memory": Family(
        data_movement.FORMS,
        {
            "d": ops.value,
            "b": ops.value,
            "a": ops.address(),
            "mov.a": ops.value,
            "cvta.a": ops.either(ops.long, ops.long, ops.word),
            "isspacep.a": ops.long,
            "createpolicy.cvt.a": ops.long,
            "st.bulk.size": ops.either(ops.long, ops.constant(8, 16, 64)),
            "p": ops.predicate,
            "policy": ops.long,
            "size": ops.constant(128, 128, 64),
            "value": ops.constant(0, 0, 1),
            "fraction": lambda c: c.random.choice(("1.0", "0.5", "0f3F000000", "2")),
            "primary_size": ops.word_or(128, 4096),
            "total_size": ops.word_or(4096, 8192),
        },
    ),
    "atomics": Family(
        atomics.FORMS,
        {
            **dict.fromkeys("dbc", ops.value),
            "a": ops.address(),
            "policy": ops.long,
        },
    ),
    "warps": Family(
        warp.FORMS,
        {
            "d": ops.value,
            "a": ops.value,
            "vote.a": ops.predicate,
            "shfl.d": ops.paired(ops.word),
            "match.d": ops.paired(ops.word),
            "elect.d": ops.paired(ops.word, always=True),
            "b": ops.word_or(0, 1, 31),
            "c": ops.word_or(31, 0, 7199),
            "mask": _MASK,
        },
    ),
    "barriers": Family(
        tuple(form for form in control.FORMS if form.opcode not in _JUMPS),
        {
            "a": ops.word_or(0, 1, 15),
            "b": ops.word_or(32, 64, 33),
            "c": ops.predicate,
            "d": ops.value,
            "t": ops.word_or(0, 20),
            "count": ops.constant(24, 40, 240),
            "pmevent.a": ops.constant(0, 7),
        },
    ),
    "clusters": Family(
        (*cluster.FORMS, *cluster_launch.FORMS),
        {
            "d": ops.value,
            "getctarank.d": ops.word,
            "a": ops.value,
            "b": ops.value,
            "mapa.b": ops.word_or(0, 1),
            "st.a": _SHARED,
            "red.a": _SHARED,
            "barrier": _SHARED,
            "answer": _SHARED,
            "clusterlaunchcontrol.a": lambda c: ops.register(c, "b128"),
            "clusterlaunchcontrol.d": ops.either(ops.word, ops.predicate),
        },
    ),
    "mbarriers": Family(
        mbarrier.FORMS,
        {
            "a": _NAMED,
            "count": ops.word_or(1, 32),
            "d": _state,
            "mbarrier.pending_count.d": ops.word,
            "p": ops.predicate,
            "phase": lambda c: (ops.word_or(0, 1) if c.has("parity") else ops.long)(c),
            "limit": ops.word_or(0, 1000),
            "state": ops.long,
        },
    ),
    "copies": Family(
        (*asynchronous.FORMS, *bulk_copy.FORMS),
        {
            "target": _NAMED,
            "source": ops.address(of=1),
            "size": ops.either(_BYTES, ops.constant(16, 16, 4, 8, 128)),
            "limit": ops.either(ops.word_or(0, 4, 16), ops.predicate),
            "barrier": _SHARED,
            "ctas": ops.half,
            "policy": ops.long,
            "tile": _SHARED,
            "tensor": ops.tensor,
            "offsets": ops.pixel_offsets,
            "count": ops.constant(0, 1, 7),
            "a": _NAMED,
            "ordinal": ops.constant(0, 1, 4),
            "value": ops.either(ops.value, ops.value, ops.constant(0, 1, 3)),
        },
    ),
    "matrices": Family(
        (*matrix.FORMS, *byte_matrix.FORMS),
        {
            **_MMA,
            "movmatrix.d": ops.word,
            "movmatrix.a": ops.word,
            "r": ops.matrices,
            "p": _NAMED,
        },
    ),
    "sparse and scaled matrices": Family(
        (*sparse_matrix.FORMS, *scaled_matrix.FORMS), _MMA, "sm_120a"
    ),
    "warpgroups": Family(
        warpgroup.FORMS,
        {
            "d": ops.warpgroup_result,
            "a": ops.warpgroup_operand,
            "b": ops.long,
            "metadata": ops.word,
            "selector": ops.constant(0, 1),
            "scale": ops.either(ops.predicate, ops.constant(0, 1)),
            "negate_a": ops.constant(1, -1),
            "negate_b": ops.constant(1, -1),
            "transpose_a": ops.constant(0, 1),
            "transpose_b": ops.constant(0, 1),
            "count": ops.constant(0, 1, 7),
        },
        "sm_90a",
    ),
    "tensor memory": Family(
        (
            *tensor_memory.FORMS,
            *tcgen05_mma.FORMS,
            *tcgen05_scaled_mma.FORMS,
            *tensor_work.FORMS,
        ),
        {
            "r": ops.tensor_words,
            "a": _TENSOR,
            "tcgen05.alloc.a": _SHARED,
            "tcgen05.commit.a": ops.either(ops.long, _SHARED),
            "tcgen05.dealloc.a": ops.word,
            "tcgen05.mma.a": ops.either(_TENSOR, ops.long),
            "count": ops.word_or(32, 64, 512),
            "split": ops.constant(0, 16),
            "d": _TENSOR,
            "b": ops.long,
            "source": ops.long,
            "descriptor": ops.word,
            "metadata": _TENSOR,
            "a_scales": _TENSOR,
            "b_scales": _TENSOR,
            "adds": ops.predicate,
            "mask": ops.long,
            "x": ops.predicate,
            "y": ops.constant(0, 1, 15),
            "z": ops.constant(0, 1, 15),
            "ctas": ops.half,
        },
    ),
}
