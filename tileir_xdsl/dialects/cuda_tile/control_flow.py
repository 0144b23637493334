"""Control flow.

Source: Tile IR specification, section 8.5 (control flow); the loops are in `control_flow_loops`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import FunctionType, StringAttr, i1
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.interfaces import (
    ANY_TYPE,
    BOOLEAN_SCALAR,
    BOOLEAN_TILE,
    CudaTileOperation,
    Relation,
    attribute_of,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.regions import (
    parse_region,
    print_region,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    COMMA,
    Directive,
    Operand,
    ParsedOperation,
    StringLiteral,
    Type,
    parse_operand,
    parse_optional_operands,
    parse_types,
    print_types,
    quoted_list,
    quoted_types,
    resolve_operand,
)
from tileir_xdsl.dialects.cuda_tile.types import TensorViewType, TileType, parse_type
from tileir_xdsl.dialects.cuda_tile.view_types import TileView

FUNCTIONS = ("cuda_tile.entry", "cuda_tile.experimental$func", "cuda_tile.testing$func")
"""Names of the function ops, which `return` ends."""


def ensure_terminator(region: Region, terminator: type[Operation]) -> None:
    """Appends `terminator` without operands to the block of `region` if it has no terminator."""
    last = region.block.last_op
    if last is None or not last.has_trait(IsTerminator, value_if_unregistered=False):
        region.block.add_op(terminator.create())


def is_implicit(terminator: Operation | None, kind: type[Operation]) -> bool:
    """Whether the text may omit `terminator`, because its region implies the class `kind`."""
    return isinstance(terminator, kind) and not terminator.operands


@dataclass(frozen=True)
class ParentOneOf(Relation):
    """Requires that the parent of the operation is one of the named operations."""

    names: tuple[str, ...]

    def verify(self, operation: CudaTileOperation) -> None:
        parent = operation.parent_op()
        if parent is not None and parent.name not in self.names:
            one_of = "to be one of " if len(self.names) > 1 else ""
            operation.fail(f"expects parent op {one_of}'{', '.join(self.names)}'")


def _find_ancestor(
    operation: CudaTileOperation, targets: Sequence[str], passed: Sequence[str]
) -> Operation | None:
    """The innermost of `targets` around `operation`; None if other ops than `passed` are in
    between.
    """
    parent = operation.parent_op()
    while parent is not None and parent.name not in targets:
        if parent.name not in passed:
            return None
        parent = parent.parent_op()
    return parent


class _TerminatorOperands(Directive):
    """`%a, .. : T, ..`, or nothing."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        operands = parse_optional_operands(parser)
        state.operands["values"] = operands
        if operands:
            expect(parser, ":")
            state.types["values"] = parse_types(parser)

    def print(self, printer: Printer, operation: Operation) -> None:
        if operation.operands:
            printer.print_string(" ")
            printer.print_list(operation.operands, printer.print_ssa_value)
            printer.print_string(" : ")
            print_types(printer, [operand.type for operand in operation.operands])

    def describe(self) -> str:
        return "(%values, .. : type(%values), ..)?"


class Terminator(IsTerminator):
    """Trait of an op that ends a block; at another position it raises MLIR's diagnostic."""

    def verify(self, op: Operation) -> None:
        if op.parent is not None and op.parent.last_op is not op:
            raise VerifyException(f"'{op.name}' op must be the last operation in the parent block")


class TerminatorOperation(CudaTileOperation):
    """Ends a block and forwards its operands to an enclosing operation."""

    values = var_operand_def(ANY_TYPE)

    traits = traits_def(Terminator())
    SYNTAX: ClassVar = (ATTRIBUTES, _TerminatorOperands())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@cuda_tile_operation
class ReturnOp(TerminatorOperation):
    """Ends the kernel (or function). Section 8.5.7.

    The specification forbids `return` in loops; this dialect accepts it, with a remark.
    """

    name = "cuda_tile.return"

    def verify_operation(self) -> None:
        function = _find_ancestor(
            self, FUNCTIONS, ("cuda_tile.for", "cuda_tile.if", "cuda_tile.loop")
        )
        if function is None:
            if self.parent_op() is not None:
                self.fail("must be used within a cuda_tile.entry, or cuda_tile.if operation")
            return
        count = len(self.operands)
        if function.name == "cuda_tile.entry":
            if count:
                self.fail(f"has {count} operands, but entry function must return 0 operands")
            return
        type_, symbol = function.properties["function_type"], function.properties["sym_name"]
        assert isinstance(type_, FunctionType) and isinstance(symbol, StringAttr)
        results = type_.outputs.data
        if [operand.type for operand in self.operands] != list(results):
            self.fail(
                f"has {count} operands, but enclosing function (@{symbol.data}) returns "
                f"{len(results)}"
            )


@cuda_tile_operation
class YieldOp(TerminatorOperation):
    """Ends a region of `if`, `reduce` or `scan` with its results. Section 8.5.8."""

    name = "cuda_tile.yield"

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (ParentOneOf(("cuda_tile.if", "cuda_tile.reduce", "cuda_tile.scan")),)


@cuda_tile_operation
class BreakOp(TerminatorOperation):
    """Ends the innermost `loop`; the operands are its results. Section 8.5.2."""

    name = "cuda_tile.break"

    RELATIONS: ClassVar = (ParentOneOf(("cuda_tile.if", "cuda_tile.loop")),)

    def verify_operation(self) -> None:
        if self.parent_op() is None:
            return
        loop = _find_ancestor(self, ("cuda_tile.loop",), ("cuda_tile.if",))
        if loop is None:
            self.fail(
                "can only be nested within a ancestor chain of "
                "'cuda_tile.loop', 'cuda_tile.if' operations\nsee unexpected ancestor operation"
            )
        found, expected = [o.type for o in self.operands], [r.type for r in loop.results]
        if found != expected:
            self.fail(
                "operand types must correspond to the parent loop result types: "
                f"{quoted_types(found)} vs {quoted_types(expected)}"
            )


@cuda_tile_operation
class ContinueOp(TerminatorOperation):
    """Starts the next iteration of the innermost loop; the operands are carried. Section 8.5.3."""

    name = "cuda_tile.continue"

    RELATIONS: ClassVar = (ParentOneOf(("cuda_tile.for", "cuda_tile.if", "cuda_tile.loop")),)

    def verify_operation(self) -> None:
        if self.parent_op() is None:
            return
        loop = _find_ancestor(self, ("cuda_tile.for", "cuda_tile.loop"), ("cuda_tile.if",))
        if loop is None:
            self.fail(
                "can only be nested within a ancestor chain of "
                "'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if' operations\n"
                "see unexpected ancestor operation"
            )
        found = [operand.type for operand in self.operands]
        if loop.name == "cuda_tile.for":
            what, expected = "return types", [result.type for result in loop.results]
        else:
            what, expected = "iter_values", [operand.type for operand in loop.operands]
        if found != expected:
            self.fail_bare(
                f"`{loop.name.removeprefix('cuda_tile.')}` is missing a valid terminator. "
                "`continue` op should have operand types that match the parent loop "
                f"{what}: {quoted_types(expected)}, but found: {quoted_types(found)}"
            )


def unsupported_value(type_: Attribute) -> str | None:
    """Why a loop or an `if` cannot produce a value of this type."""
    if isinstance(type_, TensorViewType):
        return "a tensor_view"
    return "a tile view" if isinstance(type_, TileView) else None


class RegionOperation(CudaTileOperation):
    """An operation whose results are the operands of its regions' terminators."""

    def verify_result_types(self) -> None:
        """Raises `VerifyException` if a result is a view."""
        for index, result in enumerate(self.results):
            if (what := unsupported_value(result.type)) is not None:
                self.fail(f"result type {index} is {what}, which is not supported")


def parse_parenthesised_types(parser: Parser) -> list[Attribute]:
    """Parses `(T, ..)`."""
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_type(parser))


_SCALAR_CONDITION = TileType([], i1)


@cuda_tile_operation
class IfOp(RegionOperation):
    """Executes one of two regions; the yielded values are the results. Section 8.5.5.

    Without results the else region may be missing (a region without blocks). A region may also end
    in `break`, `continue` or `return`.
    """

    name = "cuda_tile.if"
    FORM: ClassVar = "%condition (-> (type(%result), ..))? { .. } (else { .. })? ({..})?"

    condition = operand_def(BOOLEAN_SCALAR)
    result = var_result_def(ANY_TYPE)
    then_region = region_def()
    else_region = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        condition: SSAValue,
        result_types: Sequence[Attribute],
        then_region: Region,
        else_region: Region | None = None,
    ):
        super().__init__(
            operands=[condition],
            result_types=[result_types],
            regions=[then_region, else_region or Region()],
        )

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = resolve_operand(parser, parse_operand(parser), _SCALAR_CONDITION)
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            results = parse_parenthesised_types(parser)
        then_region = parse_region(parser)
        ensure_terminator(then_region, YieldOp)
        else_region = Region()
        if parser.parse_optional_keyword("else"):
            else_region = parse_region(parser)
            ensure_terminator(else_region, YieldOp)
        return cls.create(
            operands=[condition],
            result_types=results,
            attributes=parser.parse_optional_attr_dict(),
            regions=[then_region, else_region],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        if self.results:
            printer.print_string(" -> (")
            print_types(printer, [result.type for result in self.results])
            printer.print_string(")")
        for keyword, region in (("", self.then_region), (" else", self.else_region)):
            if region.blocks:
                printer.print_string(keyword)
                implicit = is_implicit(region.block.last_op, YieldOp)
                print_region(printer, region, terminator=not implicit)
        printer.print_op_attributes(self.attributes)

    def verify_operation(self) -> None:
        for index, (name, region) in enumerate(
            (("thenRegion", self.then_region), ("elseRegion", self.else_region))
        ):
            if len(region.blocks) > 1:
                self.fail(
                    f"region #{index} ('{name}') failed to verify constraint: "
                    "region with at most 1 blocks"
                )

    def verify_regions(self) -> None:
        if not self.then_region.blocks:
            self.fail("must define then branch")
        if self.results and not self.else_region.blocks:
            self.fail("has non-empty return type, must define else branch")
        self.verify_result_types()
        for branch, region in (("then", self.then_region), ("else", self.else_region)):
            if region.blocks and isinstance(terminator := region.block.last_op, YieldOp):
                self._verify_yield(branch, [value.type for value in terminator.operands])

    def _verify_yield(self, branch: str, yielded: Sequence[Attribute]) -> None:
        results = [result.type for result in self.results]
        if results and not yielded:
            self.fail(
                f"has return type of {quoted_list(results)} but {branch} branch does not yield "
                "anything"
            )
        if yielded and not results:
            self.fail(f"does not return a value, but {branch} branch yields {quoted_list(yielded)}")
        if list(yielded) != results:
            self.fail(
                f"type does not match yield type, {branch} branch yields {quoted_list(yielded)} "
                f"but op result type is {quoted_list(results)}"
            )


@cuda_tile_operation
class AssertOp(CudaTileOperation):
    """Reports `message` and an error for every element that is false. Section 8.5.1."""

    name = "cuda_tile.assert"

    condition = operand_def(BOOLEAN_TILE)
    message = prop_def(attribute_of("string attribute", StringAttr))

    SYNTAX: ClassVar = (
        Operand("condition"),
        COMMA,
        StringLiteral("message"),
        ATTRIBUTES,
        COLON,
        Type("condition"),
    )

    def __init__(self, condition: SSAValue, message: str):
        super().__init__(operands=[condition], properties={"message": StringAttr(message)})
