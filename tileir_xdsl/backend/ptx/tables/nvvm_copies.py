"""The `nvvm` ops that copy asynchronously: `cp.async`, bulk copies, tensor copies, prefetches."""

from xdsl.ir import Operation

from tileir_xdsl.backend.ptx.forms import form
from tileir_xdsl.backend.ptx.selection import Rule
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

_OfBlocks = CpAsyncBulkGlobalToSharedClusterOp | CpAsyncBulkTensorGlobalToSharedClusterOp


def _own(op: CpAsyncMBarrierArriveOp) -> str:
    return ".shared::cta" if space_of(op.addr) == 3 else ""


def _destination(op: _OfBlocks) -> str:
    return "shared::cluster" if is_cluster_pointer(op.dstMem) else "shared::cta"


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


_Loads = CpAsyncBulkTensorGlobalToSharedClusterOp | CpAsyncBulkTensorPrefetchOp
_Stores = CpAsyncBulkTensorSharedCTAToGlobalOp | CpAsyncBulkTensorReduceOp


def _rank(op: _Loads | _Stores) -> str:
    """Gathers and scatters of rows name a column and four rows of a 2-D tensor."""
    is_rows = op.mode.data in (TMALoadMode.TILE_GATHER4, TMAStoreMode.TILE_SCATTER4)
    return "2d" if is_rows else f"{len(op.coordinates)}d"


def _load_mode(op: _Loads) -> str:
    return _LOAD_MODES[op.mode.data]


def _store_mode(op: _Stores) -> str:
    return _STORE_MODES[op.mode.data]


def _group(op: CpAsyncBulkTensorGlobalToSharedClusterOp) -> str:
    return "" if op.group is None else _GROUPS[op.group.data]


_PREFETCH_SPACES = {0: "", 1: ".global", 5: ".local"}


def _prefetched(op: PrefetchOp) -> str:
    """The level of the cache, or that it is a tensor map."""
    if op.cacheLevel is None:
        return ".tensormap"
    return f"{_PREFETCH_SPACES[space_of(op.addr)]}.{op.cacheLevel.data}"


_HINT = "{.L2::cache_hint?l2CacheHint}"
_MULTICAST = "{.multicast::cluster?multicastMask}"

RULES: dict[type[Operation], Rule] = {
    CpAsyncOp: form("cp.async.<modifier>.shared.global  [dst], [src], size{, cpSize}"),
    CpAsyncCommitGroupOp: form("cp.async.commit_group"),
    CpAsyncWaitGroupOp: form("cp.async.wait_group  n"),
    CpAsyncMBarrierArriveOp: form(
        "cp.async.mbarrier.arrive{.noinc}<space>.b64  [addr]", space=_own
    ),
    CpAsyncBulkCommitGroupOp: form("cp.async.bulk.commit_group"),
    CpAsyncBulkWaitGroupOp: form("cp.async.bulk.wait_group{.read}  group"),
    CpAsyncBulkGlobalToSharedClusterOp: form(
        f"cp.async.bulk.<destination>.global.mbarrier::complete_tx::bytes{_MULTICAST}{_HINT}"
        "  [dstMem], [srcMem], size, [mbar]{, multicastMask}{, l2CacheHint}",
        destination=_destination,
    ),
    CpAsyncBulkSharedCTAToGlobalOp: form(
        f"cp.async.bulk.global.shared::cta.bulk_group{_HINT}{{.cp_mask?byteMask}}"
        "  [dstMem], [srcMem], size{, l2CacheHint}{, byteMask}"
    ),
    CpAsyncBulkSharedCTAToSharedClusterOp: form(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        "  [dstMem], [srcMem], size, [mbar]"
    ),
    CpAsyncBulkTensorGlobalToSharedClusterOp: form(
        "@predicate cp.async.bulk.tensor.<rank>.<destination>.global<mode>"
        f".mbarrier::complete_tx::bytes{_MULTICAST}<group>{_HINT}"
        "  [dstMem], [tmaDescriptor, {coordinates}], [mbar]{, {im2colOffsets}}"
        "{, multicastMask}{, l2CacheHint}",
        rank=_rank,
        destination=_destination,
        mode=_load_mode,
        group=_group,
    ),
    CpAsyncBulkTensorSharedCTAToGlobalOp: form(
        f"@predicate cp.async.bulk.tensor.<rank>.global.shared::cta<mode>.bulk_group{_HINT}"
        "  [tmaDescriptor, {coordinates}], [srcMem]{, l2CacheHint}",
        rank=_rank,
        mode=_store_mode,
    ),
    CpAsyncBulkTensorReduceOp: form(
        "cp.reduce.async.bulk.tensor.<rank>.global.shared::cta.<redKind><mode>.bulk_group"
        f"{_HINT}  [tmaDescriptor, {{coordinates}}], [srcMem]{{, l2CacheHint}}",
        rank=_rank,
        mode=_store_mode,
    ),
    CpAsyncBulkTensorPrefetchOp: form(
        f"cp.async.bulk.prefetch.tensor.<rank>.L2.global<mode>{_HINT}"
        "  [tmaDescriptor, {coordinates}]{, {im2colOffsets}}{, l2CacheHint}",
        rank=_rank,
        mode=_load_mode,
    ),
    PrefetchOp: form("@predicate prefetch<what>  [addr]", what=_prefetched),
}
