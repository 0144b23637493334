"""Every elementwise operation with all types and modifiers that the dialect's verifier accepts."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute
from xdsl.ir import Operation as IROperation
from xdsl.irdl import OperandDef, ResultDef, VerificationContext
from xdsl.utils.exceptions import VerifyException

from tests.unit.transforms.convert_tileas_to_llvm.elementwise import Operation
from tileir_xdsl.dialects.cuda_tile import CudaTile, FPowFOp
from tileir_xdsl.dialects.cuda_tile.enums import (
    ComparisonOrdering,
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
    IntegerOverflow,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES, element_of, tile

FAMILIES = (
    "bitwise",
    "conversions",
    "core_elementwise",
    "floating_point",
    "floating_point_functions",
    "integer",
)
"""The modules of the dialect with elementwise operations."""

OPERATIONS = tuple(
    op
    for op in CudaTile.operations
    if issubclass(op, CudaTileOperation)
    and op.__module__.rpartition(".")[2] in FAMILIES
    and op is not FPowFOp
)
"""Elementwise operations, of pointers too; `fpowf` is another spelling of `pow`."""

_ROUNDINGS = [RoundingModeAttr(mode) for mode in RoundingMode]
_FLAG = (None, UnitAttr())

MODIFIERS: Mapping[str, Sequence[Attribute | None]] = {
    "comparison_ordering": [ComparisonOrderingAttr(ordering) for ordering in ComparisonOrdering],
    "comparison_predicate": [
        ComparisonPredicateAttr(predicate) for predicate in ComparisonPredicate
    ],
    "flush_to_zero": _FLAG,
    "overflow": [IntegerOverflowAttr(flag) for flag in IntegerOverflow],
    "propagate_nan": _FLAG,
    "rounding": _ROUNDINGS,
    "rounding_mode": _ROUNDINGS,
    "saturating": _FLAG,
    "signedness": [SignednessAttr(signedness) for signedness in Signedness],
}
"""What every property of an elementwise operation may be."""

SHAPE = (32,)

Key = tuple[str, tuple[str, ...], str, tuple[tuple[str, str], ...]]
"""The name of an operation, element types of operands and result, and its properties."""


def key(operation: IROperation) -> Key:
    """What tells an operation from others on tiles of the same shape."""
    properties = sorted((name, str(value)) for name, value in operation.properties.items())
    return (
        operation.name,
        tuple(element_of(operand) for operand in operation.operands),
        element_of(operation.results[0]),
        tuple(properties),
    )


@cache
def accepted() -> Mapping[Key, Operation]:
    """All that the verifier accepts, on tiles of numbers."""
    return {key(operation): _as_text(operation) for op in OPERATIONS for operation in _accepted(op)}


def _accepted(op: type[CudaTileOperation]) -> Iterator[CudaTileOperation]:
    definition = op.get_irdl_definition()
    names = list(definition.properties)
    values = [definition for _, definition in (*definition.operands, *definition.results)]
    for types in product(*map(_types, values)):
        operands = [TestOp(result_types=[type]).results[0] for type in types[:-1]]
        for number, operand in enumerate(operands):
            operand.name_hint = f"in{number}"
        bare = op.create(operands=operands, result_types=types[-1:])
        if not _fulfils_relations(bare):
            continue
        for modifiers in product(*(MODIFIERS[name] for name in names)):
            chosen = {n: m for n, m in zip(names, modifiers, strict=True) if m is not None}
            operation = op.create(operands=operands, result_types=types[-1:], properties=chosen)
            try:
                operation.verify()
            except VerifyException:
                continue
            yield operation


def _types(definition: OperandDef | ResultDef) -> list[Attribute]:
    """The tiles of numbers that an operand or a result may be, whatever the others are."""
    found: list[Attribute] = []
    for element in ELEMENT_TYPES:
        try:
            definition.constr.verify([tile(element, SHAPE)], VerificationContext())
        except VerifyException:
            continue
        found.append(tile(element, SHAPE))
    return found


def _fulfils_relations(operation: CudaTileOperation) -> bool:
    """Whether the types of operands and results go together: much faster than to verify."""
    try:
        for relation in operation.RELATIONS:
            relation.verify(operation)
    except VerifyException:
        return False
    return True


def _as_text(operation: CudaTileOperation) -> Operation:
    _, _, text = str(operation).partition(" = ")
    _, operands, result, _ = key(operation)
    return Operation(" ".join(text.removeprefix("cuda_tile.").split()), operands, result)
