"""Taking over blocks that have not started, and the registers of 128 bits that answers come in."""

from collections.abc import Mapping

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import (
    Loaded,
    Stored,
    Value,
    arrive,
    arrive_in_both,
)
from tests.unit.emulator.instructions.cases import Array

_BLOCKS = 8
_TRY = "nvvm.clusterlaunchcontrol.try.cancel {}%smem, %object"
_QUERY = "nvvm.clusterlaunchcontrol.query.cancel query ="

# Each block stores its number in the row of itself, and of a block that it takes over.
_TAKE_OVER = f"""%mine = llvm.getelementptr %done[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
llvm.store %block, %mine : i32, !llvm.ptr<1>
{{request}}
%answer = llvm.load %smem : !llvm.ptr<3> -> i128
%took = {_QUERY} is_canceled, %answer : i1
llvm.cond_br %took, ^takes, ^end
^takes:
%x = {_QUERY} get_first_cta_id_x, %answer : i32
%y = {_QUERY} get_first_cta_id_y, %answer : i32
%z = {_QUERY} get_first_cta_id_z, %answer : i32
%xr = llvm.add %x, %rank : i32
%xy = llvm.add %xr, %y : i32
%xyz = llvm.add %xy, %z : i32
%theirs = llvm.getelementptr %done[%xyz] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
llvm.store %block, %theirs : i32, !llvm.ptr<1>
llvm.br ^end
^end:"""


def _taking_over(request: str, done_by: tuple[int, ...], cluster: int = 1) -> Value:
    """A quarter of the grid starts at once, takes over as many, and then come the next ones."""
    return Value(
        _TAKE_OVER.format(request=request),
        lambda _: {"done": np.array(done_by, np.int32)},
        memory={"done": np.full(_BLOCKS, -1, np.int32)},
        blocks=_BLOCKS,
        cluster=cluster,
        late=True,
    )


_ALONE = _taking_over(arrive(_TRY.format(""), 16), (0, 1, 0, 1, 4, 5, 4, 5))
_IN_CLUSTERS = _taking_over(
    arrive_in_both(_TRY.format("multicast, "), 16),
    (0, 1, 0, 1, 4, 5, 4, 5),
    cluster=2,
)


def _words() -> Array:
    return np.random.default_rng(128).integers(0, 2**63, (32, 2)).astype(np.uint64)


_WIDE = Value(
    """llvm.store %a, %row : i128, !llvm.ptr<3>
%d = llvm.load %row : !llvm.ptr<3> -> i128""",
    lambda before: {"d": before["a"]},
    loads={"a": Loaded("i128", _words())},
    stores={"d": Stored("i128", np.zeros((32, 2), np.uint64))},
)

_TRY_CANCEL = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"

VALUES: Mapping[str, Value] = {
    **{f"{kind}.{space}.b128": _WIDE for kind in ("ld", "st") for space in ("global", "shared")},
    f"{_TRY_CANCEL}.b128": _ALONE,
    f"{_TRY_CANCEL}.multicast::cluster::all.b128": _IN_CLUSTERS,
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128": _ALONE,
    **{
        f"clusterlaunchcontrol.query_cancel.get_first_ctaid::{axis}.b32.b128": _ALONE
        for axis in "xyz"
    },
}
