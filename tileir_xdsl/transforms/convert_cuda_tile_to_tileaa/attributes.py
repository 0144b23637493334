"""Converts attributes of `cuda_tile` to those of `nv_tileaa` and `arith`."""

from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import IntegerAttr, i1, i32
from xdsl.ir import Attribute

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.enums import ComparisonPredicate, IntegerOverflow, MemoryScope
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import MemoryOperation
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties

SCOPES = {
    MemoryScope.TL_BLK: MemScope.TILE_BLOCK,
    MemoryScope.DEVICE: MemScope.GPU,
    MemoryScope.SYS: MemScope.SYSTEM,
}

OVERFLOW_FLAGS: dict[IntegerOverflow, tuple[IntegerOverflowFlag, ...]] = {
    IntegerOverflow.NONE: (),
    IntegerOverflow.NO_SIGNED_WRAP: (IntegerOverflowFlag.NSW,),
    IntegerOverflow.NO_UNSIGNED_WRAP: (IntegerOverflowFlag.NUW,),
    IntegerOverflow.NO_WRAP: (IntegerOverflowFlag.NSW, IntegerOverflowFlag.NUW),
}

NO_OVERFLOW = IntegerOverflowAttr("none")

RELATIONS = {
    ComparisonPredicate.EQUAL: "eq",
    ComparisonPredicate.NOT_EQUAL: "ne",
    ComparisonPredicate.LESS_THAN: "lt",
    ComparisonPredicate.LESS_THAN_OR_EQUAL: "le",
    ComparisonPredicate.GREATER_THAN: "gt",
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: "ge",
}


def integer_predicate(predicate: ComparisonPredicate, signedness: Signedness) -> str:
    """The `arith.cmpi` predicate, whose name includes the signedness."""
    relation = RELATIONS[predicate]
    # Equality does not depend on the sign; `arith.cmpi` has one predicate for both.
    if relation in ("eq", "ne"):
        return relation
    return ("s" if signedness == Signedness.SIGNED else "u") + relation


def overflow_flags(overflow: IntegerOverflow) -> IntegerOverflowAttr | None:
    """The overflow flags; None if there are none."""
    flags = OVERFLOW_FLAGS[overflow]
    return IntegerOverflowAttr(flags) if flags else None


def convert_predicate(predicate: Attribute) -> Attribute:
    """An assume predicate."""
    match predicate:
        # Groups of no elements state nothing, and neither does a divisor of 1.
        case cuda_tile.DivByAttr() if predicate.every_value == 0:
            return nv_tileaa.DivByAttr(1)
        case cuda_tile.DivByAttr():
            return nv_tileaa.DivByAttr(
                predicate.divisor.data, predicate.every_value, predicate.along_value
            )
        case cuda_tile.BoundedAttr():
            return nv_tileaa.BoundedAttr(predicate.lower_bound, predicate.upper_bound)
        case cuda_tile.SameElementsAttr():
            return nv_tileaa.SameElementsAttr([max(1, size) for size in predicate.get_values()])
        case _:
            raise ValueError(f"unknown assume predicate: {predicate}")


def memory_order(op: MemoryOperation) -> dict[str, Attribute | None]:
    """The memory-order properties of an access."""
    scope = None if op.memory_scope is None else SCOPES[op.memory_scope]
    return memory_order_properties(MemSemantic(op.memory_ordering_semantics.value), scope)


def hint_properties(op: MemoryOperation, architecture: str) -> dict[str, Attribute | None]:
    """The hints of an access for the target architecture: `latency`, and for views `allow_tma`."""
    hints = op.properties.get("optimization_hints")
    if not isinstance(hints, cuda_tile.OptimizationHintsAttr):
        return {}
    properties: dict[str, Attribute | None] = {}
    for key, value in hints.hints_for(architecture).items():
        if key in ("latency", "allow_tma"):
            properties[key] = IntegerAttr(value, i1 if isinstance(value, bool) else i32)
    return properties
