"""Operation definitions, flattened from IRDL for parsing and verifying."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeVar

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    IRDLOperation,
    OpDef,
    OperandDef,
    OptionalDef,
    OptPropertyDef,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    ResultDef,
    SingleBlockRegionDef,
    VariadicDef,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

AttributeT = TypeVar("AttributeT", bound=Attribute, covariant=True)

SEGMENT_SIZES = AttrSizedOperandSegments.attribute_name
"""Property that counts the operands of each definition where several are optional or variadic."""


class Arity(Enum):
    """How many values one operand or result definition stands for."""

    SINGLE = auto()
    OPTIONAL = auto()
    VARIADIC = auto()


@dataclass(frozen=True)
class TypeConstraint(AttrConstraint[Attribute]):
    """A set of types, with a `description` for the diagnostic `must be {description}, but got
    ..`.
    """

    description: str
    holds: Callable[[Attribute], bool]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not self.holds(attr):
            raise VerifyException(f"must be {self.description}, but got '{attr}'")

    def mapping_type_vars(self, type_var_mapping: object) -> TypeConstraint:
        return self


@dataclass(frozen=True)
class PropertyConstraint(AttrConstraint[AttributeT]):
    """A set of attributes, with a `description` for diagnostics."""

    description: str
    holds: Callable[[Attribute], bool]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not self.holds(attr):
            raise VerifyException(f"failed to satisfy constraint: {self.description}")

    def mapping_type_vars(self, type_var_mapping: object) -> PropertyConstraint[AttributeT]:
        return self


@dataclass(frozen=True)
class ValueDefinition:
    """One operand or result definition."""

    name: str
    arity: Arity
    constraint: TypeConstraint

    @property
    def is_variadic(self) -> bool:
        """Whether the definition stands for any number of values."""
        return self.arity is Arity.VARIADIC


@dataclass(frozen=True)
class PropertyDefinition:
    """One property definition."""

    name: str
    required: bool
    constraint: PropertyConstraint[Attribute]


@dataclass(frozen=True)
class RegionDefinition:
    """One region definition."""

    name: str
    single_block: bool


@dataclass(frozen=True)
class Definition:
    """All facts of an operation class that parsing and verifying need.

    `property_names` are those of all properties, segment sizes included.
    """

    operands: tuple[ValueDefinition, ...]
    results: tuple[ValueDefinition, ...]
    properties: tuple[PropertyDefinition, ...]
    property_names: frozenset[str]
    regions: tuple[RegionDefinition, ...]
    segmented: bool

    @staticmethod
    def of(operation: type[IRDLOperation]) -> Definition:
        """Flattens the IRDL definition of `operation`."""
        irdl: OpDef = operation.get_irdl_definition()
        return Definition(
            _value_definitions(irdl.operands),
            _value_definitions(irdl.results),
            tuple(
                PropertyDefinition(n, not isinstance(d, OptPropertyDef), _property(d.constr))
                for n, d in irdl.properties.items()
                if n != SEGMENT_SIZES
            ),
            frozenset(irdl.properties),
            tuple(
                RegionDefinition(n, isinstance(d, SingleBlockRegionDef)) for n, d in irdl.regions
            ),
            any(isinstance(option, AttrSizedOperandSegments) for option in irdl.options),
        )


def _value_definitions(
    definitions: Sequence[tuple[str, OperandDef]] | Sequence[tuple[str, ResultDef]],
) -> tuple[ValueDefinition, ...]:
    return tuple(
        ValueDefinition(name, _arity(definition), _type_constraint(definition.constr))
        for name, definition in definitions
    )


def _arity(definition: object) -> Arity:
    if isinstance(definition, OptionalDef):
        return Arity.OPTIONAL
    return Arity.VARIADIC if isinstance(definition, VariadicDef) else Arity.SINGLE


def _type_constraint(constraint: RangeConstraint) -> TypeConstraint:
    inner = constraint.constraint if isinstance(constraint, RangeLengthConstraint) else constraint
    assert isinstance(inner, RangeOf) and isinstance(inner.constr, TypeConstraint)
    return inner.constr


def _property(constraint: AttrConstraint[Attribute]) -> PropertyConstraint[Attribute]:
    assert isinstance(constraint, PropertyConstraint)
    return constraint


def segment_lengths(
    definition: Definition, segments: Attribute | None, count: int
) -> Sequence[int]:
    """How many of `count` operands belong to each operand definition.

    Raises `VerifyException` if the lengths do not fit the definition.
    """
    _verify_count(definition.operands, count, "operands")
    if definition.segmented:
        lengths: Sequence[int] = ()
        if isinstance(segments, DenseArrayBase):
            lengths = [int(length) for length in segments.get_values()]
        if len(lengths) != len(definition.operands):
            raise VerifyException(
                f"'{SEGMENT_SIZES}' attribute for specifying operand segments must have "
                f"{len(definition.operands)} elements, but got {len(lengths)}"
            )
        if sum(lengths) != count:
            raise VerifyException(
                f"operand count ({count}) does not match with the total size ({sum(lengths)}) "
                f"specified in attribute '{SEGMENT_SIZES}'"
            )
        return lengths
    return _lengths(definition.operands, count)


def result_lengths(definition: Definition, count: int) -> Sequence[int]:
    """How many of `count` results belong to each result definition; raises `VerifyException`."""
    _verify_count(definition.results, count, "results")
    return _lengths(definition.results, count)


def verify_region_count(definition: Definition, count: int) -> None:
    """Raises `VerifyException` if an operation cannot have `count` regions."""
    expected = len(definition.regions)
    if count != expected:
        raise VerifyException(_REQUIRES.get((expected, "regions"), f"expected {expected} regions"))


_REQUIRES = {
    (0, "regions"): "requires zero regions",
    (1, "regions"): "requires one region",
    (0, "results"): "requires zero results",
    (1, "results"): "requires one result",
    (0, "operands"): "requires zero operands",
    (1, "operands"): "requires a single operand",
}
"""MLIR's traits have special messages for zero and one; the messages for other numbers state the
number.
"""


def _verify_count(values: Sequence[ValueDefinition], count: int, what: str) -> None:
    fixed = sum(value.arity is Arity.SINGLE for value in values)
    if fixed == len(values):
        if count != fixed:
            expected = f"expected {fixed} {what}, but found {count}"
            raise VerifyException(_REQUIRES.get((fixed, what), expected))
    elif count < fixed:
        raise VerifyException(f"expected {fixed} or more {what}, but found {count}")


def _lengths(values: Sequence[ValueDefinition], count: int) -> Sequence[int]:
    fixed = sum(value.arity is Arity.SINGLE for value in values)
    return [1 if value.arity is Arity.SINGLE else count - fixed for value in values]
