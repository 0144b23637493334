"""`llvm.switch`."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition

Value = Operation | SSAValue


@irdl_op_definition
class SwitchOp(IRDLOperation):
    """Branches to the block of the case that equals `value`, or to the default block.

    llvm.switch %i : i32, ^default [ 0: ^zero, 1: ^one(%x : i32) ]
    """

    name = "llvm.switch"

    value = operand_def(IntegerType)
    defaultOperands = var_operand_def()
    caseOperands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase.constr(i32))
    defaultDestination = successor_def()
    caseDestinations = var_successor_def()

    traits = traits_def(IsTerminator())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        value: Value,
        default: tuple[Block, Sequence[Value]],
        cases: Sequence[tuple[int, Block, Sequence[Value]]],
    ):
        """`default` is a block and its arguments, each case a number, a block and its arguments."""
        value = SSAValue.get(value)
        assert isinstance(value.type, IntegerType)
        numbers = [number for number, _, _ in cases]
        type = VectorType(value.type, [len(cases)])
        super().__init__(
            operands=[value, default[1], [v for _, _, arguments in cases for v in arguments]],
            successors=[default[0], [block for _, block, _ in cases]],
            properties={
                "case_values": DenseIntElementsAttr.from_list(type, numbers) if cases else None,
                "case_operand_segments": DenseArrayBase.from_list(
                    i32, [len(arguments) for _, _, arguments in cases]
                ),
            },
        )

    @property
    def cases(self) -> Sequence[tuple[int, Block, Sequence[SSAValue]]]:
        """Number, block and arguments of each case."""
        numbers = [] if self.case_values is None else list(self.case_values.get_values())
        result: list[tuple[int, Block, Sequence[SSAValue]]] = []
        start = 0
        segments = self.case_operand_segments.iter_values()
        for number, block, count in zip(numbers, self.caseDestinations, segments, strict=True):
            assert isinstance(number, int) and isinstance(count, int)
            result.append((number, block, self.caseOperands[start : start + count]))
            start += count
        return result

    def verify_(self) -> None:
        numbers = 0 if self.case_values is None else len(self.case_values)
        segments = list(self.case_operand_segments.iter_values())
        if not numbers == len(self.caseDestinations) == len(segments):
            raise VerifyException(
                "expects number of case values to match number of case destinations"
            )
        if sum(int(count) for count in segments) != len(self.caseOperands):
            raise VerifyException(
                "expects case_operand_segments to add up to the number of case operands"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "SwitchOp":
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(value, parser.parse_type())
        parser.parse_punctuation(",")
        default = parser.parse_successor(), _parse_arguments(parser)

        def parse_case() -> tuple[int, Block, Sequence[SSAValue]]:
            number = parser.parse_integer()
            parser.parse_punctuation(":")
            return number, parser.parse_successor(), _parse_arguments(parser)

        cases = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_case)
        op = cls(operand, default, cases)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        def print_case(case: tuple[int, Block, Sequence[SSAValue]]) -> None:
            number, block, arguments = case
            printer.print_string(f"{number}: ")
            _print_successor(printer, block, arguments)

        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        _print_successor(printer, self.defaultDestination, self.defaultOperands)
        printer.print_string(" [")
        printer.print_list(self.cases, print_case)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)


def _parse_arguments(parser: Parser) -> Sequence[SSAValue]:
    """Parses `(%a, %b : i32, f32)`, if present."""
    if parser.parse_optional_punctuation("(") is None:
        return ()
    names = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types: list[Attribute] = list(
        parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    )
    parser.parse_punctuation(")")
    return parser.resolve_operands(names, types, parser.pos)


def _print_successor(printer: Printer, block: Block, arguments: Sequence[SSAValue]) -> None:
    printer.print_block_name(block)
    if arguments:
        printer.print_string("(")
        printer.print_list(arguments, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([value.type for value in arguments], printer.print_attribute)
        printer.print_string(")")
