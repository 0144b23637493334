"""Fences between threads, between the proxies through which memory is reached, and clusters.

Source: PTX ISA, "membar / fence", "barrier.cluster".
"""

import abc
from typing import ClassVar

from xdsl.dialects.builtin import I32, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import (
    MemoryOrder,
    MemoryOrderAttr,
    MemoryScope,
    MemoryScopeAttr,
    ProxyKind,
    ProxyKindAttr,
    SharedSpace,
    SharedSpaceAttr,
)
from tileir_xdsl.dialects.nvvm.pointers import GENERIC
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

_CLUSTERS = Requires.feature(Feature.CLUSTERS)


@irdl_op_definition
class MembarOp(NVVMOperation):
    """`nvvm.memory.barrier <gpu>`: orders earlier accesses before later accesses, for a scope."""

    name = "nvvm.memory.barrier"
    PTX: ClassVar = "fence.acq_rel.<scope>"

    scope = prop_def(MemoryScopeAttr)
    assembly_format = "$scope attr-dict"

    def __init__(self, scope: MemoryScope):
        super().__init__(properties={"scope": MemoryScopeAttr(scope)})

    @property
    def requirement(self) -> Requirement:
        if self.scope.data is MemoryScope.CLUSTER:
            return Requirement(feature=Feature.CLUSTERS)
        return super().requirement


@irdl_op_definition
class FenceProxyOp(NVVMOperation):
    """Orders accesses through the generic proxy with accesses through another proxy.

    `nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}` is
    needed between writes to shared memory and an asynchronous copy or wgmma that reads the data.
    """

    name = "nvvm.fence.proxy"
    PTX: ClassVar = "fence.proxy.<kind>{::<space>}"

    kind = prop_def(ProxyKindAttr)
    space = opt_prop_def(SharedSpaceAttr)
    traits = traits_def(Requires.feature(Feature.BULK_COPY))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, kind: ProxyKind, space: SharedSpace | None = None):
        super().__init__(
            properties={
                "kind": ProxyKindAttr(kind),
                "space": None if space is None else SharedSpaceAttr(space),
            }
        )

    @property
    def requirement(self) -> Requirement:
        if self.kind.data is ProxyKind.ALIAS:
            return Requirement(70, (7, 5))
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        kind = self.kind.data
        if kind in (ProxyKind.TENSORMAP, ProxyKind.GENERIC):
            raise VerifyException(f"{kind} proxy is not a supported kind")
        if (kind is ProxyKind.ASYNC_SHARED) != (self.space is not None):
            raise VerifyException("async_shared fence requires space attribute, others have none")


class UnidirectionalFenceBase(NVVMOperation, abc.ABC):
    """Orders accesses through the generic proxy and those through the tensor map proxy."""

    scope = prop_def(MemoryScopeAttr)
    fromProxy = prop_def(ProxyKindAttr, default_value=ProxyKindAttr(ProxyKind.GENERIC))
    toProxy = prop_def(ProxyKindAttr, default_value=ProxyKindAttr(ProxyKind.TENSORMAP))
    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        super().verify_()
        if self.fromProxy.data is not ProxyKind.GENERIC:
            raise VerifyException("uni-directional proxies only support generic for from_proxy")
        if self.toProxy.data is not ProxyKind.TENSORMAP:
            raise VerifyException("uni-directional proxies only support tensormap for to_proxy")


@irdl_op_definition
class FenceProxyAcquireOp(UnidirectionalFenceBase):
    """`nvvm.fence.proxy.acquire <gpu> %p, %size`: precedes the use of a tensor map at `addr`."""

    name = "nvvm.fence.proxy.acquire"
    PTX: ClassVar = "fence.proxy.tensormap::generic.acquire.<scope>  [addr], #size"

    addr = operand_def(GENERIC)
    size = operand_def(I32)
    traits = traits_def(Requires.feature(Feature.TENSORMAP_FENCE))
    assembly_format = "$scope $addr `,` $size attr-dict"

    def __init__(self, scope: MemoryScope, addr: Value, size: Value):
        super().__init__(operands=[addr, size], properties={"scope": MemoryScopeAttr(scope)})


@irdl_op_definition
class FenceProxyReleaseOp(UnidirectionalFenceBase):
    """`nvvm.fence.proxy.release <gpu>`: follows writes to a tensor map."""

    name = "nvvm.fence.proxy.release"
    PTX: ClassVar = "fence.proxy.tensormap::generic.release.<scope>"

    traits = traits_def(Requires.feature(Feature.TENSORMAP_FENCE))
    assembly_format = "$scope attr-dict"


@irdl_op_definition
class FenceMbarrierInitOp(NVVMOperation):
    """`nvvm.fence.mbarrier.init`: makes initialised mbarriers visible to the cluster."""

    name = "nvvm.fence.mbarrier.init"
    PTX: ClassVar = "fence.mbarrier_init.release.cluster"

    traits = traits_def(Requires.feature(Feature.BULK_COPY))
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class FenceScClusterOp(NVVMOperation):
    """`nvvm.fence.sc.cluster`: a sequentially consistent fence of the cluster."""

    name = "nvvm.fence.sc.cluster"
    PTX: ClassVar = "fence.sc.cluster"

    traits = traits_def(_CLUSTERS)
    assembly_format = "attr-dict"


class SyncRestrictBase(NVVMOperation, abc.ABC):
    """A fence with cluster scope for one shared space: acquire for the cluster's space, release for
    the block's own.
    """

    order = prop_def(MemoryOrderAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, order: MemoryOrder):
        super().__init__(properties={"order": MemoryOrderAttr(order)})

    @property
    def space(self) -> str:
        """The shared space in PTX."""
        return f"shared::{'cluster' if self.order.data is MemoryOrder.ACQUIRE else 'cta'}"

    def verify_(self) -> None:
        super().verify_()
        if self.order.data not in (MemoryOrder.ACQUIRE, MemoryOrder.RELEASE):
            raise VerifyException("only acquire and release semantics are supported")


@irdl_op_definition
class FenceSyncRestrictOp(SyncRestrictBase):
    """`nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}`."""

    name = "nvvm.fence.sync_restrict"
    PTX: ClassVar = "fence.<order>.sync_restrict::<space>.cluster"
    traits = traits_def(Requires.target(90, (8, 6)))


@irdl_op_definition
class FenceProxySyncRestrictOp(SyncRestrictBase):
    """A fence with cluster scope between the generic and the async proxy, for one shared space."""

    name = "nvvm.fence.proxy.sync_restrict"
    PTX: ClassVar = "fence.proxy.async::generic.<order>.sync_restrict::<space>.cluster"
    traits = traits_def(Requires.target(90, (8, 6)))


class ClusterBarrierBase(NVVMOperation, abc.ABC):
    """Arrival at or wait for a cluster barrier; `aligned` promises that whole warps execute the
    op.
    """

    aligned = opt_prop_def(UnitAttr)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, *, aligned: bool = False):
        super().__init__(properties={"aligned": UnitAttr() if aligned else None})


@irdl_op_definition
class ClusterArriveOp(ClusterBarrierBase):
    """`nvvm.cluster.arrive {aligned}`: arrives with release semantics."""

    name = "nvvm.cluster.arrive"
    PTX: ClassVar = "barrier.cluster.arrive{.aligned}"
    traits = traits_def(_CLUSTERS)


@irdl_op_definition
class ClusterArriveRelaxedOp(ClusterBarrierBase):
    """Arrives without ordering memory."""

    name = "nvvm.cluster.arrive.relaxed"
    PTX: ClassVar = "barrier.cluster.arrive.relaxed{.aligned}"
    traits = traits_def(Requires.target(90, (8, 0)))


@irdl_op_definition
class ClusterWaitOp(ClusterBarrierBase):
    """Waits for all threads of the cluster, with acquire semantics."""

    name = "nvvm.cluster.wait"
    PTX: ClassVar = "barrier.cluster.wait{.aligned}"
    traits = traits_def(_CLUSTERS)
