"""How passes report errors: one message, and a note that names the op.

A remark is about a request that a pass did not follow, or a cost that nobody asked for. Remarks
stay with the module as `nv_tileaa.remarks`, so that they are seen after any pass, and `tileir
compile` prints them.
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
"""The remarks on a module, a list of dictionaries of what is known: `message`, `name`, `function`
and `location`.
"""


def locate(op: Operation) -> str:
    """An op's name and source location."""
    return f"'{op.name}' op at {file_location(op.location) or op.location}"


def file_location(location: Attribute) -> FileLineColLoc | None:
    """The first file location in one: metadata of debug information mean nothing to a reader."""
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
    """An op's name and source location; where no location is known, how the op reads."""
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

    xDSL's `emit_error` would add the whole module. `runtime.diagnostics.failing_operation` finds
    the op in the frame of this function.
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
    """A pass failed since an op needs more of a resource than there is: other choices may do."""

    def __init__(self, message: str, op: Operation, excess: Excess):
        super().__init__(message)
        self.op = op
        self.excess = excess


def exceed(op: Operation, message: str, excess: Excess) -> NoReturn:
    """Raises `ResourceExceededError` with the message verbatim, and a note as `fail` has it."""
    failure = ResourceExceededError(message, op, excess)
    failure.add_note(f"see {describe(op)}")
    raise failure


class RemarkKind(StrEnum):
    """The kind of a remark about a choice, in the words of `tileiras --remarks-KIND`."""

    PASSED = "passed"
    MISSED = "missed"
    FAILED = "failed"
    ANALYSIS = "analysis"


class RemarkCategory(StrEnum):
    """The category of a remark: as for `tileiras --remarks`, resources of a block, the input."""

    MEMORY = "memory"
    TENSOR_CORE = "tensorcore"
    RESOURCES = "resources"
    INPUT = "input"


@dataclass(frozen=True)
class RemarkClass:
    """A remark that passes make: its name, kind and category."""

    name: str
    kind: RemarkKind
    category: RemarkCategory


FEWER_RESOURCES = RemarkClass(
    "RemarkResourcesOtherChoices", RemarkKind.MISSED, RemarkCategory.RESOURCES
)
"""A kernel is compiled with other choices than the first, which exceed a resource."""
MORE_WARPS = RemarkClass("RemarkResourcesMoreWarps", RemarkKind.PASSED, RemarkCategory.RESOURCES)
"""A kernel has more warps, as its tiles exceed the registers of those it would have."""
SLICED = RemarkClass("RemarkResourcesSliced", RemarkKind.PASSED, RemarkCategory.RESOURCES)
"""A tile is computed in slices."""
OCCUPANCY_REDUCED = RemarkClass(
    "RemarkResourcesOccupancyReduced", RemarkKind.MISSED, RemarkCategory.RESOURCES
)
"""Fewer thread blocks fit on a multiprocessor than were asked for."""
SPILL_PREDICTED = RemarkClass(
    "RemarkMemorySpillPredicted", RemarkKind.ANALYSIS, RemarkCategory.MEMORY
)
"""Tiles in use exceed the registers: the assembler spills to local memory."""
STRATEGY_NOT_HAD = RemarkClass(
    "RemarkMemoryStrategyNotHad", RemarkKind.MISSED, RemarkCategory.MEMORY
)
"""Loads are issued by the warps that compute, though one warp more was asked to do so."""
ALIAS_NOT_TRACED = RemarkClass(
    "RemarkMemoryAliasNotTraced", RemarkKind.MISSED, RemarkCategory.MEMORY
)
"""A buffer has a name that leads to no allocation, or to several: the name stays."""
SCALED_BY_THREADS = RemarkClass(
    "RemarkTensorCoreScaledByThreads", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""A block-scaled dot is computed without the matrix instructions that scale."""

PAIR_NOT_HAD = RemarkClass(
    "RemarkTensorCorePairNotHad", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""The thread blocks of a cluster multiply each for itself, not two of them together."""
EPILOGUE_NOT_OVERLAPPED = RemarkClass(
    "RemarkTensorCoreEpilogueNotOverlapped", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""The MMAs of a tile wait for the epilogue of the one before, all of it or its first part."""

MMA_SCHEDULE_NOT_HAD = RemarkClass(
    "RemarkTensorCoreScheduleNotHad", RemarkKind.MISSED, RemarkCategory.TENSOR_CORE
)
"""The MMAs of a loop have another schedule than was asked for."""

HINT_NOT_HAD = RemarkClass("RemarkInputHintNotHad", RemarkKind.MISSED, RemarkCategory.INPUT)
"""A hint of the program is not followed, or only in part."""
OUTSIDE_SPECIFICATION = RemarkClass(
    "RemarkInputOutsideSpecification", RemarkKind.ANALYSIS, RemarkCategory.INPUT
)
"""The program says what the Tile IR specification forbids, and `tileiras` takes."""

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
    """Adds a remark to the outermost module around an op, unless it has the same already.

    The remark is located where the op is, or the closest op around it with a location. It names the
    function of the op.
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
    """The name of the innermost function that an op is or is in."""
    around: Operation | None = op
    while around is not None:
        name = around.properties.get("sym_name")
        if isinstance(name, StringAttr) and not isinstance(around, ModuleOp):
            return name.data
        around = around.parent_op()
    return None
