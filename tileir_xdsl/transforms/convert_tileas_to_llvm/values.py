"""What the values of a tile program become in one thread's program."""

from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileaa.types import PointerType

from .builder import Index, LLVMBuilder

REGISTER_TYPES = (IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type)
"""Element types that a register holds as they are."""


@dataclass(frozen=True)
class MemRef:
    """A strided memory object: its address, and sizes and strides in elements, known or i64."""

    base: SSAValue
    sizes: tuple[Index, ...]
    strides: tuple[Index, ...]


@dataclass(frozen=True)
class TiledView:
    """A memory object cut into tiles: per tile dimension its extent and its memref dimension."""

    memref: MemRef
    extents: tuple[int, ...]
    dims: tuple[int, ...]


@dataclass(frozen=True)
class PendingAccesses:
    """The kinds of accesses that a token waits for and that no barrier has fenced yet."""

    loads: bool = False
    stores: bool = False

    def __or__(self, other: "PendingAccesses") -> "PendingAccesses":
        return PendingAccesses(self.loads or other.loads, self.stores or other.stores)


@dataclass
class ThreadProgram:
    """The program of one thread while it is built, and the map from tile values into it.

    A tile becomes one value per register, in the order of its layout's register bits; a scalar
    becomes one value, the same in every thread.
    """

    builder: LLVMBuilder
    threads: int = 1
    registers: dict[SSAValue, tuple[SSAValue, ...]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, ...]]
    )
    memrefs: dict[SSAValue, MemRef] = field(default_factory=dict[SSAValue, MemRef])
    views: dict[SSAValue, TiledView] = field(default_factory=dict[SSAValue, TiledView])
    tokens: dict[SSAValue, PendingAccesses] = field(default_factory=dict[SSAValue, PendingAccesses])

    def scalar(self, value: SSAValue) -> SSAValue:
        """The one register of a scalar."""
        (register,) = self.registers[value]
        return register


def register_type(op: Operation, element: Attribute) -> Attribute:
    """The llvm type of one element in a register; fails on types that registers do not hold."""
    if isinstance(element, PointerType):
        return llvm.LLVMPointerType(IntAttr(element.address_space.data))
    if not isinstance(element, REGISTER_TYPES):
        fail(op, f"'{op.name}' op elements of type {element} are not supported in registers")
    return element


def register_count(op: Operation, tile: SSAValue) -> int:
    """How many registers of each thread hold a tile; 1 for a scalar."""
    layout = layout_of(op, tile)
    return 1 if layout is None else layout.registers
