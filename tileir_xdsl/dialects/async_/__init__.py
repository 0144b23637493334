"""`async`: the type of values that are computed while the program continues, with the name that
upstream MLIR uses.
"""

from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.tile_spelling import parse_type, print_type


@irdl_attr_definition
class ValueType(ParametrizedAttribute, TypeAttribute):
    """`!async.value<tile<128x128xf16>>`: a value of the payload type, once it is available."""

    name = "async.value"

    payload: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            return (parse_type(parser),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_type(printer, self.payload)

    def verify(self) -> None:
        if isinstance(self.payload, ValueType):
            raise VerifyException(
                f"payload of !async.value must not itself be asynchronous, but got {self.payload}"
            )


Async = Dialect("async", [], [ValueType])
