"""The address spaces of `!llvm.ptr`: 0 generic, 1 global, 3 shared, 6 tensor, 7 shared cluster."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import SSAValue
from xdsl.irdl import EqAttrConstraint
from xdsl.utils.exceptions import VerifyException

GENERIC = LLVMPointerType()
GLOBAL = LLVMPointerType(IntAttr(1))
SHARED = LLVMPointerType(IntAttr(3))
TENSOR = LLVMPointerType(IntAttr(6))
SHARED_CLUSTER = LLVMPointerType(IntAttr(7))
I64_OR_TENSOR = EqAttrConstraint(i64) | EqAttrConstraint(TENSOR)
SHARED_ANY = EqAttrConstraint(SHARED) | EqAttrConstraint(SHARED_CLUSTER)

_STATE_SPACES = {
    0: "",
    1: ".global",
    3: ".shared::cta",
    4: ".const",
    5: ".local",
    7: ".shared::cluster",
}


def space_of(value: SSAValue) -> int:
    """The address space of a pointer."""
    assert isinstance(value.type, LLVMPointerType)
    return value.type.addr_space.data if isinstance(value.type.addr_space, IntAttr) else 0


def state_space(value: SSAValue) -> str:
    """The qualifier of PTX for the state space that a pointer points to; a generic pointer has
    none.
    """
    return _STATE_SPACES[space_of(value)]


def is_cluster_pointer(value: SSAValue) -> bool:
    """Whether a pointer is to the shared memory of any block of the cluster."""
    return space_of(value) == 7


def verify_spaces(value: SSAValue, spaces: Sequence[int]) -> None:
    """Raises `VerifyException` unless a pointer has one of these address spaces."""
    if space_of(value) not in spaces:
        listed = " or ".join(map(str, spaces))
        raise VerifyException(f"expected a pointer to address space {listed}, got {value.type}")
