"""Coverage of random programs: operations, element types of tiles, and PTX instructions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import POINTER, element_name
from tileir_xdsl.testing.instruction_families import families
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES
from tileir_xdsl.testing.programs.machine import lower
from tileir_xdsl.testing.programs.program import Program

NOT_GENERATED: dict[type[Operation], str] = {
    cuda_tile.ExperimentalFuncOp: "a function that no kernel can call",
    cuda_tile.TestingFuncOp: "a function that no kernel can call",
    cuda_tile.FPowFOp: "another spelling of pow: no such operation is ever built",
    cuda_tile.TokenJoinOp: "another spelling of join_tokens: no such operation is ever built",
    cuda_tile.MultimemLoadReduceViewTkoOp: "needs the memory of several devices",
    cuda_tile.MultimemReduceViewTkoOp: "needs the memory of several devices",
    cuda_tile.MultimemStoreViewTkoOp: "needs the memory of several devices",
}
"""Operations that random programs do not contain, and why."""

OPERATIONS = tuple(op for op in cuda_tile.CudaTile.operations if op not in NOT_GENERATED)
"""The operations that random programs contain."""

ELEMENTS = (*ELEMENT_TYPES, POINTER)
"""The names of the element types that random programs have in tiles."""


def elements_of(operation: Operation) -> Iterator[str]:
    """The names of the element types of an operation's operand and result tiles."""
    arguments = [arg for region in operation.regions for b in region.blocks for arg in b.args]
    for value in (*operation.operands, *operation.results, *arguments):
        if isinstance(value.type, cuda_tile.TileType):
            yield element_name(value.type.element_type) or ""


def missing(modules: Iterable[ModuleOp]) -> list[str]:
    """The operations and the element types that occur in none of the modules."""
    operations: set[type[Operation]] = set()
    elements: set[str] = set()
    for module in modules:
        for operation in module.walk():
            operations.add(type(operation))
            elements.update(elements_of(operation))
    return [
        *(op.name for op in OPERATIONS if op not in operations),
        *(element for element in ELEMENTS if element not in elements),
    ]


def reached(programs: Iterable[Program]) -> Counter[str]:
    """The number of programs whose PTX, for their target, has instructions of each family."""
    found: Counter[str] = Counter()
    for program in programs:
        found.update(families(emit(lower(program, program.module), program.target)))
    return found
