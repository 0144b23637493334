"""The `nvvm` ops by which blocks take over others that have not started."""

from xdsl.ir import Operation

from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.cluster_launch_control import (
    ClusterLaunchControlQuery,
    ClusterLaunchControlQueryCancelOp,
    ClusterLaunchControlTryCancelOp,
)


def _select_try_cancel(selector: Selector, op: ClusterLaunchControlTryCancelOp) -> None:
    multicast = "" if op.multicast is None else ".multicast::cluster::all"
    selector.emit(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
        f"{multicast}.b128",
        (),
        selector.address(op.smemAddress),
        selector.address(op.mbarrier),
    )


_QUERIES = {
    ClusterLaunchControlQuery.IS_CANCELED: "is_canceled.pred",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_X: "get_first_ctaid::x.b32",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Y: "get_first_ctaid::y.b32",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Z: "get_first_ctaid::z.b32",
}


def _select_query(selector: Selector, op: ClusterLaunchControlQueryCancelOp) -> None:
    opcode = f"clusterlaunchcontrol.query_cancel.{_QUERIES[op.query_type.data]}.b128"
    answer = selector.register(op.try_cancel_response)
    selector.emit(opcode, (selector.result(op),), answer)


RULES: dict[type[Operation], Rule] = {
    ClusterLaunchControlQueryCancelOp: Rule(_select_query),
    ClusterLaunchControlTryCancelOp: Rule(_select_try_cancel, has_effects=True),
}
