"""How passes report what they cannot do: one message, and a note that names the op.

What a pass does in another way than it was asked to, or at a cost that nobody asked for, is a
remark. Remarks stay with the module as `nv_tileaa.remarks`, so that they are seen after any pass,
and `tileir compile` prints them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, UnknownLoc
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

REMARKS_ATTRIBUTE = "nv_tileaa.remarks"
"""The remarks on a module: `[{location = loc(..), message = ".."}, ..]`, without what is unknown.
"""


def describe(op: Operation) -> str:
    """An op's name and source location."""
    return f"'{op.name}' op at {op.location}"


def fail(op: Operation, message: str) -> NoReturn:
    """Raises `PassFailedException` with the message verbatim; notes name the op and show the IR."""
    failure = PassFailedException(message)
    failure.add_note(f"see {describe(op)}")
    op.emit_error(message, failure)


class Resource(StrEnum):
    """What a thread block has a limited amount of."""

    REGISTERS = "registers"
    SHARED_MEMORY = "bytes of shared memory"
    TENSOR_MEMORY = "columns of tensor memory"


@dataclass(frozen=True)
class Excess:
    """How much of a resource an op needs, and how much there is."""

    resource: Resource
    needed: int
    limit: int


class ResourceExceededError(PassFailedException):
    """A pass failed since an op needs more of a resource than there is: other choices may do."""

    def __init__(self, message: str, op: Operation, excess: Excess):
        super().__init__(message)
        self.op = op
        self.excess = excess


def exceed(op: Operation, message: str, excess: Excess) -> NoReturn:
    """Raises `ResourceExceededError` with the message verbatim, and notes as `fail` has them."""
    failure = ResourceExceededError(message, op, excess)
    failure.add_note(f"see {describe(op)}")
    op.emit_error(message, failure)


def remark(op: Operation, message: str) -> None:
    """Adds a remark to the outermost module around an op, unless it has the same already.

    The remark is located where the op is, or the closest op around it that has a location.
    """
    facts: dict[str, Attribute] = {"message": StringAttr(message)}
    around = op
    while isinstance(around.location, UnknownLoc) and (parent := around.parent_op()) is not None:
        around = parent
    if not isinstance(around.location, UnknownLoc):
        facts["location"] = around.location
    module = op.get_toplevel_object()
    assert isinstance(module, Operation)
    known = module.attributes.get(REMARKS_ATTRIBUTE)
    others = known.data if isinstance(known, ArrayAttr) else ()
    entry = DictionaryAttr(facts)
    if entry not in others:
        module.attributes[REMARKS_ATTRIBUTE] = ArrayAttr([*others, entry])
