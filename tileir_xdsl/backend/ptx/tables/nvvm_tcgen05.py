"""The `nvvm` ops on tensor memory."""

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.backend.ptx.forms import form
from tileir_xdsl.backend.ptx.selection import Rule
from tileir_xdsl.dialects.nvvm.attributes import (
    CTAGroup,
    Tcgen05CopyMulticast,
    Tcgen05Fence,
    Tcgen05Wait,
)
from tileir_xdsl.dialects.nvvm.mma_attributes import Tcgen05BlockScale, Tcgen05Collector
from tileir_xdsl.dialects.nvvm.pointers import space_of
from tileir_xdsl.dialects.nvvm.tcgen05 import (
    REGISTERS_PER_UNIT,
    Tcgen05AllocOp,
    Tcgen05CommitOp,
    Tcgen05CpOp,
    Tcgen05DeallocOp,
    Tcgen05FenceOp,
    Tcgen05LdOp,
    Tcgen05RelinquishAllocPermitOp,
    Tcgen05ShiftOp,
    Tcgen05StOp,
    Tcgen05WaitOp,
)
from tileir_xdsl.dialects.nvvm.tcgen05_mma import (
    Tcgen05MMAOp,
    Tcgen05MMASparseOp,
    Tcgen05MMAWsOp,
    Tcgen05MMAWsSparseOp,
)
from tileir_xdsl.dialects.nvvm.tcgen05_scaled_mma import (
    Tcgen05MMABlockScaleOp,
    Tcgen05MMASparseBlockScaleOp,
)

_GROUPS = {CTAGroup.ONE: "cta_group::1", CTAGroup.TWO: "cta_group::2"}


_OfGroup = (
    Tcgen05AllocOp
    | Tcgen05DeallocOp
    | Tcgen05RelinquishAllocPermitOp
    | Tcgen05CommitOp
    | Tcgen05ShiftOp
    | Tcgen05CpOp
)
_OfCTAs = Tcgen05MMAOp | Tcgen05MMASparseOp | Tcgen05MMABlockScaleOp | Tcgen05MMASparseBlockScaleOp


def _group(op: _OfGroup) -> str:
    return _GROUPS[op.group.data]


def _ctas(op: _OfCTAs) -> str:
    return _GROUPS[op.ctaGroup.data]


def _own(op: Tcgen05AllocOp) -> str:
    return ".shared::cta" if space_of(op.addr) == 3 else ""


def _any_block(op: Tcgen05CommitOp) -> str:
    """The instruction takes shared::cluster addresses, those of the own block included."""
    return ".shared::cluster" if space_of(op.addr) == 3 else ""


_FENCES = {Tcgen05Fence.BEFORE: "before", Tcgen05Fence.AFTER: "after"}


def _fence(op: Tcgen05FenceOp) -> str:
    return _FENCES[op.kind.data]


_WAITS = {Tcgen05Wait.LOAD: "ld", Tcgen05Wait.STORE: "st"}


def _wait(op: Tcgen05WaitOp) -> str:
    return _WAITS[op.kind.data]


_MULTICASTS = {
    Tcgen05CopyMulticast.NONE: "",
    Tcgen05CopyMulticast.WARPX2_02_13: ".warpx2::02_13",
    Tcgen05CopyMulticast.WARPX2_01_23: ".warpx2::01_23",
    Tcgen05CopyMulticast.WARPX4: ".warpx4",
}


def _multicast(op: Tcgen05CpOp) -> str:
    return _MULTICASTS[op.multicast.data]


def _shape(op: Tcgen05CpOp | Tcgen05LdOp | Tcgen05StOp) -> str:
    return op.shape.data.removeprefix("shape_")


def _units(op: Tcgen05LdOp | Tcgen05StOp, type: Attribute) -> str:
    """How often an access repeats its shape."""
    registers = type.get_shape()[0] if isinstance(type, VectorType) else 1
    return str(registers // REGISTERS_PER_UNIT[op.shape.data])


def _loaded_units(op: Tcgen05LdOp) -> str:
    return _units(op, op.results[0].type)


def _stored_units(op: Tcgen05StOp) -> str:
    return _units(op, op.val.type)


def _collector(op: _OfCTAs) -> str:
    use = op.collectorOp.data
    return "" if use is Tcgen05Collector.DISCARD else f".collector::a::{use}"


def _collector_b(op: Tcgen05MMAWsOp | Tcgen05MMAWsSparseOp) -> str:
    use = f"{op.collectorBBuffer.data}::{op.collectorOp.data}"
    return "" if use == "b0::discard" else f".collector::{use}"


def _block_scale(op: Tcgen05MMABlockScaleOp | Tcgen05MMASparseBlockScaleOp) -> str:
    size = op.blockScale.data
    return "" if size is Tcgen05BlockScale.DEFAULT else f".{size}"


_MMA = "<group>.kind::<kind>{.ashift?aShift}<collector>  [matrixD], %[matrixA], %matrixB"
_MMA_END = "%idesc{, {%disableOutputLane}}, %enableInputD{, scaleInputD}"
_WS = "cta_group::1.kind::<kind><collector>  [matrixD], %[matrixA], %matrixB"
_WS_END = "%idesc, %enableInputD{, zeroColMask}"
_SCALED = "<group>.kind::<kind>.block_scale<size><collector>  [matrixD], %[matrixA], %matrixB"
_SCALED_END = "%idesc, [scaleA], [scaleB], %enableInputD"
_METADATA = "[sparseMetadata]"


RULES: dict[type[Operation], Rule] = {
    Tcgen05AllocOp: form(
        "tcgen05.alloc.<group>.sync.aligned<space>.b32  [addr], nCols", group=_group, space=_own
    ),
    Tcgen05DeallocOp: form("tcgen05.dealloc.<group>.sync.aligned.b32  %taddr, nCols", group=_group),
    Tcgen05RelinquishAllocPermitOp: form(
        "tcgen05.relinquish_alloc_permit.<group>.sync.aligned", group=_group
    ),
    Tcgen05FenceOp: form("tcgen05.fence::<kind>_thread_sync", kind=_fence),
    Tcgen05WaitOp: form("tcgen05.wait::<kind>.sync.aligned", kind=_wait),
    Tcgen05CommitOp: form(
        "tcgen05.commit.<group>.mbarrier::arrive::one<space>{.multicast::cluster?multicastMask}.b64"
        "  [addr]{, multicastMask}",
        group=_group,
        space=_any_block,
    ),
    Tcgen05ShiftOp: form("tcgen05.shift.<group>.down  [taddr]", group=_group),
    Tcgen05CpOp: form(
        "tcgen05.cp.<group>.<shape><multicast>  [taddr], smem_desc",
        group=_group,
        shape=_shape,
        multicast=_multicast,
    ),
    Tcgen05LdOp: form(
        "tcgen05.ld.sync.aligned.<shape>.x<units>{.pack::16b?pack}.b32  {d}, [tmemAddr]",
        shape=_shape,
        units=_loaded_units,
    ),
    Tcgen05StOp: form(
        "tcgen05.st.sync.aligned.<shape>.x<units>{.unpack::16b?unpack}.b32  [tmemAddr], {%val}",
        shape=_shape,
        units=_stored_units,
    ),
    Tcgen05MMAOp: form(f"tcgen05.mma.{_MMA}, {_MMA_END}", group=_ctas, collector=_collector),
    Tcgen05MMASparseOp: form(
        f"tcgen05.mma.sp.{_MMA}, {_METADATA}, {_MMA_END}", group=_ctas, collector=_collector
    ),
    Tcgen05MMAWsOp: form(f"tcgen05.mma.ws.{_WS}, {_WS_END}", collector=_collector_b),
    Tcgen05MMAWsSparseOp: form(
        f"tcgen05.mma.ws.sp.{_WS}, {_METADATA}, {_WS_END}", collector=_collector_b
    ),
    Tcgen05MMABlockScaleOp: form(
        f"tcgen05.mma.{_SCALED}, {_SCALED_END}",
        group=_ctas,
        size=_block_scale,
        collector=_collector,
    ),
    Tcgen05MMASparseBlockScaleOp: form(
        f"tcgen05.mma.sp.{_SCALED}, {_METADATA}, {_SCALED_END}",
        group=_ctas,
        size=_block_scale,
        collector=_collector,
    ),
}
