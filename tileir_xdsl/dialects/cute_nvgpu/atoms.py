"""The atoms of copies and reductions as attributes of `nv_tileaa` ops."""

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.nv_tileaa.interfaces import (
    CopyAtomAttrInterface,
    ReduceAtomAttrInterface,
)
from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyAtom


@irdl_attr_definition
class CopyAtomAttr(Data[str], CopyAtomAttrInterface):
    """`#cute_nvgpu.copy_atom<ldg_128>`: the name is a key of the copy atoms."""

    name = "cute_nvgpu.copy_atom"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return parser.parse_identifier()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    def verify(self) -> None:
        if self.data not in COPY_ATOMS:
            raise VerifyException(f"unknown copy atom '{self.data}'")

    @property
    def copy_atom(self) -> CopyAtom:
        return COPY_ATOMS[self.data]


@irdl_attr_definition
class ReduceAtomAttr(Data[int], ReduceAtomAttrInterface):
    """`#cute_nvgpu.reduce_atom<32>`: a butterfly of shuffles over that many lanes of a warp."""

    name = "cute_nvgpu.reduce_atom"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        with parser.in_angle_brackets():
            return parser.parse_integer(allow_boolean=False, allow_negative=False)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.data)

    def verify(self) -> None:
        if self.data not in (1, 2, 4, 8, 16, 32):
            raise VerifyException(
                f"expects 1, 2, 4, 8, 16 or 32 lanes of a warp, but got {self.data}"
            )

    @property
    def lanes(self) -> int:
        return self.data
