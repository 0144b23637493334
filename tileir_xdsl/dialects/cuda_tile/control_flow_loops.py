"""Loops.

Source: Tile IR specification, section 8.5 (control flow).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.mlir_lexer import PunctuationSpelling

from tileir_xdsl.dialects.cuda_tile.control_flow import (
    ContinueOp,
    RegionOperation,
    ensure_terminator,
    is_implicit,
    parse_parenthesised_types,
    unsupported_value,
)
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    ANY_TYPE,
    INTEGER_SCALAR,
    UNIT,
    all_types_match,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.parsing import expect, expect_keyword
from tileir_xdsl.dialects.cuda_tile.regions import (
    parse_region,
    print_region,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    custom_error,
    parse_operand,
    parse_types,
    print_types,
    resolve_operand,
)
from tileir_xdsl.dialects.cuda_tile.types import parse_type, print_type


class _LoopOperation(RegionOperation):
    """A loop whose block arguments, after the first `LEADING`, are its carried values."""

    LEADING: ClassVar = 0

    def verify_carried_values(self, block: Block, inits: Sequence[SSAValue]) -> None:
        """Checks the carried values against their initial values."""
        carried = block.args[self.LEADING :]
        if len(carried) != len(inits):
            self.fail(
                "mismatch in number of region iterator values and loop iterator inits: "
                f"{len(carried)} vs {len(inits)}"
            )
        for index, (argument, init) in enumerate(zip(carried, inits, strict=True)):
            if (what := unsupported_value(argument.type)) is not None:
                self.fail(f"loop-carried value {index} is {what}, which is not supported")
            if argument.type != init.type:
                self.fail(
                    f"init value {index} and region iter_value {index} have different type: "
                    f"'{init.type}' != '{argument.type}'"
                )
        self.verify_result_types()


def _parse_iter_values(
    parser: Parser,
) -> tuple[list[Parser.UnresolvedArgument], list[UnresolvedOperand]]:
    """Parses `(%a = %init, ..)`."""
    names: list[Parser.UnresolvedArgument] = []
    inits: list[UnresolvedOperand] = []

    def pair() -> None:
        name = parser.parse_optional_argument(expect_type=False)
        if name is None:
            parser.raise_error("expected SSA operand")
        names.append(name)
        expect(parser, "=")
        inits.append(parse_operand(parser))

    parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
    return names, inits


def _print_iter_values(
    printer: Printer, arguments: Sequence[SSAValue], inits: Sequence[SSAValue]
) -> None:
    def pair(values: tuple[SSAValue, SSAValue]) -> None:
        printer.print_ssa_value(values[0])
        printer.print_string(" = ")
        printer.print_ssa_value(values[1])

    printer.print_string(" iter_values(")
    printer.print_list(zip(arguments, inits, strict=True), pair)
    printer.print_string(")")


@cuda_tile_operation
class ForOp(_LoopOperation):
    """A loop over `lower_bound`, `lower_bound + step`, .. below `upper_bound`. Section 8.5.4.

    `step` is positive; bounds are compared as signed integers unless `unsigned_cmp` (since 13.2).
    Carried values start as `init_values`; each `continue` yields those of the next iteration. The
    last carried values are the results.
    """

    name = "cuda_tile.for"
    FORM: ClassVar = (
        "(unsigned)? %index in (%lower_bound to %upper_bound, step %step) : type(%step) "
        "(iter_values(%value = %init, ..) -> (TYPE, ..))? { .. } ({..})?"
    )

    lower_bound = operand_def(INTEGER_SCALAR)
    upper_bound = operand_def(INTEGER_SCALAR)
    step = operand_def(INTEGER_SCALAR)
    init_values = var_operand_def(ANY_TYPE)
    unsigned_cmp = opt_prop_def(UNIT, prop_name="unsignedCmp")
    result_values = var_result_def(ANY_TYPE)
    body = region_def("single_block")

    LEADING: ClassVar = 1

    traits = traits_def(RecursiveMemoryEffect())
    RELATIONS: ClassVar = (
        all_types_match(
            "lower_bound", "upper_bound", "step", words=("lowerBound", "upperBound", "step")
        ),
    )
    RESULT_NAMES: ClassVar = ("for",)

    def __init__(
        self,
        lower_bound: SSAValue,
        upper_bound: SSAValue,
        step: SSAValue,
        init_values: Sequence[SSAValue],
        body: Region,
        *,
        unsigned: bool = False,
    ):
        super().__init__(
            operands=[lower_bound, upper_bound, step, init_values],
            properties={"unsignedCmp": UnitAttr() if unsigned else None},
            result_types=[[value.type for value in init_values]],
            regions=[body],
        )

    @property
    def induction_variable(self) -> SSAValue:
        """The block argument that counts from the lower to the upper bound."""
        return self.body.block.args[0]

    @property
    def carried_values(self) -> Sequence[SSAValue]:
        """The block arguments that hold the carried values."""
        return self.body.block.args[1:]

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("unsigned"):
            properties["unsignedCmp"] = UnitAttr()
        variable = parser.parse_optional_argument(expect_type=False)
        if variable is None:
            parser.raise_error("expected SSA operand")
        expect_keyword(parser, "in", cls.name)
        expect(parser, "(")
        lower = parse_operand(parser)
        expect_keyword(parser, "to", cls.name)
        upper = parse_operand(parser)
        expect(parser, ",")
        expect_keyword(parser, "step", cls.name)
        step = parse_operand(parser)
        expect(parser, ")")
        expect(parser, ":")
        type_ = parse_type(parser)
        names: list[Parser.UnresolvedArgument] = []
        inits: list[UnresolvedOperand] = []
        types: list[Attribute] = []
        if parser.parse_optional_keyword("iter_values"):
            names, inits = _parse_iter_values(parser)
            expect(parser, "->")
            position = parser.pos
            types = parse_parenthesised_types(parser)
            if len(types) != len(names):
                custom_error(
                    parser,
                    cls.name,
                    "mismatch in number of loop-carried values and defined values",
                    position,
                )
        operands = [resolve_operand(parser, bound, type_) for bound in (lower, upper, step)]
        operands += [resolve_operand(parser, i, t) for i, t in zip(inits, types, strict=True)]
        arguments = [variable.resolve(type_)]
        arguments += [name.resolve(t) for name, t in zip(names, types, strict=True)]
        body = parse_region(parser, arguments)
        ensure_terminator(body, ContinueOp)
        return cls.create(
            operands=operands,
            result_types=types,
            properties=properties,
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" unsigned " if self.unsigned_cmp is not None else " ")
        variable, *carried = self.body.block.args
        printer.print_ssa_value(variable)
        bounds: tuple[tuple[str, SSAValue], ...] = (
            (" in (", self.lower_bound),
            (" to ", self.upper_bound),
            (", step ", self.step),
        )
        for text, value in bounds:
            printer.print_string(text)
            printer.print_ssa_value(value)
        printer.print_string(") : ")
        print_type(printer, variable.type)
        if carried:
            _print_iter_values(printer, carried, self.init_values)
            printer.print_string(" -> (")
            print_types(printer, [value.type for value in carried])
            printer.print_string(")")
        implicit = is_implicit(self.body.block.last_op, ContinueOp)
        print_region(printer, self.body, terminator=not implicit)
        printer.print_op_attributes(self.attributes)

    def block_argument_names(self) -> Sequence[str]:
        return ("loopIdx", *(f"iterArg{i}" for i in range(len(self.init_values))))

    def verify_operation(self) -> None:
        if [value.type for value in self.init_values] != [r.type for r in self.results]:
            self.fail("failed to verify that all of {initValues, resultValues} have same type")

    def verify_regions(self) -> None:
        block = self.body.block
        if not block.args:
            self.fail("expected at least one block argument for induction variable")
        if block.args[0].type != self.lower_bound.type:
            self.fail(
                "expected induction variable to be same type as bounds and step: "
                f"'{block.args[0].type}' vs '{self.lower_bound.type}'"
            )
        self.verify_carried_values(block, self.init_values)


@cuda_tile_operation
class LoopOp(_LoopOperation):
    """A loop that only `break` leaves. Section 8.5.6.

    Carried values start as `init_values`; each `continue` yields those of the next iteration.
    `break` yields the results, whose types may differ from those of the carried values.
    """

    name = "cuda_tile.loop"
    FORM: ClassVar = (
        "(iter_values(%value = %init, ..) : TYPE, .. (-> TYPE, ..)?)? { .. } ({..})?; "
        "with results alone: loop : TYPE, .. { .. }"
    )

    init_values = var_operand_def(ANY_TYPE)
    result_values = var_result_def(ANY_TYPE)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self, init_values: Sequence[SSAValue], result_types: Sequence[Attribute], body: Region
    ):
        super().__init__(operands=[init_values], result_types=[result_types], regions=[body])

    @property
    def carried_values(self) -> Sequence[SSAValue]:
        """The block arguments that hold the carried values."""
        return self.body.block.args

    @classmethod
    def parse(cls, parser: Parser) -> LoopOp:
        names: list[Parser.UnresolvedArgument] = []
        inits: list[UnresolvedOperand] = []
        types: list[Attribute] = []
        results: list[Attribute] = []
        if parser.parse_optional_keyword("iter_values"):
            names, inits = _parse_iter_values(parser)
            expect(parser, ":")
            position = parser.pos
            types = parse_types(parser)
            if len(types) != len(names):
                custom_error(
                    parser,
                    cls.name,
                    "found different number of iter_values and types",
                    position,
                )
            if parser.parse_optional_punctuation("->"):
                results = parse_types(parser)
        elif parser.parse_optional_punctuation(":"):
            results = parse_types(parser)
        operands = [resolve_operand(parser, i, t) for i, t in zip(inits, types, strict=True)]
        body = parse_region(parser, [name.resolve(t) for name, t in zip(names, types, strict=True)])
        ensure_terminator(body, ContinueOp)
        return cls.create(
            operands=operands,
            result_types=results,
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        separator: PunctuationSpelling = ":"
        if carried := self.body.block.args:
            _print_iter_values(printer, carried, self.init_values)
            printer.print_string(" : ")
            print_types(printer, [value.type for value in carried])
            separator = "->"
        if self.results:
            printer.print_string(f" {separator} ")
            print_types(printer, [result.type for result in self.results])
        implicit = is_implicit(self.body.block.last_op, ContinueOp)
        print_region(printer, self.body, terminator=not implicit)
        printer.print_op_attributes(self.attributes)

    def verify_regions(self) -> None:
        self.verify_carried_values(self.body.block, self.init_values)
