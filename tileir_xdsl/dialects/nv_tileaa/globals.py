"""Global variables.

Source: Tile IR specification, section "Core" (global, get_global).
"""

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.irdl import (
    IRDLOperation,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import Visibility
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.walking import ancestors

from .elements import ElementsAttr
from .types import PointerType


@irdl_op_definition
class GlobalOp(IRDLOperation, RegistersOpInterface):
    """A variable in global memory, with its initial value.

        nv_tileaa.global private constant @name alignment = 16 = #nv_tileaa.elements<..>

    The alignment is in bytes; 0 means the alignment of the elements.
    """

    name = "nv_tileaa.global"

    sym_name = prop_def(SymbolNameConstraint())
    value = prop_def(ElementsAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    constant = opt_prop_def(UnitAttr)
    sym_visibility = opt_prop_def(StringAttr)

    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        sym_name: str,
        value: ElementsAttr,
        alignment: int = 0,
        constant: bool = False,
        visibility: Visibility = Visibility.PUBLIC,
    ):
        private = visibility == Visibility.PRIVATE
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "value": value,
                "alignment": IntegerAttr(alignment, i64) if alignment else None,
                "constant": UnitAttr() if constant else None,
                "sym_visibility": StringAttr(visibility) if private else None,
            }
        )

    @classmethod
    def parse(cls, parser: Parser) -> "GlobalOp":
        visibility = Visibility.PUBLIC
        if parser.parse_optional_keyword(Visibility.PRIVATE) is not None:
            visibility = Visibility.PRIVATE
        constant = parser.parse_optional_keyword("constant") is not None
        name = parser.parse_symbol_name().data
        alignment = 0
        if parser.parse_optional_keyword("alignment") is not None:
            parser.parse_punctuation("=")
            alignment = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation("=")
        position = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, ElementsAttr):
            parser.raise_error(f"expected '{ElementsAttr.name}', but got {value}", position)
        op = cls(name, value, alignment, constant, visibility)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f" {self.sym_visibility.data}")
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        if self.alignment is not None:
            printer.print_string(f" alignment = {self.alignment.value.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" = ")
        printer.print_attribute(self.value)

    def verify_(self) -> None:
        if self.sym_visibility is not None and self.sym_visibility.data != Visibility.PRIVATE:
            raise VerifyException(
                f"expects visibility {Visibility.PRIVATE} or no visibility, but got "
                f"{self.sym_visibility.data}"
            )
        if self.alignment is None:
            return
        alignment = self.alignment.value.data
        if alignment <= 0 or alignment & (alignment - 1):
            raise VerifyException(f"expects an alignment that is a power of 2, but got {alignment}")


@irdl_op_definition
class GetGlobalOp(IRDLOperation, RegistersOpInterface):
    """The address of the first element of a global variable."""

    name = "nv_tileaa.get_global"

    symbol = prop_def(SymbolRefAttr, prop_name="name")
    result = result_def(PointerType)

    traits = traits_def(Pure())
    assembly_format = "$name attr-dict `:` type($result)"

    def __init__(self, name: str, result_type: PointerType):
        super().__init__(properties={"name": SymbolRefAttr(name)}, result_types=[result_type])

    def verify_(self) -> None:
        table = next((around for around in ancestors(self) if around.has_trait(SymbolTable)), None)
        if table is None:
            return
        name, result = self.symbol.string_value(), self.result.type
        target = SymbolTable.lookup_symbol(table, self.symbol)
        if not isinstance(target, GlobalOp):
            raise VerifyException(f"'{name}' does not reference a valid global")
        element = target.value.type.element_type
        assert isinstance(result, PointerType)
        if result.pointee != element:
            raise VerifyException(
                f"expects a pointer to {element}, the element type of the global, but got {result}"
            )
