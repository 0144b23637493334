"""The base class of every `cuda_tile` operation, with the constraints its definition uses.

An operation is declared with xDSL's IRDL fields plus four class variables. `SYNTAX` is the custom
form as a sequence of directives (see `syntax`); operations that parse and print themselves have
`FORM`, its description. `RELATIONS` are rules that tie several types together. `RESULT_NAMES` are
the SSA names of the results in the short form, and `SINCE` is the first bytecode version that has
the operation. Verification runs in the order of the reference implementation and with its words. It
first checks the numbers of regions, results and operands, then attributes, types of operands and
results, blocks of regions. Verification then checks relations and traits, and runs
`verify_operation`, the verifiers of nested operations, and `verify_regions`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn, TypeVar

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.cuda_tile import definition as tile_definition
from tileir_xdsl.dialects.cuda_tile.enums import (
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.reporting import verify_at
from tileir_xdsl.dialects.cuda_tile.syntax import Directive, ParsedOperation
from tileir_xdsl.dialects.cuda_tile.types import (
    FLOATS,
    INTEGERS,
    POINTER,
    STANDARD_FLOATS,
    TensorViewType,
    TileType,
    TokenType,
    element_name,
)
from tileir_xdsl.dialects.cuda_tile.view_types import TileView
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition, when_defined

AttributeT = TypeVar("AttributeT", bound=Attribute)


def tile_of(
    *elements: str, rank: int | None = None, summary: str = "tile"
) -> tile_definition.TypeConstraint:
    """Tiles with one of the named element types, of any rank or of `rank`."""
    allowed = frozenset(elements)
    prefix = summary if rank is None else f"{rank}D {summary}"

    def holds(type_: Attribute) -> bool:
        return (
            isinstance(type_, TileType)
            and element_name(type_.element_type) in allowed
            and (rank is None or len(type_.shape.data) == rank)
        )

    return tile_definition.TypeConstraint(f"{prefix} of {' or '.join(elements)} values", holds)


def type_of(description: str, *classes: type[Attribute]) -> tile_definition.TypeConstraint:
    return tile_definition.TypeConstraint(description, lambda type_: isinstance(type_, classes))


ANY_TYPE = tile_definition.TypeConstraint("any type", lambda type_: True)
TILE = type_of("Tile type", TileType)
TOKEN = type_of("cuda tile token type", TokenType)
TENSOR_VIEW = type_of("tensor view type", TensorViewType)
TILE_VIEW = type_of("TileView instance", TileView)
INTEGER_TILE = tile_of(*INTEGERS)
INTEGER_TILE_WITH_I4 = tile_of(*INTEGERS, "i4")
FLOAT_TILE = tile_of(*STANDARD_FLOATS)
ANY_FLOAT_TILE = tile_of(*FLOATS)
NUMBER_TILE = tile_of(*INTEGERS, *FLOATS)
NUMBER_TILE_WITH_I4 = tile_of(*INTEGERS, *FLOATS, "i4")
BOOLEAN_TILE = tile_of("i1")
I64_TILE = tile_of("i64")
POINTER_TILE = tile_of(POINTER)
I32_SCALAR = tile_of("i32", rank=0)
BOOLEAN_SCALAR = tile_of("i1", rank=0)
POINTER_SCALAR = tile_of(POINTER, rank=0)
INTEGER_SCALAR = tile_of(*INTEGERS, rank=0)


def attribute_of(
    description: str, cls: type[AttributeT]
) -> tile_definition.PropertyConstraint[AttributeT]:
    """Properties that are instances of `cls`."""
    return tile_definition.PropertyConstraint(
        description, lambda attribute: isinstance(attribute, cls)
    )


def integer_of(
    description: str, type_: Attribute, holds: Callable[[int], bool] = lambda value: True
) -> tile_definition.PropertyConstraint[IntegerAttr]:
    """Integer properties of `type_` whose value fulfils `holds`."""
    return tile_definition.PropertyConstraint(
        description,
        lambda attribute: (
            isinstance(attribute, IntegerAttr)
            and attribute.get_type() == type_
            and holds(attribute.value.data)
        ),
    )


def enumerated(
    description: str, enum: type[StrEnum]
) -> tile_definition.PropertyConstraint[IntegerAttr]:
    """Properties that store a value of `enum` as its number, an `i32`."""
    count = len(enum)
    return integer_of(description, i32, lambda value: 0 <= value < count)


UNIT = attribute_of("unit attribute", UnitAttr)
ROUNDING = attribute_of("rounding mode", RoundingModeAttr)
OVERFLOW_FLAGS = attribute_of("integer overflow", IntegerOverflowAttr)
SIGNEDNESS = attribute_of("Signedness", SignednessAttr)
BOOLEAN = integer_of("bool attribute", i1)
NON_NEGATIVE_I32 = integer_of(
    "32-bit signless integer attribute whose value is non-negative", i32, lambda value: value >= 0
)
I64 = integer_of("64-bit signless integer attribute", i64)
NON_NEGATIVE_I64 = integer_of(
    "64-bit signless integer attribute whose minimum value is 0", i64, lambda value: value >= 0
)


class Relation(ABC):
    """A rule that ties the types of several operands and results together."""

    @abstractmethod
    def verify(self, operation: CudaTileOperation) -> None:
        """Raises `VerifyException` if the rule is broken."""


def _values(operation: CudaTileOperation, names: Sequence[str]) -> list[SSAValue]:
    values = [getattr(operation, name) for name in names]
    return [value for value in values if isinstance(value, SSAValue)]


@dataclass(frozen=True)
class AllMatch(Relation):
    """The types of all `names` have the same `key`, which diagnostics call `property`.

    `words` replace `names` in diagnostics.
    """

    names: tuple[str, ...]
    property: str
    key: Callable[[Attribute], object]
    words: tuple[str, ...] = ()

    def verify(self, operation: CudaTileOperation) -> None:
        first, *others = [self.key(value.type) for value in _values(operation, self.names)]
        if any(other != first for other in others):
            operation.fail(
                f"failed to verify that all of {{{', '.join(self.words or self.names)}}} "
                f"have {self.property}"
            )


def _shape(type_: Attribute) -> object:
    return type_.get_shape() if isinstance(type_, TileType) else None


def _rank(type_: Attribute) -> object:
    return type_.get_num_dims() if isinstance(type_, TileType) else None


def _element(type_: Attribute) -> object:
    return type_.element_type if isinstance(type_, TileType) else None


def all_types_match(*names: str, words: tuple[str, ...] = ()) -> AllMatch:
    """Same type."""
    return AllMatch(names, "same type", lambda type_: type_, words)


def all_shapes_match(*names: str, words: tuple[str, ...] = ()) -> AllMatch:
    """Same shape."""
    return AllMatch(names, "same shape", _shape, words)


def all_ranks_match(*names: str, words: tuple[str, ...] = ()) -> AllMatch:
    """Same rank."""
    return AllMatch(names, "same rank", _rank, words)


def all_element_types_match(*names: str, words: tuple[str, ...] = ()) -> AllMatch:
    """Same element type."""
    return AllMatch(names, "the same element type", _element, words)


@dataclass(frozen=True)
class SameOverall(Relation):
    """All operands, and all results unless `operands_only`, have the same `property`."""

    property: str
    key: Callable[[Attribute], object]
    operands_only: bool = False

    def verify(self, operation: CudaTileOperation) -> None:
        values = [*operation.operands, *(() if self.operands_only else operation.results)]
        if len({self.key(value.type) for value in values}) > 1:
            where = "operands" if self.operands_only else "operands and results"
            operation.fail(f"requires the same {self.property} for all {where}")


SAME_SHAPE = SameOverall("shape", _shape)
SAME_OPERAND_SHAPE = SameOverall("shape", _shape, operands_only=True)
SAME_ELEMENT_TYPE = SameOverall("element type", _element)


@dataclass(frozen=True)
class Requires(Relation):
    """Any other rule: `holds` tests the rule, `message` is its diagnostic."""

    message: str
    holds: Callable[[CudaTileOperation], bool]

    def verify(self, operation: CudaTileOperation) -> None:
        if not self.holds(operation):
            operation.fail(f"failed to verify that {self.message}")


class CudaTileOperation(IRDLOperation, ABC):
    """An operation of `cuda_tile`."""

    SYNTAX: ClassVar[tuple[Directive, ...]] = ()
    FORM: ClassVar[str] = ""
    RELATIONS: ClassVar[tuple[Relation, ...]] = ()
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ()
    SINCE: ClassVar[str] = "13.1"
    DEFINITION: ClassVar[tile_definition.Definition]

    def fail(self, message: str) -> NoReturn:
        """Raises `VerifyException` with the name of the op before `message`."""
        raise VerifyException(f"'{self.name}' op {message}")

    def fail_bare(self, message: str) -> NoReturn:
        """Raises `VerifyException` with `message` alone."""
        raise VerifyException(message)

    def optional_operand(self, name: str) -> SSAValue | None:
        """The operand of this name; None if absent."""
        return getattr(self, name)

    def variadic_operand(self, name: str) -> Sequence[SSAValue]:
        """The operands of this name."""
        return getattr(self, name)

    @classmethod
    def describe_form(cls) -> str:
        """The text after the name in the custom form, where `(x)?` is optional and `..` repeats."""
        if cls.FORM:
            return cls.FORM
        parts = " ".join(directive.describe() for directive in cls.SYNTAX)
        return re.sub(r" (\(?,|\[%)", r"\1", parts)

    def result_names(self) -> Sequence[str]:
        """SSA names of the results in the short form; empty for numbers."""
        return self.RESULT_NAMES

    def block_argument_names(self) -> Sequence[str]:
        """SSA names of the block arguments in the short form; empty for `arg0`, `arg1`, .."""
        return ()

    def verify_operation(self) -> None:
        """Checks rules that the definition cannot express, before nested operations are
        verified.
        """

    def verify_regions(self) -> None:
        """Runs the checks that need verified nested operations."""

    @classmethod
    def parse(cls, parser: Parser) -> CudaTileOperation:
        state = ParsedOperation(cls.name, cls.DEFINITION)
        for directive in cls.SYNTAX:
            directive.parse(parser, state)
        return state.build(parser, cls)

    def print(self, printer: Printer) -> None:
        for directive in self.SYNTAX:
            directive.print(printer, self)

    def verify(self, verify_nested_ops: bool = True) -> None:
        super().verify(verify_nested_ops=False)
        if self.regions:
            verify_at(self, self._verify_terminators)
            if verify_nested_ops:
                for region in self.regions:
                    region.verify()
            verify_at(self, self.verify_regions)

    def _verify_terminators(self) -> None:
        if self.has_trait(NoTerminator):
            return
        for region in self.regions:
            for block in region.blocks:
                if block.last_op is None:
                    self.fail_bare("empty block: expect at least a terminator")
                if not block.last_op.has_trait(IsTerminator, value_if_unregistered=True):
                    self.fail_bare(f"block with no terminator, has {block.last_op.name}")


def _verify_definition(operation: CudaTileOperation) -> None:
    definition = operation.DEFINITION
    properties = operation.properties
    try:
        # MLIR's traits count before anything reads an attribute or a type.
        tile_definition.verify_region_count(definition, len(operation.regions))
        result_groups = tile_definition.result_lengths(definition, len(operation.results))
        operand_groups = tile_definition.segment_lengths(
            definition, properties.get(tile_definition.SEGMENT_SIZES), len(operation.operands)
        )
    except VerifyException as error:
        operation.fail(str(error))
    for prop in definition.properties:
        attribute = properties.get(prop.name)
        if attribute is None:
            if prop.required:
                operation.fail(f"requires attribute '{prop.name}'")
        elif not prop.constraint.holds(attribute):
            operation.fail(
                f"attribute '{prop.name}' failed to satisfy constraint: "
                f"{prop.constraint.description}"
            )
    if not properties.keys() <= definition.property_names:
        unknown = next(name for name in properties if name not in definition.property_names)
        operation.fail_bare(
            f"property '{unknown}' is not defined by the operation '{operation.name}'. "
            "Use the dictionary attribute to add arbitrary information to the operation."
        )
    _verify_values(operation, "operand", definition.operands, operation.operands, operand_groups)
    _verify_values(operation, "result", definition.results, operation.results, result_groups)
    for index, (region, rule) in enumerate(zip(operation.regions, definition.regions, strict=True)):
        if rule.single_block and len(region.blocks) != 1:
            operation.fail(
                f"region #{index} ('{rule.name}') failed to verify constraint: region with 1 blocks"
            )


_GROUP_LENGTHS = {tile_definition.Arity.SINGLE: (1,), tile_definition.Arity.OPTIONAL: (0, 1)}


def _verify_values(
    operation: CudaTileOperation,
    what: str,
    definitions: Sequence[tile_definition.ValueDefinition],
    values: Sequence[SSAValue],
    lengths: Sequence[int],
) -> None:
    index = 0
    for definition, length in zip(definitions, lengths, strict=True):
        if length not in _GROUP_LENGTHS.get(definition.arity, (length,)):
            allowed = " or ".join(map(str, _GROUP_LENGTHS[definition.arity]))
            operation.fail(
                f"{what} group starting at #{index} requires {allowed} element, but found {length}"
            )
        for _ in range(length):
            type_ = values[index].type
            if not definition.constraint.holds(type_):
                variadic = "variadic of " if definition.is_variadic else ""
                operation.fail(
                    f"{what} #{index} must be {variadic}{definition.constraint.description}, "
                    f"but got '{type_}'"
                )
            index += 1


def verify_rounding(
    operation: CudaTileOperation, mode: RoundingModeAttr, allowed: Sequence[RoundingMode]
) -> None:
    """Raises `VerifyException` unless `mode` is one of `allowed`."""
    if mode.data not in allowed:
        operation.fail(f"invalid rounding mode specified, expect one of [{', '.join(allowed)}]")


def verify_f32_modifier(operation: CudaTileOperation, modifier: str, given: bool) -> None:
    """Raises `VerifyException` if `modifier` is given and the elements are not f32."""
    element_type = tile_type(operation.results[0]).element_type
    if given and element_name(element_type) != "f32":
        operation.fail(
            f"{modifier} modifier only supported for f32 data type, but got: '{element_type}'"
        )


def tile_type(value: SSAValue) -> TileType:
    """The type of a value that is known to be a tile."""
    assert isinstance(value.type, TileType)
    return value.type


OperationT = TypeVar("OperationT", bound=CudaTileOperation)


def cuda_tile_operation(cls: type[OperationT]) -> type[OperationT]:
    """Declares an operation: Decorator like `irdl_op_definition`, with the verification order of
    `cuda_tile`.
    """

    def verify_(self: CudaTileOperation) -> None:
        _verify_definition(self)
        for relation in self.RELATIONS:
            relation.verify(self)
        for trait in self.traits:
            trait.verify(self)
        self.verify_operation()

    def finish(operation: type[OperationT]) -> None:
        operation.DEFINITION = tile_definition.Definition.of(operation)
        operation.verify_ = verify_

    definition = irdl_op_definition(cls)
    when_defined(definition, finish, "DEFINITION")
    return definition
