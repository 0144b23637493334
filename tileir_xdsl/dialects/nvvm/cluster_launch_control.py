"""Ops by which a running block takes over blocks that have not started.

Source: PTX ISA, "clusterlaunchcontrol.try_cancel" and "clusterlaunchcontrol.query_cancel".
"""

from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, IntegerType, UnitAttr, i1, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import SpacedEnumAttribute
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.pointers import SHARED
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

RESPONSE = IntegerType(128)
"""The opaque answer to a request."""

_CLUSTER_LAUNCH_CONTROL = Requires.feature(Feature.CLUSTER_LAUNCH_CONTROL)


class ClusterLaunchControlQuery(StrEnum):
    """The query to the answer of a request."""

    IS_CANCELED = "is_canceled"
    GET_FIRST_CTA_ID_X = "get_first_cta_id_x"
    GET_FIRST_CTA_ID_Y = "get_first_cta_id_y"
    GET_FIRST_CTA_ID_Z = "get_first_cta_id_z"

    @property
    def ptx(self) -> str:
        """The qualifiers of PTX: the query and the type of its answer."""
        return _QUERIES[self]


_QUERIES = {
    ClusterLaunchControlQuery.IS_CANCELED: "is_canceled.pred",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_X: "get_first_ctaid::x.b32",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Y: "get_first_ctaid::y.b32",
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Z: "get_first_ctaid::z.b32",
}


class ClusterLaunchControlQueryAttr(
    SpacedEnumAttribute[ClusterLaunchControlQuery], name="nvvm.cluster_launch_control_query_type"
): ...


@irdl_op_definition
class ClusterLaunchControlTryCancelOp(NVVMOperation):
    """Asks to cancel the launch of a cluster that has not started.

        nvvm.clusterlaunchcontrol.try.cancel %answer, %mbarrier

    Hardware writes the 16-byte answer to shared memory asynchronously, and the mbarrier counts its
    bytes. With `multicast,` before the operands, all blocks of the requesting cluster get the
    answer at the same offset.
    """

    name = "nvvm.clusterlaunchcontrol.try.cancel"
    PTX: ClassVar = (
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
        "{.multicast::cluster::all?multicast}.b128  [smemAddress], [mbarrier]"
    )

    multicast = opt_prop_def(UnitAttr)
    smemAddress = operand_def(SHARED)
    mbarrier = operand_def(SHARED)

    traits = traits_def(_CLUSTER_LAUNCH_CONTROL)
    assembly_format = "(`multicast` $multicast^ `,`)? $smemAddress `,` $mbarrier attr-dict"

    def __init__(self, answer: Value, mbarrier: Value, *, multicast: bool = False):
        super().__init__(
            operands=[answer, mbarrier],
            properties={"multicast": UnitAttr() if multicast else None},
        )

    @property
    def requirement(self) -> Requirement:
        if self.multicast is not None:
            return Requirement(feature=Feature.CLUSTER_LAUNCH_MULTICAST)
        return super().requirement


@irdl_op_definition
class ClusterLaunchControlQueryCancelOp(NVVMOperation):
    """Reads the answer to a `try_cancel` request.

    `%p = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %answer : i1`; if true, `query
    = get_first_cta_id_x, .. : i32` and the like return the coordinates of the cluster's first
    block.
    """

    name = "nvvm.clusterlaunchcontrol.query.cancel"
    PTX: ClassVar = "clusterlaunchcontrol.query_cancel.<query_type>.b128  d, %try_cancel_response"

    query_type = prop_def(ClusterLaunchControlQueryAttr)
    try_cancel_response = operand_def(RESPONSE)
    res = result_def(I1 | I32)

    traits = traits_def(_CLUSTER_LAUNCH_CONTROL, Pure())
    assembly_format = "`query` `=` $query_type `,` $try_cancel_response attr-dict `:` type($res)"

    def __init__(self, query: ClusterLaunchControlQuery, answer: Value):
        super().__init__(
            operands=[answer],
            properties={"query_type": ClusterLaunchControlQueryAttr(query)},
            result_types=[i1 if query is ClusterLaunchControlQuery.IS_CANCELED else i32],
        )

    def verify_(self) -> None:
        super().verify_()
        if self.query_type.data is ClusterLaunchControlQuery.IS_CANCELED:
            if self.res.type != i1:
                raise VerifyException("is_canceled query type returns an i1")
        elif self.res.type != i32:
            raise VerifyException(
                "get_first_cta_id_x, get_first_cta_id_y, get_first_cta_id_z query types return an "
                "i32"
            )
