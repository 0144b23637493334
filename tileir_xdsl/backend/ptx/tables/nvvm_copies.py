"""The `nvvm` ops that copy asynchronously: `cp.async`, bulk copies, tensor copies, prefetches."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Group, Guard, TensorAddress
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.attributes import CTAGroup, TMALoadMode, TMAStoreMode
from tileir_xdsl.dialects.nvvm.copies import (
    CpAsyncBulkCommitGroupOp,
    CpAsyncBulkGlobalToSharedClusterOp,
    CpAsyncBulkSharedCTAToGlobalOp,
    CpAsyncBulkSharedCTAToSharedClusterOp,
    CpAsyncBulkWaitGroupOp,
    CpAsyncCommitGroupOp,
    CpAsyncMBarrierArriveOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
    PrefetchOp,
)
from tileir_xdsl.dialects.nvvm.pointers import is_cluster_pointer, space_of
from tileir_xdsl.dialects.nvvm.tensor_copies import (
    CpAsyncBulkTensorGlobalToSharedClusterOp,
    CpAsyncBulkTensorPrefetchOp,
    CpAsyncBulkTensorReduceOp,
    CpAsyncBulkTensorSharedCTAToGlobalOp,
)


def _select_cp_async(selector: Selector, op: CpAsyncOp) -> None:
    size = () if op.cpSize is None else (selector.operand(op.cpSize),)
    selector.emit(
        f"cp.async.{op.modifier.data}.shared.global",
        (),
        selector.address(op.dst),
        selector.address(op.src),
        str(op.size.value.data),
        *size,
    )


def _select_commit(selector: Selector, op: CpAsyncCommitGroupOp) -> None:
    selector.emit("cp.async.commit_group", ())


def _select_wait(selector: Selector, op: CpAsyncWaitGroupOp) -> None:
    selector.emit("cp.async.wait_group", (), str(op.n.value.data))


def _select_mbarrier_arrive(selector: Selector, op: CpAsyncMBarrierArriveOp) -> None:
    noinc = ".noinc" if op.noinc.value.data else ""
    space = ".shared::cta" if space_of(op.addr) == 3 else ""
    selector.emit(f"cp.async.mbarrier.arrive{noinc}{space}.b64", (), selector.address(op.addr))


def _select_bulk_commit(selector: Selector, op: CpAsyncBulkCommitGroupOp) -> None:
    selector.emit("cp.async.bulk.commit_group", ())


def _select_bulk_wait(selector: Selector, op: CpAsyncBulkWaitGroupOp) -> None:
    read = "" if op.read is None else ".read"
    selector.emit(f"cp.async.bulk.wait_group{read}", (), str(op.group.value.data))


def _destination(pointer: SSAValue) -> str:
    return "shared::cluster" if is_cluster_pointer(pointer) else "shared::cta"


def _optional(
    selector: Selector, *named: tuple[str, SSAValue | None]
) -> tuple[str, tuple[int | str, ...]]:
    """The modifiers of the operands that are present, and these operands."""
    present = [(name, value) for name, value in named if value is not None]
    modifiers = "".join(f".{name}" for name, _ in present)
    return modifiers, tuple(selector.operand(value) for _, value in present)


_MULTICAST = "multicast::cluster"
_CACHE_HINT = "L2::cache_hint"


def _select_bulk_load(selector: Selector, op: CpAsyncBulkGlobalToSharedClusterOp) -> None:
    modifiers, extra = _optional(
        selector, (_MULTICAST, op.multicastMask), (_CACHE_HINT, op.l2CacheHint)
    )
    space = _destination(op.dstMem)
    selector.emit(
        f"cp.async.bulk.{space}.global.mbarrier::complete_tx::bytes{modifiers}",
        (),
        selector.address(op.dstMem),
        selector.address(op.srcMem),
        selector.operand(op.size),
        selector.address(op.mbar),
        *extra,
    )


def _select_bulk_store(selector: Selector, op: CpAsyncBulkSharedCTAToGlobalOp) -> None:
    modifiers, extra = _optional(selector, (_CACHE_HINT, op.l2CacheHint), ("cp_mask", op.byteMask))
    selector.emit(
        f"cp.async.bulk.global.shared::cta.bulk_group{modifiers}",
        (),
        selector.address(op.dstMem),
        selector.address(op.srcMem),
        selector.operand(op.size),
        *extra,
    )


def _select_bulk_exchange(selector: Selector, op: CpAsyncBulkSharedCTAToSharedClusterOp) -> None:
    selector.emit(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        (),
        selector.address(op.dstMem),
        selector.address(op.srcMem),
        selector.operand(op.size),
        selector.address(op.mbar),
    )


# Tensor copies.

_LOAD_MODES = {
    TMALoadMode.TILE: "",
    TMALoadMode.IM2COL: ".im2col",
    TMALoadMode.IM2COL_W: ".im2col::w",
    TMALoadMode.IM2COL_W_128: ".im2col::w::128",
    TMALoadMode.TILE_GATHER4: ".tile::gather4",
}
_STORE_MODES = {
    TMAStoreMode.TILE: "",
    TMAStoreMode.IM2COL: ".im2col_no_offs",
    TMAStoreMode.TILE_SCATTER4: ".tile::scatter4",
}
_GROUPS = {CTAGroup.ONE: ".cta_group::1", CTAGroup.TWO: ".cta_group::2"}


def _tensor(
    selector: Selector, descriptor: SSAValue, coordinates: Sequence[SSAValue]
) -> TensorAddress:
    """`[map, {c0, c1}]`."""
    address = selector.address(descriptor)
    return TensorAddress(address, tuple(selector.operand(c) for c in coordinates))


def _rank(coordinates: Sequence[SSAValue], *, is_rows: bool) -> str:
    """Gathers and scatters of rows name a column and four rows of a 2-D tensor."""
    return "2d" if is_rows else f"{len(coordinates)}d"


def _offsets(selector: Selector, offsets: Sequence[SSAValue]) -> tuple[Group, ...]:
    return (Group(tuple(selector.operand(o) for o in offsets)),) if offsets else ()


def _guard(selector: Selector, predicate: SSAValue | None) -> Guard | None:
    return None if predicate is None else Guard(selector.register(predicate))


def _select_tensor_load(selector: Selector, op: CpAsyncBulkTensorGlobalToSharedClusterOp) -> None:
    mode = op.mode.data
    rank = _rank(op.coordinates, is_rows=mode is TMALoadMode.TILE_GATHER4)
    modifiers, extra = _optional(
        selector, (_MULTICAST, op.multicastMask), (_CACHE_HINT, op.l2CacheHint)
    )
    group = "" if op.group is None else _GROUPS[op.group.data]
    multicast, hint = modifiers.partition(f".{_CACHE_HINT}")[:2]
    selector.emit(
        f"cp.async.bulk.tensor.{rank}.{_destination(op.dstMem)}.global{_LOAD_MODES[mode]}"
        f".mbarrier::complete_tx::bytes{multicast}{group}{hint}",
        (),
        selector.address(op.dstMem),
        _tensor(selector, op.tmaDescriptor, op.coordinates),
        selector.address(op.mbar),
        *_offsets(selector, op.im2colOffsets),
        *extra,
        guard=_guard(selector, op.predicate),
    )


def _select_tensor_store(selector: Selector, op: CpAsyncBulkTensorSharedCTAToGlobalOp) -> None:
    mode = op.mode.data
    rank = _rank(op.coordinates, is_rows=mode is TMAStoreMode.TILE_SCATTER4)
    modifiers, extra = _optional(selector, (_CACHE_HINT, op.l2CacheHint))
    selector.emit(
        f"cp.async.bulk.tensor.{rank}.global.shared::cta{_STORE_MODES[mode]}.bulk_group{modifiers}",
        (),
        _tensor(selector, op.tmaDescriptor, op.coordinates),
        selector.address(op.srcMem),
        *extra,
        guard=_guard(selector, op.predicate),
    )


def _select_tensor_reduce(selector: Selector, op: CpAsyncBulkTensorReduceOp) -> None:
    modifiers, extra = _optional(selector, (_CACHE_HINT, op.l2CacheHint))
    kind, mode = op.redKind.data, _STORE_MODES[op.mode.data]
    rank = _rank(op.coordinates, is_rows=False)
    selector.emit(
        f"cp.reduce.async.bulk.tensor.{rank}.global.shared::cta.{kind}{mode}.bulk_group{modifiers}",
        (),
        _tensor(selector, op.tmaDescriptor, op.coordinates),
        selector.address(op.srcMem),
        *extra,
    )


def _select_tensor_prefetch(selector: Selector, op: CpAsyncBulkTensorPrefetchOp) -> None:
    modifiers, extra = _optional(selector, (_CACHE_HINT, op.l2CacheHint))
    mode = op.mode.data
    rank = _rank(op.coordinates, is_rows=mode is TMALoadMode.TILE_GATHER4)
    selector.emit(
        f"cp.async.bulk.prefetch.tensor.{rank}.L2.global{_LOAD_MODES[mode]}{modifiers}",
        (),
        _tensor(selector, op.tmaDescriptor, op.coordinates),
        *_offsets(selector, op.im2colOffsets),
        *extra,
    )


_PREFETCH_SPACES = {0: "", 1: ".global", 5: ".local"}


def _select_prefetch(selector: Selector, op: PrefetchOp) -> None:
    guard, address = _guard(selector, op.predicate), selector.address(op.addr)
    if op.cacheLevel is None:
        selector.emit("prefetch.tensormap", (), address, guard=guard)
    else:
        space = _PREFETCH_SPACES[space_of(op.addr)]
        selector.emit(f"prefetch{space}.{op.cacheLevel.data}", (), address, guard=guard)


RULES: dict[type[Operation], Rule] = {
    CpAsyncOp: Rule(_select_cp_async, has_effects=True),
    CpAsyncCommitGroupOp: Rule(_select_commit, has_effects=True),
    CpAsyncWaitGroupOp: Rule(_select_wait, has_effects=True),
    CpAsyncMBarrierArriveOp: Rule(_select_mbarrier_arrive, has_effects=True),
    CpAsyncBulkCommitGroupOp: Rule(_select_bulk_commit, has_effects=True),
    CpAsyncBulkWaitGroupOp: Rule(_select_bulk_wait, has_effects=True),
    CpAsyncBulkGlobalToSharedClusterOp: Rule(_select_bulk_load, has_effects=True),
    CpAsyncBulkSharedCTAToGlobalOp: Rule(_select_bulk_store, has_effects=True),
    CpAsyncBulkSharedCTAToSharedClusterOp: Rule(_select_bulk_exchange, has_effects=True),
    CpAsyncBulkTensorGlobalToSharedClusterOp: Rule(_select_tensor_load, has_effects=True),
    CpAsyncBulkTensorSharedCTAToGlobalOp: Rule(_select_tensor_store, has_effects=True),
    CpAsyncBulkTensorReduceOp: Rule(_select_tensor_reduce, has_effects=True),
    CpAsyncBulkTensorPrefetchOp: Rule(_select_tensor_prefetch, has_effects=True),
    PrefetchOp: Rule(_select_prefetch, has_effects=True),
}
