"""Groups of asynchronous copies that each thread starts, and waits for older groups.

    nv_tileas.async.commit_copies                          // what was started before is one group
    nv_tileas.async.wait_copies {pending = 1 : i32}        // all but the youngest are done

Groups complete in the order of their commits. In a pipeline with the attribute
`nv_tileas.copy_groups`, waits for groups replace barriers: they imply which stages are full, and
that earlier stages are empty.
Source: PTX ISA, "cp.async.commit_group" and "cp.async.wait_group".
"""

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.irdl import prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    Effects,
    NoScratchOpInterface,
    RegistersOpInterface,
)

from .operand_list_syntax import OperandListOp

COPY_GROUPS = "nv_tileas.copy_groups"
"""The attribute of a `create_pipeline` without barriers: consumers wait for copy groups instead."""


@irdl_op_definition
class CommitCopiesOp(OperandListOp, RegistersOpInterface):
    """Commits the copies that a thread has started since its last commit as a group, maybe an empty
    one.
    """

    name = "nv_tileas.async.commit_copies"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self):
        super().__init__()


@irdl_op_definition
class WaitCopiesOp(OperandListOp, NoScratchOpInterface):
    """Waits until at most `pending` groups are in flight in any thread.

    After the op, the data of all other groups are visible to all threads, and all threads have
    finished their earlier accesses.
    """

    name = "nv_tileas.async.wait_copies"

    pending = prop_def(IntegerAttr[I32])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, pending: int):
        super().__init__(properties={"pending": IntegerAttr(pending, i32)})

    def verify_(self) -> None:
        pending = self.pending.value.data
        if pending < 0:
            raise VerifyException(f"expects at least 0 pending groups, but got {pending}")

    @property
    def effects(self) -> Effects:
        return Effects(meets=True)
