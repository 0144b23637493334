"""Asynchronous copies of rows and ranges; they are done as late as their waits allow."""

from collections.abc import Iterator, Mapping

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import (
    HINT,
    Loaded,
    Stored,
    Value,
    arrive,
    arrive_in_both,
    no_value,
)
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_bulk_copy import REDUCTIONS

_ROWS: Array = np.random.default_rng(4).integers(0, 256, (32, 16)).astype(np.uint8)
_ROW = "vector<4xi32>"
_RESULT = {"d": Stored(_ROW, np.zeros_like(_ROWS))}
_LOAD_ROW = f"%d = llvm.load %row : !llvm.ptr<3> -> {_ROW}"
_SOURCE = (
    "%source = llvm.getelementptr %g[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, "
    "!llvm.array<16 x i8>\n"
)
_POINTERS = "!llvm.ptr<3>, !llvm.ptr<1>"


def _of_rows(ops: str, expected: Array = _ROWS) -> Value:
    return Value(ops, lambda _: {"d": expected}, stores=_RESULT, memory={"g": _ROWS}, late=True)


def _at(pointer: str, offset: int, name: str) -> str:
    space = 1 if pointer in ("source", "g", "out") else 3
    return (
        f"%{name} = llvm.getelementptr %{pointer}[{offset}] "
        f": (!llvm.ptr<{space}>) -> !llvm.ptr<{space}>, i8\n"
    )


def _threads() -> dict[str, Value]:
    """Copies of 4, 8 and 16 bytes by each thread, all of them or their first ones."""
    commit = "nvvm.cp.async.commit.group\n"
    wait = f"nvvm.cp.async.wait.group 0\n{_LOAD_ROW}"
    through_l2 = (
        f"{_SOURCE}nvvm.cp.async.shared.global %row, %source, 16, cache = cg : {_POINTERS}\n"
    )
    some = _ROWS.copy()
    some[:, 10:] = 0
    pieces = _SOURCE
    for offset, size, count in ((0, 4, 4), (4, 4, 4), (8, 8, 2)):
        pieces += _at("source", offset, f"from{offset}") + _at("row", offset, f"to{offset}")
        taken = "" if count == size else f", %c{count}_i32"
        pieces += (
            f"nvvm.cp.async.shared.global %to{offset}, %from{offset}, {size}, cache = ca{taken} "
            f": {_POINTERS}{', i32' if taken else ''}\n"
        )
    # The newest two groups may be pending, the oldest one is in its place.
    groups = _SOURCE
    for index in range(3):
        groups += _at("row", 512 * index, f"to{index}")
        groups += (
            f"nvvm.cp.async.shared.global %to{index}, %source, 16, cache = cg : {_POINTERS}\n"
            "nvvm.cp.async.commit.group\n"
        )
    object_ = f"""nvvm.mbarrier.init %object, %c32_i32, predicate = %first : !llvm.ptr<3>, i32, i1
nvvm.barrier
{through_l2}nvvm.cp.async.mbarrier.arrive %object {{noinc = true}} : !llvm.ptr<3>
llvm.br ^again
^again:
%done = nvvm.mbarrier.test.wait %object, %c0_i32 : !llvm.ptr<3>, i32 -> i1
llvm.cond_br %done, ^end, ^again
^end:
{_LOAD_ROW}"""
    return {
        "cp.async.cg.shared.global": _of_rows(through_l2 + commit + wait),
        "cp.async.ca.shared.global": _of_rows(pieces + commit + wait, some),
        "cp.async.commit_group;": _of_rows(through_l2 + commit + wait),
        "cp.async.wait_group 2;": _of_rows(f"{groups}nvvm.cp.async.wait.group 2\n{_LOAD_ROW}"),
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64": _of_rows(object_),
    }


_BYTES = _ROWS.size
_PUT = f"""llvm.store %rows, %row : {_ROW}, !llvm.ptr<3>
nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
nvvm.bar.warp.sync %all : i32
"""
_STORE = "nvvm.cp.async.bulk.global.shared.cta %{}, %{}, %c{}_i32 : !llvm.ptr<1>, !llvm.ptr<3>\n"
_COMMIT = "nvvm.cp.async.bulk.commit.group\n"


def by_one(ops: str) -> str:
    """What only the first thread does."""
    return f"llvm.cond_br %first, ^one, ^all\n^one:\n{ops}llvm.br ^all\n^all:"


def _of_stores(ops: str) -> Value:
    """Rows that threads put into shared memory, and bulk copies take to global memory."""
    return Value(
        _PUT + by_one(ops),
        lambda _: {"out": _ROWS},
        loads={"rows": Loaded(_ROW, _ROWS)},
        memory={"out": np.zeros_like(_ROWS)},
        late=True,
    )


def _overwrite(offset: int) -> str:
    """Shared memory that has been read may be used again."""
    zero = "%zero = llvm.mlir.constant(0 : i64) : i64\n"
    return f"{_at('smem', offset, 'over')}{zero}llvm.store %zero, %over : i64, !llvm.ptr<3>\n"


def _ranges() -> dict[str, Value]:
    whole = _STORE.format("out", "smem", _BYTES)
    half = _BYTES // 2
    halves = _STORE.format("out", "smem", half) + _COMMIT
    halves += _at("smem", half, "behind") + _at("out", half, "out_behind")
    halves += _STORE.format("out_behind", "behind", half) + _COMMIT
    wait = "nvvm.cp.async.bulk.wait_group "
    load = "nvvm.cp.async.bulk.shared.cluster.global"
    # Within shared memory of the block: from the rows to the place behind them.
    inside = _at("smem", _BYTES, "behind")
    inside += "%behind7 = llvm.addrspacecast %behind : !llvm.ptr<3> to !llvm.ptr<7>\n"
    inside += (
        f"nvvm.cp.async.bulk.shared.cluster.shared.cta %behind7, %smem, %object, %c{_BYTES}_i32 "
        ": !llvm.ptr<7>, !llvm.ptr<3>"
    )
    moved = f"{_at('row', _BYTES, 'copied')}%d = llvm.load %copied : !llvm.ptr<3> -> {_ROW}"
    to_block, to_cluster = (
        _of_rows(
            arrive(
                f"{load} %{target}, %g, %object, %c{_BYTES}_i32 : !llvm.ptr<{space}>, !llvm.ptr<1>",
                _BYTES,
            )
            + _LOAD_ROW
        )
        for target, space in (("smem", 3), ("smem7", 7))
    )
    copied = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    copy = f"{HINT}{load} %smem7, %g, %object, %c{_BYTES}_i32 {{}} : !llvm.ptr<7>, !llvm.ptr<1>"
    hint, mask = "l2_cache_hint = %hint", "multicast_mask = %both"
    return {
        copied: to_cluster,
        f"{copied}.L2::cache_hint": _of_rows(arrive(copy.format(hint), _BYTES) + _LOAD_ROW),
        f"{copied}.multicast::cluster": _of_both(copy.format(mask)),
        f"{copied}.multicast::cluster.L2::cache_hint": _of_both(copy.format(f"{mask} {hint}")),
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes": to_block,
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes": Value(
            _PUT + arrive(inside, _BYTES) + moved,
            lambda _: {"d": _ROWS},
            loads={"rows": Loaded(_ROW, _ROWS)},
            stores=_RESULT,
            late=True,
        ),
        "cp.async.bulk.global.shared::cta.bulk_group": _of_stores(whole + _COMMIT + f"{wait}0\n"),
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint": _of_stores(
            f"{HINT}{whole.replace(' :', ' l2_cache_hint = %hint :')}{_COMMIT}{wait}0\n"
        ),
        "cp.async.bulk.commit_group;": _of_stores(whole + _COMMIT + f"{wait}0\n"),
        "cp.async.bulk.wait_group 1;": _of_stores(halves + f"{wait}1\n{_overwrite(0)}{wait}0\n"),
        "cp.async.bulk.wait_group.read 0;": _of_stores(
            whole + _COMMIT + f"{wait}0 {{read}}\n{_overwrite(_BYTES - 16)}"
        ),
    }


def _of_both(copy: str) -> Value:
    """Rows for each of two blocks, brought by one."""
    return Value(
        arrive_in_both(copy, _BYTES) + _LOAD_ROW,
        lambda _: {"d": np.concatenate([_ROWS, _ROWS])},
        stores={"d": Stored(_ROW, np.zeros((64, 16), np.uint8))},
        memory={"g": _ROWS},
        blocks=2,
        cluster=2,
        late=True,
    )


def _reductions() -> Iterator[tuple[str, Value]]:
    """Ranges in shared memory that are combined with ranges in global memory."""
    for operation, type_, update, dtype in REDUCTIONS:
        rng = np.random.default_rng(len(operation + type_))
        count = _BYTES // dtype.itemsize
        old, new = (rng.integers(0, 100, count).astype(dtype) for _ in range(2))
        noftz = ".noftz" if type_ in ("f16", "bf16") and operation == "add" else ""
        opcode = f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}{noftz}.{type_}"
        reduce = (
            f'nvvm.inline_ptx "{opcode} [{{$r0}}], [{{$r1}}], {_BYTES};" '
            "ro(%out, %smem : !llvm.ptr<1>, !llvm.ptr<3>)\n"
            f"{_COMMIT}nvvm.cp.async.bulk.wait_group 0\n"
        )
        expected = update(old, new).astype(dtype)
        yield (
            opcode,
            Value(
                _PUT + by_one(reduce),
                lambda _, expected=expected: {"out": expected},
                loads={"rows": Loaded(_ROW, new.reshape(32, -1))},
                memory={"out": old},
                late=True,
            ),
        )


VALUES: Mapping[str, Value] = {
    **_threads(),
    **_ranges(),
    **dict(_reductions()),
    "cp.async.bulk.prefetch.L2.global": no_value(
        f'nvvm.inline_ptx "cp.async.bulk.prefetch.L2.global [{{$r0}}], {_BYTES};" '
        "ro(%g : !llvm.ptr<1>)",
        memory={"g": _ROWS},
    ),
    **{
        f"prefetch.global.L{level}": no_value(
            f"nvvm.prefetch level = L{level}, %g : !llvm.ptr<1>", memory={"g": _ROWS}
        )
        for level in (1, 2)
    },
}
