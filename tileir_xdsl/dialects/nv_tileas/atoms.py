"""The `atom` attribute: the hardware form of a copy, a dot or a reduction."""

from xdsl.ir import Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyAtom


@irdl_attr_definition
class AtomAttr(Data[str], SpacedOpaqueSyntaxAttribute):
    """`#nv_tileas<atom ldg_128>`: the name is a key of the target tables."""

    name = "nv_tileas.atom"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return parser.parse_identifier()

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)

    @property
    def copy_atom(self) -> CopyAtom | None:
        """The row of a copy atom in the target tables; None for other atoms."""
        return COPY_ATOMS.get(self.data)
