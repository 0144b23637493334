"""How passes report errors and remarks: an error is one message, and a note that names the op.

A remark reports a request that a pass did not follow, or an unexpected cost. Remarks are stored in
the module's attribute `nv_tileaa.remarks`, so that later passes keep them and `tileir compile`
prints them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FileLineColLoc,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.utils.exceptions import PassFailedException

REMARKS_ATTRIBUTE = "nv_tileaa.remarks"
"""The module's attribute of remarks: a list of dictionaries with the keys `message`, `name`,
`function` and `location`.
"""


def locate(op: Operation) -> str:
    """An op's name and source location."""
    return f"'{op.name}' op at {file_location(op.location) or op.location}"


def file_location(location: Attribute) -> FileLineColLoc | None:
    """The first file location inside a location."""
    match location:
        case FileLineColLoc():
            return location
        case ParametrizedAttribute():
            parts = location.parameters
        case ArrayAttr():
            parts = location.data
        case _:
            return None
    return next((found for part in parts if (found := file_location(part))), None)


def location_text(location: Attribute) -> str | None:
    """`FILE:LINE:COL` of the first file location inside a location; None if it has none."""
    found = file_location(location)
    if found is None:
        return None
    return f"{found.filename.data}:{found.line.data}:{found.column.data}"


def describe(op: Operation) -> str:
    """An op's name and source location; without a location, the first line of the op's text."""
    if isinstance(op.location, UnknownLoc):
        try:
            line, *_ = str(op).splitlines()
        except LookupError:
            # xDSL cannot print every op that does not verify.
            return f"'{op.name}' op"
        return f"'{op.name}' op: {line}"
    return locate(op)


def fail(op: Operation, message: str) -> NoReturn:
    """Raises `PassFailedException` with the message verbatim; a note names the op.

    Unlike xDSL's `emit_error`, this does not print the whole module.
    `runtime.diagnostics.failing_operation` reads the op from the stack frame of this function.
    """
    failure = PassFailedException(message)
    failure.add_note(f"see {describe(op)}")
    raise failure


class Resource(StrEnum):
    """A limited resource of a thread block."""

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
    """A pass failed because an op needs more of a resource than available; other options may
    work.
    """

    def __init__(self, message: str, op: Operation, excess: Excess):
        super().__init__(message)
        self.op = op
        self.excess = excess


def exceed(op: Operation, message: str, excess: Excess) -> NoReturn:
    """Raises `ResourceExceededError` with the message verbatim; a note names the op."""
    failure = ResourceExceededError(message, op, excess)
    failure.add_note(f"see {describe(op)}")
    raise failure


class RemarkKind(StrEnum):
    """The kind of a remark, named as in `tileiras --remarks-KIND`."""

    PASSED = "passed"
    MISSED = "missed"
    FAILED = "failed"
    ANALYSIS = "analysis"


class RemarkCategory(StrEnum):
    """The category of a remark: those of `tileiras --remarks`, and two more."""

    MEMORY = "memory"
    TENSOR_CORE = "tensorcore"
    RESOURCES = "resources"
    INPUT = "input"


@dataclass(frozen=True)
class RemarkClass:
    """A class of remarks that passes make: its name, kind and category."""

    name: str
    kind: RemarkKind
    category: RemarkCategory


FEWER_RESOURCES = RemarkClass(
    "RemarkResourcesOtherChoices", RemarkKind.MISSED, RemarkCategory.RESOURCES
)
"""A kernel is compiled with other options, since the first choice exceeds a resource."""
MORE_WARPS = RemarkClass("RemarkResourcesMoreWarps", RemarkKind.PASSED, RemarkCategory.RESOURCES)
"""A kernel has more warps than the default, whose registers cannot hold its tiles."""
SLICED = RemarkClass("RemarkResourcesSliced", RemarkKind.PASSED, RemarkCategory.RESOURCES)
"""A tile is computed in slices."""
OCCUPANCY_REDUCED = RemarkClass(
    "RemarkResourcesOccupancyReduced", RemarkKind.MISSED, RemarkCategory.RESOURCES
)
"""Fewer thread blocks fit on a multiprocessor than requested."""
SPILL_PREDICTED = RemarkClass(
    "RemarkMemorySpillPredicted", RemarkKind.ANALYSIS, RemarkCategory.MEMORY
)
"""Live tiles exceed the registers, so `ptxas` will spill to local memory."""
STRATEGY_NOT_HAD = RemarkClass(
    "RemarkMemoryStrategyNotHad", RemarkKind.MISSED, RemarkCategory.MEMORY
)
"""The computing warps issue the loads, although a separate load warp was requested."""
ALIAS_NOT_TRACED = RemarkClass(
    "RemarkMemoryAliasNotTraced", RemarkKind.MISSED, RemarkCategory.MEMORY
)
"""A buffer name cannot be traced to exactly one allocation, and is not resolved."""
SCALED_BY_THREADS = RemarkClass(
    "RemarkTensorCoreScaledByThreads", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""A block-scaled dot is computed without block-scaled matrix instructions."""

PAIR_NOT_HAD = RemarkClass(
    "RemarkTensorCorePairNotHad", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""Each thread block of a cluster computes MMAs alone, although a pair could compute them together.
"""
EPILOGUE_NOT_OVERLAPPED = RemarkClass(
    "RemarkTensorCoreEpilogueNotOverlapped", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""The MMAs of a tile wait for all or the first part of the previous tile's epilogue."""

MMA_SCHEDULE_NOT_HAD = RemarkClass(
    "RemarkTensorCoreScheduleNotHad", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""The MMAs of a loop have another schedule than requested."""

HINT_NOT_HAD = RemarkClass("RemarkInputHintNotHad", RemarkKind.MISSED, RemarkCategory.INPUT)
"""A hint of the program is ignored, or followed only in part."""
OUTSIDE_SPECIFICATION = RemarkClass(
    "RemarkInputOutsideSpecification", RemarkKind.ANALYSIS, RemarkCategory.INPUT
)
"""The program contains what the Tile IR specification forbids but `tileiras` accepts."""

REMARK_CLASSES = {
    known.name: known
    for known in (
        FEWER_RESOURCES,
        MORE_WARPS,
        SLICED,
        OCCUPANCY_REDUCED,
        SPILL_PREDICTED,
        STRATEGY_NOT_HAD,
        ALIAS_NOT_TRACED,
        SCALED_BY_THREADS,
        PAIR_NOT_HAD,
        MMA_SCHEDULE_NOT_HAD,
        EPILOGUE_NOT_OVERLAPPED,
        HINT_NOT_HAD,
        OUTSIDE_SPECIFICATION,
    )
}
"""The remarks that passes make, by name."""


def remark(op: Operation, about: RemarkClass, message: str) -> None:
    """Adds a remark to the outermost module around an op, unless the module already has it.

    The remark has the location of the op, or of the closest op around it with a location. The
    remark names the function of the op.
    """
    facts: dict[str, Attribute] = {"message": StringAttr(message), "name": StringAttr(about.name)}
    if (function := _function_name(op)) is not None:
        facts["function"] = StringAttr(function)
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


def _function_name(op: Operation) -> str | None:
    """The name of an op that is a function, otherwise of the innermost function around it."""
    around: Operation | None = op
    while around is not None:
        name = around.properties.get("sym_name")
        if isinstance(name, StringAttr) and not isinstance(around, ModuleOp):
            return name.data
        around = around.parent_op()
    return None
