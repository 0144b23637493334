"""The `nvvm` ops on tensor memory."""

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Address, Group
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.attributes import (
    CTAGroup,
    CTAGroupAttr,
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


def _group(attribute: CTAGroupAttr) -> str:
    return _GROUPS[attribute.data]


def _select_alloc(selector: Selector, op: Tcgen05AllocOp) -> None:
    space = ".shared::cta" if space_of(op.addr) == 3 else ""
    opcode = f"tcgen05.alloc.{_group(op.group)}.sync.aligned{space}.b32"
    selector.emit(opcode, (), selector.address(op.addr), selector.operand(op.nCols))


def _select_dealloc(selector: Selector, op: Tcgen05DeallocOp) -> None:
    opcode = f"tcgen05.dealloc.{_group(op.group)}.sync.aligned.b32"
    selector.emit(opcode, (), selector.register(op.taddr), selector.operand(op.nCols))


def _select_relinquish(selector: Selector, op: Tcgen05RelinquishAllocPermitOp) -> None:
    selector.emit(f"tcgen05.relinquish_alloc_permit.{_group(op.group)}.sync.aligned", ())


_FENCES = {Tcgen05Fence.BEFORE: "before", Tcgen05Fence.AFTER: "after"}


def _select_fence(selector: Selector, op: Tcgen05FenceOp) -> None:
    selector.emit(f"tcgen05.fence::{_FENCES[op.kind.data]}_thread_sync", ())


_WAITS = {Tcgen05Wait.LOAD: "ld", Tcgen05Wait.STORE: "st"}


def _select_wait(selector: Selector, op: Tcgen05WaitOp) -> None:
    selector.emit(f"tcgen05.wait::{_WAITS[op.kind.data]}.sync.aligned", ())


def _select_commit(selector: Selector, op: Tcgen05CommitOp) -> None:
    # The instruction takes shared::cluster addresses, those of the own block included.
    space = ".shared::cluster" if space_of(op.addr) == 3 else ""
    multicast, mask = "", ()
    if op.multicastMask is not None:
        multicast, mask = ".multicast::cluster", (selector.operand(op.multicastMask),)
    opcode = f"tcgen05.commit.{_group(op.group)}.mbarrier::arrive::one{space}{multicast}.b64"
    selector.emit(opcode, (), selector.address(op.addr), *mask)


def _select_shift(selector: Selector, op: Tcgen05ShiftOp) -> None:
    selector.emit(f"tcgen05.shift.{_group(op.group)}.down", (), selector.address(op.taddr))


_MULTICASTS = {
    Tcgen05CopyMulticast.NONE: "",
    Tcgen05CopyMulticast.WARPX2_02_13: ".warpx2::02_13",
    Tcgen05CopyMulticast.WARPX2_01_23: ".warpx2::01_23",
    Tcgen05CopyMulticast.WARPX4: ".warpx4",
}


def _shape(name: str) -> str:
    return name.removeprefix("shape_")


def _select_copy(selector: Selector, op: Tcgen05CpOp) -> None:
    shape = f"{_shape(op.shape.data)}{_MULTICASTS[op.multicast.data]}"
    opcode = f"tcgen05.cp.{_group(op.group)}.{shape}"
    selector.emit(opcode, (), selector.address(op.taddr), selector.operand(op.smem_desc))


def _access_opcode(name: str, op: Tcgen05LdOp | Tcgen05StOp, registers: int, suffix: str) -> str:
    units = registers // REGISTERS_PER_UNIT[op.shape.data]
    return f"tcgen05.{name}.sync.aligned.{_shape(op.shape.data)}.x{units}{suffix}.b32"


def _select_load(selector: Selector, op: Tcgen05LdOp) -> None:
    results = selector.results(op)
    packing = "" if op.pack is None else ".pack::16b"
    opcode = _access_opcode("ld", op, len(results), packing)
    selector.emit(opcode, (Group(results),), selector.address(op.tmemAddr))


def _select_store(selector: Selector, op: Tcgen05StOp) -> None:
    values = tuple(selector.in_register(c) for c in selector.components(op.val))
    packing = "" if op.unpack is None else ".unpack::16b"
    opcode = _access_opcode("st", op, len(values), packing)
    selector.emit(opcode, (), selector.address(op.tmemAddr), Group(values))


def _select_mma(selector: Selector, op: Tcgen05MMAOp | Tcgen05MMASparseOp) -> None:
    sparse = isinstance(op, Tcgen05MMASparseOp)
    collector = op.collectorOp.data
    suffix = "" if op.aShift is None else ".ashift"
    suffix += "" if collector is Tcgen05Collector.DISCARD else f".collector::a::{collector}"
    mask = ()
    if op.disableOutputLane is not None:
        components = selector.components(op.disableOutputLane)
        mask = (Group(tuple(selector.in_register(c) for c in components)),)
    scale = () if op.scaleInputD is None else (selector.operand(op.scaleInputD),)
    selector.emit(
        f"tcgen05.mma{'.sp' * sparse}.{_group(op.ctaGroup)}.kind::{op.kind.data}{suffix}",
        (),
        selector.address(op.matrixD),
        _operand_a(selector, op.matrixA),
        selector.register(op.matrixB),
        *((selector.address(op.sparseMetadata),) if sparse else ()),
        selector.register(op.idesc),
        *mask,
        selector.register(op.enableInputD),
        *scale,
    )


def _select_stationary(selector: Selector, op: Tcgen05MMAWsOp | Tcgen05MMAWsSparseOp) -> None:
    sparse = isinstance(op, Tcgen05MMAWsSparseOp)
    use = f"{op.collectorBBuffer.data}::{op.collectorOp.data}"
    suffix = "" if use == "b0::discard" else f".collector::{use}"
    mask = () if op.zeroColMask is None else (selector.operand(op.zeroColMask),)
    selector.emit(
        f"tcgen05.mma.ws{'.sp' * sparse}.cta_group::1.kind::{op.kind.data}{suffix}",
        (),
        selector.address(op.matrixD),
        _operand_a(selector, op.matrixA),
        selector.register(op.matrixB),
        *((selector.address(op.sparseMetadata),) if sparse else ()),
        selector.register(op.idesc),
        selector.register(op.enableInputD),
        *mask,
    )


def _select_scaled(
    selector: Selector, op: Tcgen05MMABlockScaleOp | Tcgen05MMASparseBlockScaleOp
) -> None:
    sparse = isinstance(op, Tcgen05MMASparseBlockScaleOp)
    size, collector = op.blockScale.data, op.collectorOp.data
    suffix = "" if size is Tcgen05BlockScale.DEFAULT else f".{size}"
    suffix += "" if collector is Tcgen05Collector.DISCARD else f".collector::a::{collector}"
    kind = f"{_group(op.ctaGroup)}.kind::{op.kind.data}.block_scale{suffix}"
    selector.emit(
        f"tcgen05.mma{'.sp' * sparse}.{kind}",
        (),
        selector.address(op.matrixD),
        _operand_a(selector, op.matrixA),
        selector.register(op.matrixB),
        *((selector.address(op.sparseMetadata),) if sparse else ()),
        selector.register(op.idesc),
        selector.address(op.scaleA),
        selector.address(op.scaleB),
        selector.register(op.enableInputD),
    )


def _operand_a(selector: Selector, value: SSAValue) -> int | Address:
    """A matrix descriptor, or the address of A in tensor memory."""
    if isinstance(value.type, IntegerType):
        return selector.register(value)
    return selector.address(value)


RULES: dict[type[Operation], Rule] = {
    Tcgen05AllocOp: Rule(_select_alloc, has_effects=True),
    Tcgen05DeallocOp: Rule(_select_dealloc, has_effects=True),
    Tcgen05RelinquishAllocPermitOp: Rule(_select_relinquish, has_effects=True),
    Tcgen05FenceOp: Rule(_select_fence, has_effects=True),
    Tcgen05WaitOp: Rule(_select_wait, has_effects=True),
    Tcgen05CommitOp: Rule(_select_commit, has_effects=True),
    Tcgen05ShiftOp: Rule(_select_shift, has_effects=True),
    Tcgen05CpOp: Rule(_select_copy, has_effects=True),
    Tcgen05LdOp: Rule(_select_load, has_effects=True),
    Tcgen05StOp: Rule(_select_store, has_effects=True),
    Tcgen05MMAOp: Rule(_select_mma, has_effects=True),
    Tcgen05MMASparseOp: Rule(_select_mma, has_effects=True),
    Tcgen05MMAWsOp: Rule(_select_stationary, has_effects=True),
    Tcgen05MMAWsSparseOp: Rule(_select_stationary, has_effects=True),
    Tcgen05MMABlockScaleOp: Rule(_select_scaled, has_effects=True),
    Tcgen05MMASparseBlockScaleOp: Rule(_select_scaled, has_effects=True),
}
