"""What is compared: facts of what is installed, and where our tables have the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum

from tests.installed import facts
from tileir_xdsl.bytecode.attributes import TAGGED
from tileir_xdsl.bytecode.container import Section
from tileir_xdsl.bytecode.debug_info import DebugTag
from tileir_xdsl.bytecode.operations import OPERATIONS, OperationRow
from tileir_xdsl.bytecode.types import TYPES
from tileir_xdsl.bytecode.version import V13_1, VERSIONS
from tileir_xdsl.cli.tileir_as.command_line import FLAGS
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.targets import TARGETS
from tileir_xdsl.targets.tile_ir import COMPUTE_CAPABILITIES


@dataclass(frozen=True)
class Part:
    """One kind of thing that others have."""

    theirs: Callable[[], facts.Facts]
    ours: Collection[object]

    def missing(self) -> Set[str]:
        """The names of what is installed and not in our tables."""
        return {name for name, fact in self.theirs().items() if fact not in self.ours}


def _numbers(enum: type[Enum]) -> Collection[int]:
    return range(len(enum))


NUMBERS: Mapping[str, Iterable[int]] = {
    "SimpleType": TYPES,
    "_CompositeType": TYPES,
    "AttributeTag": [kind.tag for kind in TAGGED],
    "DebugTag": DebugTag,
    "_Section": Section,
    "BytecodeVersion": [10000 * each.major + 100 * each.minor for each in VERSIONS],
    "GpuArchitecture": COMPUTE_CAPABILITIES,
    "AtomicRMWMode": _numbers(ct.AtomicRMWMode),
    "ComparisonOrdering": _numbers(ct.ComparisonOrdering),
    "ComparisonPredicate": _numbers(ct.ComparisonPredicate),
    "IntegerOverflow": _numbers(ct.IntegerOverflow),
    "MemoryOrderingSemantics": _numbers(ct.MemoryOrderingSemantics),
    "MemoryScope": _numbers(ct.MemoryScope),
    "MultimemReductionKind": _numbers(ct.MultimemReduction),
    "PaddingValue": _numbers(ct.PaddingValue),
    "PtrAttr": _numbers(ct.PointerKind),
    "RoundingMode": _numbers(ct.RoundingMode),
    "Signedness": _numbers(ct.Signedness),
    "SymbolVisibility": _numbers(ct.SymbolVisibility),
}
"""The numbers of bytecode that we read and write, by cuTile's name of the enumeration."""


def _parts(row: OperationRow) -> Iterator[tuple[object, ...]]:
    yield row.opcode, str(row.since)
    for operand in row.operation.DEFINITION.operands:
        since = max(row.since, row.younger.get(operand.name, V13_1))
        yield row.opcode, operand.name, str(since)
    for slot in row.slots:
        name = facts.snake_case(slot.name)
        yield row.opcode, name, str(max(row.since, slot.since))


PARTS: Mapping[str, Part] = {
    "operations": Part(
        facts.cutile_operations, {part for row in OPERATIONS for part in _parts(row)}
    ),
    "enumerations": Part(
        facts.cutile_enumerations,
        {(name, number) for name, numbers in NUMBERS.items() for number in numbers},
    ),
    "versions of bytecode": Part(facts.tileiras_versions, set(map(str, VERSIONS))),
    "architectures of tileiras": Part(facts.tileiras_architectures, TARGETS.keys()),
    "flags of tileiras": Part(
        facts.tileiras_flags,
        {flag.name for flag in FLAGS}
        | {f"{flag.name}={value}" for flag in FLAGS for value in flag.values},
    ),
    "architectures of ptxas": Part(facts.ptxas_architectures, TARGETS.keys()),
    "flags of ptxas": Part(facts.ptxas_flags, ()),
}
