"""The `nvvm` ops by which blocks take over others that have not started."""

from xdsl.ir import Operation

from tileir_xdsl.backend.ptx.forms import form
from tileir_xdsl.backend.ptx.selection import Rule
from tileir_xdsl.dialects.nvvm.cluster_launch_control import (
    ClusterLaunchControlQuery,
    ClusterLaunchControlQueryCancelOp,
    ClusterLaunchControlTryCancelOp,
)

_QUERIES = {
    ClusterLaunchControlQuery.IS_CANCELED: "is_canceled.pred",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_X: "get_first_ctaid::x.b32",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Y: "get_first_ctaid::y.b32",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Z: "get_first_ctaid::z.b32",
}


def _query(op: ClusterLaunchControlQueryCancelOp) -> str:
    return _QUERIES[op.query_type.data]


RULES: dict[type[Operation], Rule] = {
    ClusterLaunchControlQueryCancelOp: form(
        "clusterlaunchcontrol.query_cancel.<query>.b128  d, %try_cancel_response",
        has_effects=False,
        query=_query,
    ),
    ClusterLaunchControlTryCancelOp: form(
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
        "{.multicast::cluster::all?multicast}.b128  [smemAddress], [mbarrier]"
    ),
}
