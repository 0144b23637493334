"""The kinds of inserted ops: waits, fences and barriers, with their names in reports.

In the option `force`, `_` replaces blanks: `#5=fence_proxy_async_shared/barrier_agent`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.synchronization import FencedProxy, FenceSide
from tileir_xdsl.targets import Feature


class Insertion(StrEnum):
    """The kind of an inserted op."""

    WAIT_MMAS = "async.wait_mmas"
    FENCE_SHARED = "fence_proxy async_shared"
    FENCE_ALL = "fence_proxy async"
    TMEM_BEFORE = "fence_tmem before"
    BARRIER = "barrier agent"
    TMEM_AFTER = "fence_tmem after"


@dataclass(frozen=True)
class Form:
    """How to build an inserted op, and when it is legal."""

    build: Callable[[], Operation]
    feature: Feature | None = None
    """The feature of the target that the op requires."""
    of_all_threads: bool = False
    """Whether all threads of the agent must execute the op together."""


FORMS: Mapping[Insertion, Form] = {
    Insertion.WAIT_MMAS: Form(nv_tileas.WaitMMAsOp, Feature.WGMMA, of_all_threads=True),
    Insertion.FENCE_SHARED: Form(nv_tileas.FenceProxyOp, Feature.BULK_COPY),
    Insertion.FENCE_ALL: Form(lambda: nv_tileas.FenceProxyOp(FencedProxy.ASYNC), Feature.BULK_COPY),
    Insertion.TMEM_BEFORE: Form(lambda: nv_tileas.FenceTmemOp(FenceSide.BEFORE), Feature.TCGEN05),
    Insertion.BARRIER: Form(nv_tileas.BarrierOp, of_all_threads=True),
    Insertion.TMEM_AFTER: Form(lambda: nv_tileas.FenceTmemOp(FenceSide.AFTER), Feature.TCGEN05),
}
