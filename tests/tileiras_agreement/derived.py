"""Drafts of elementwise operations, from what the dialect says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import Attribute, Operation

from tests.tileiras_agreement.draft import Draft
from tests.tileiras_agreement.words import ELEMENTS, Shape, tile
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.definition import Arity, TypeConstraint
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.dialects.enumerations import RoundingMode

SHAPES: tuple[Shape, ...] = (
    (8, 16),
    (),
    (1,),
    (2,),
    (32,),
    (1, 128),
    (2, 4, 8),
    (2, 1, 2, 2, 4),
    (512,),
    (64, 64),
)
"""The first one is that of the drafts whose element types are drawn."""

_NEAREST = ct.RoundingModeAttr(RoundingMode.NEAREST_EVEN)
DEFAULTS: Mapping[str, Attribute] = {
    "rounding_mode": _NEAREST,
    "rounding": ct.RoundingModeAttr(RoundingMode.ZERO),
    "overflow": ct.IntegerOverflowAttr(ct.IntegerOverflow.NONE),
    "signedness": ct.SignednessAttr(ct.Signedness.SIGNED),
    "signedness_lhs": ct.SignednessAttr(ct.Signedness.SIGNED),
    "signedness_rhs": ct.SignednessAttr(ct.Signedness.UNSIGNED),
    "comparison_predicate": ct.ComparisonPredicateAttr(ct.ComparisonPredicate.LESS_THAN),
    "comparison_ordering": ct.ComparisonOrderingAttr(ct.ComparisonOrdering.ORDERED),
}
"""Properties that operations have to have, as they mostly are."""
_OTHERS: Mapping[type[Operation], Mapping[str, Attribute]] = {
    ct.ExpOp: {"rounding_mode": ct.RoundingModeAttr(RoundingMode.FULL)},
    ct.TanHOp: {"rounding_mode": ct.RoundingModeAttr(RoundingMode.FULL)},
    ct.FToIOp: {"rounding_mode": ct.RoundingModeAttr(RoundingMode.NEAREST_INT_TO_ZERO)},
}
_PREDICATES = (ct.CmpFOp, ct.CmpIOp)


def properties_of(operation: type[Operation]) -> dict[str, Attribute]:
    """The properties that the operation has to have, and those with a default."""
    assert issubclass(operation, CudaTileOperation)
    found = {
        each.name: DEFAULTS[each.name]
        for each in operation.DEFINITION.properties
        if each.name in DEFAULTS
    }
    return found | dict(_OTHERS.get(operation, {}))


def is_elementwise(operation: type[Operation]) -> bool:
    """Whether the operation takes tiles of one type, and gives one of that type or of i1."""
    if not issubclass(operation, CudaTileOperation):
        return False
    definition = operation.DEFINITION
    values = (*definition.operands, *definition.results)
    return (
        bool(definition.operands)
        and len(definition.results) == 1
        and not definition.regions
        and all(value.arity is Arity.SINGLE for value in values)
        and all(value.constraint.description.startswith("tile of") for value in values)
        and {each.name for each in definition.properties if each.required} <= set(DEFAULTS)
    )


def elementwise(operation: type[Operation], element: str, shape: Shape) -> Draft:
    """The operation on tiles of this type."""
    assert issubclass(operation, CudaTileOperation)
    type_ = tile(element, shape)
    operands = [type_] * len(operation.DEFINITION.operands)
    if operation is ct.FPowIOp:
        operands[1] = tile("i32", shape)
    result = tile("i1", shape) if operation in _PREDICATES else type_
    return Draft(
        operation, tuple((each,) for each in operands), (result,), properties_of(operation)
    )


def allowed(constraint: TypeConstraint) -> list[str]:
    """The element types that a constraint lets through, for tiles of some rank or of rank 0."""
    return [
        name
        for name in ELEMENTS
        if (name != "f4E2M1FN" and constraint.holds(tile(name)))
        or constraint.holds(tile(name, (8, 16)))
    ]


def drafts(operation: type[Operation]) -> Iterator[tuple[str, Draft]]:
    """The operation on each element type that it may have."""
    assert issubclass(operation, CudaTileOperation)
    for name in allowed(operation.DEFINITION.operands[0].constraint):
        yield name, elementwise(operation, name, SHAPES[0])


def outside(operation: type[Operation]) -> Iterator[tuple[str, Draft]]:
    """The operation on element types that it may not have."""
    assert issubclass(operation, CudaTileOperation)
    names = allowed(operation.DEFINITION.operands[0].constraint)
    for name in ELEMENTS:
        if name not in names:
            yield name, elementwise(operation, name, SHAPES[0])


def shaped(operation: type[Operation]) -> Iterator[tuple[str, Draft]]:
    """The operation on tiles of other shapes."""
    assert issubclass(operation, CudaTileOperation)
    names = allowed(operation.DEFINITION.operands[0].constraint)
    for number, shape in enumerate(SHAPES[1:]):
        name = names[number % len(names)]
        text = "x".join(map(str, shape)) or "scalar"
        yield f"{name} {text}", elementwise(operation, name, shape)
