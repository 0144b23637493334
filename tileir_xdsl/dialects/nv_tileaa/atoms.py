"""Atoms: attributes that name the hardware form of a copy or of a reduction.

Any attribute can be an atom that implements the interface; nothing reads meaning out of a name.
Ours are keys of the target tables.
"""

from abc import ABC, abstractmethod

from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyAtom


class CopyAtomAttrInterface(Attribute, ABC):
    """An attribute that says how a tile is moved between two memories."""

    @property
    @abstractmethod
    def copy_atom(self) -> CopyAtom:
        """The atom's row in the target tables."""


class ReduceAtomAttrInterface(Attribute, ABC):
    """An attribute that says how the threads of a tile block combine their elements."""

    @property
    @abstractmethod
    def lanes(self) -> int:
        """How many lanes of a warp one step of the reduction combines."""


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
                f"expects a power of 2 up to 32 lanes of a warp, but got {self.data}"
            )

    @property
    def lanes(self) -> int:
        return self.data
