"""The `atom` attribute: the hardware form of a copy, a dot or a reduction."""

from xdsl.ir import Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyAtom, CopyKind, Memory

UNKNOWN_COPY = "unknown_copy"
"""The name of the abstract copy atom, which layout assignment replaces."""

LOAD_KINDS: dict[Memory | None, tuple[CopyKind, ...]] = {
    Memory.GLOBAL: (CopyKind.ASYNC_COPY, CopyKind.TMA_LOAD, CopyKind.LOAD_GLOBAL),
    Memory.SHARED: (CopyKind.LOAD_SHARED, CopyKind.LOAD_MATRIX),
    Memory.TENSOR: (CopyKind.LOAD_TENSOR_MEMORY,),
}
"""The kinds of atoms that load a tile from each memory."""
STORE_KINDS: dict[Memory | None, tuple[CopyKind, ...]] = {
    Memory.GLOBAL: (CopyKind.STORE_GLOBAL, CopyKind.TMA_STORE),
    Memory.SHARED: (CopyKind.STORE_SHARED, CopyKind.STORE_MATRIX),
    Memory.TENSOR: (CopyKind.STORE_TENSOR_MEMORY,),
}
"""The kinds of atoms that store a tile to each memory."""
REDUCE_KINDS: dict[Memory | None, tuple[CopyKind, ...]] = dict.fromkeys(
    Memory, (CopyKind.TMA_REDUCE,)
)
"""The kinds of atoms that combine a tile with memory; only bulk copies have such atoms."""


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


def verify_access_atom(
    atom: AtomAttr | None, memory: Memory | None, kinds: dict[Memory | None, tuple[CopyKind, ...]]
) -> None:
    """Raises `VerifyException` unless the atom of an access suits its memory.

    Args:
        atom: the atom of the access; None and `unknown_copy` leave it open.
        memory: what is accessed; None where types leave it open, as they do of global memory.
        kinds: the kinds of atoms for each memory.
    """
    if atom is None or atom.data == UNKNOWN_COPY:
        return
    row = atom.copy_atom
    expected = kinds.get(memory) or kinds[Memory.GLOBAL]
    accepted = expected if memory is not None else sum(kinds.values(), ())
    if row is None or row.kind not in accepted:
        *others, last = [*dict.fromkeys(kind.value for kind in expected), UNKNOWN_COPY]
        raise VerifyException(f"expect a {', '.join(others)} or {last} atom type")
