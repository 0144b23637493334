"""The program of one thread, and the lowering of tile values into it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IndexType,
    IntAttr,
    IntegerType,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.cute_nvgpu import TmaDescriptorTiledType
from tileir_xdsl.dialects.nv_tileaa.types import (
    MemRefType,
    MemTokenType,
    PointerType,
    TiledViewType,
)
from tileir_xdsl.dialects.nv_tileas.types import (
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
    TmaDescType,
)
from tileir_xdsl.dialects.nvvm.synchronization import BarrierOp

from .builder import Index, LLVMBuilder
from .function_facts import FunctionFacts
from .held_resources import HeldResources
from .issued_mmas import IssuedMMAs
from .memory_objects import MemRef, TiledView
from .pipeline_values import Pipeline, PipelineIterator, StageToken
from .shared_buffers import SharedTile

REGISTER_TYPES = (IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type)
"""Element types that a register holds natively."""

BYTE_TYPES = (Float4E2M1FNType, Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType)
"""Element types that a register holds as the bits of a byte, zero-extended."""

TENSOR_MAPS = (TmaDescType, TmaDescriptorTiledType)
"""Types of tensor maps; a register holds the address."""


class ControlFlow(ABC):
    """A structured op whose regions are being lowered: how their terminators are lowered."""

    runs_once: ClassVar[bool] = False
    """Whether the region is executed exactly where the op is, once per execution."""

    @abstractmethod
    def end_region(self, terminator: Operation, program: "ThreadProgram") -> None:
        """Emits the branch of a terminator, and continues with the code after it."""


@dataclass(frozen=True)
class ExecutedRegion:
    """A region of the tile program, and who executes it."""

    threads: int
    """How many threads execute the region: those of the block, or of an agent."""
    first_thread: int = 0
    """The index in the block of the first of those threads."""
    barrier_id: int = 0
    """The named barrier of those threads; 0 is that of the block."""
    runs_in_one_thread: bool = False
    """Whether a single one of those threads executes the code being emitted."""
    enclosing: tuple[ControlFlow, ...] = ()
    """The structured ops around the region, innermost last."""


Converted = tuple[SSAValue, ...] | MemRef | TiledView | SharedTile | PipelineIterator | StageToken
"""What stands for a value: registers for a tile or a scalar, a buffer for one in shared memory."""

ConvertedT = TypeVar("ConvertedT", bound=Converted)


@dataclass
class ThreadProgram:
    """The program of one thread while it is built, and the map from tile values into it.

    A tile becomes one value per register, in the order of its layout's register bits; a scalar
    becomes one value, the same in every thread.
    """

    builder: LLVMBuilder
    function: FunctionFacts
    region: ExecutedRegion
    scratch_user: Operation | None = None
    """The op that used scratch memory last."""
    values: dict[SSAValue, Converted] = field(default_factory=dict[SSAValue, Converted])
    """What stands for each value of the tile program."""
    pipelines: dict[Operation, Pipeline] = field(default_factory=dict[Operation, Pipeline])
    """The pipelines by the op that creates them."""
    issued_mmas: IssuedMMAs = field(default_factory=IssuedMMAs)
    """Work on `tcgen05` MMAs done ahead of the ops that request it."""
    held: HeldResources = field(default_factory=HeldResources)
    """What the code so far has taken, and gives back at an end."""

    @property
    def layout_warps(self) -> int:
        """The most warps that a layout can have here: a power of two. Others hold copies."""
        warps = self.region.threads // THREADS_PER_WARP
        return 1 << (warps.bit_length() - 1)

    def enter_region(self, op: ControlFlow) -> None:
        """Continues with a region of a structured op."""
        self.region = replace(self.region, enclosing=(*self.region.enclosing, op))

    def leave_region(self) -> None:
        """Continues after the structured op whose region was entered last."""
        self.region = replace(self.region, enclosing=self.region.enclosing[:-1])

    def registers(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """The registers of a tile, or of a scalar."""
        return self._converted(value, tuple)

    def memref(self, value: SSAValue) -> MemRef:
        """A memory object."""
        return self._converted(value, MemRef)

    def view(self, value: SSAValue) -> TiledView:
        """A view of a memory object."""
        return self._converted(value, TiledView)

    def shared_tile(self, value: SSAValue) -> SharedTile:
        """A tile that is in shared memory."""
        return self._converted(value, SharedTile)

    def iterator(self, value: SSAValue) -> PipelineIterator:
        """The iterator of a pipeline."""
        return self._converted(value, PipelineIterator)

    def stage_token(self, value: SSAValue) -> StageToken:
        """The token of a pipeline."""
        return self._converted(value, StageToken)

    def buffer(self, value: SSAValue) -> SharedTile | None:
        """A tile that is in shared memory; None for any other value."""
        converted = self.values.get(value)
        return converted if isinstance(converted, SharedTile) else None

    def is_in_registers(self, value: SSAValue) -> bool:
        """Whether a value is a tile in registers, or a scalar."""
        return isinstance(self.values.get(value), tuple)

    def _converted(self, value: SSAValue, kind: type[ConvertedT]) -> ConvertedT:
        converted = self.values[value]
        assert isinstance(converted, kind)
        return converted

    def scalar(self, value: SSAValue) -> SSAValue:
        """The one register of a scalar."""
        (register,) = self.registers(value)
        return register

    def constant_array(
        self, values: DenseIntOrFPElementsAttr, element: Attribute, alignment: int | None = None
    ) -> SSAValue:
        """The address of an array of constants in global memory; an i1 has a byte."""
        return self.builder.compute(
            llvm.AddressOfOp, *self.function.variables.constant_array(values, element, alignment)
        )

    def text(self, text: str) -> SSAValue:
        """The generic address of a text that ends with a zero byte."""
        return self.builder.compute(llvm.AddressOfOp, *self.function.variables.text(text))

    def shared_memory(self, offset: int) -> SSAValue:
        """An address in the function's shared memory."""
        base = self.builder.compute(llvm.AddressOfOp, *self.function.variables.shared_array())
        return self.builder.element_pointer(base, offset, i8)

    def barrier(self) -> None:
        """A barrier of all threads that execute this region of the program."""
        if not self.region.barrier_id:
            self.builder.insert_without_result(BarrierOp())
            return
        number, threads = (
            self.builder.integer(n, i32) for n in (self.region.barrier_id, self.region.threads)
        )
        self.builder.insert_without_result(BarrierOp(number, threads))

    # The registers of a value, to be carried through branches.

    def parts(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """The registers of a value of the tile program; none for a token."""
        match value.type:
            case MemTokenType() | AsyncTokenType():
                return ()
            case MemRefType():
                return self._memref_parts(self.memref(value), value.type)
            case TiledViewType():
                # Tile shapes and strides are in the type: only the object is known at run time.
                return self._memref_parts(self.view(value).memref, _object_type(value))
            case PipelineIteratorType():
                return self.iterator(value).parts(self.builder)
            case PipelineProducerTokenType() | PipelineConsumerTokenType():
                # The stage is all that a release needs to know.
                return (self.builder.integer(self.stage_token(value).stage, i32),)
            case _ if self.buffer(value) is not None:
                return (self.shared_tile(value).pointer(self.builder),)
            case _:
                return self.registers(value)

    def bind(self, value: SSAValue, parts: Sequence[SSAValue], like: SSAValue) -> None:
        """Binds a value of the tile program to its registers; it has the type of `like`.

        Static facts, such as the extents of tiles, are those of `like`.
        """
        match value.type:
            case MemTokenType() | AsyncTokenType():
                pass
            case MemRefType():
                self.values[value] = _memref_of(parts, value.type)
            case TiledViewType():
                view = self.view(like)
                memref = _memref_of(parts, _object_type(value))
                self.values[value] = replace(view, memref=memref)
            case PipelineIteratorType():
                self.values[value] = self.iterator(like).of_parts(parts)
            case PipelineProducerTokenType() | PipelineConsumerTokenType():
                (stage,) = parts
                # On one of the paths it may be a null token, which must not be released.
                self.values[value] = StageToken(stage, may_own_none=True)
            case _ if self.buffer(like) is not None:
                (pointer,) = parts
                self.values[value] = SharedTile(pointer, 0, self.shared_tile(like).layout)
            case _:
                self.values[value] = tuple(parts)

    def _memref_parts(self, memref: MemRef, type: MemRefType) -> tuple[SSAValue, ...]:
        dynamic = [
            self.builder.integer(extent, i64)
            for extents, known in (
                (memref.sizes, type.get_shape()),
                (memref.strides, type.get_strides()),
            )
            for extent, static in zip(extents, known, strict=True)
            # Static extents are constants on both sides of a branch, and take no register.
            if static == DYNAMIC_INDEX
        ]
        return (memref.base, *dynamic)


def _object_type(view: SSAValue) -> MemRefType:
    """The type of the memory object of a view."""
    assert isinstance(view.type, TiledViewType)
    if view.type.memref is None:
        owner = view.owner if isinstance(view.owner, Operation) else view.owner.parent_op()
        assert owner is not None
        fail(owner, f"'{owner.name}' op expects views that name their memory object")
    return view.type.memref


def _memref_of(parts: Sequence[SSAValue], type: MemRefType) -> MemRef:
    base, *rest = parts
    dynamic = iter(rest)

    def extents(known: Sequence[int]) -> tuple[Index, ...]:
        return tuple(next(dynamic) if extent == DYNAMIC_INDEX else extent for extent in known)

    return MemRef(base, extents(type.get_shape()), extents(type.get_strides()))


def register_type(op: Operation, element: Attribute) -> Attribute:
    """The llvm type of one element in a register; fails on types that registers do not hold.

    Floats of 8 bits and less, and i4, are bytes; tf32 is an f32 whose last 13 bits are zero.
    """
    if isinstance(element, PointerType):
        return llvm.LLVMPointerType(IntAttr(element.address_space.data))
    # A generic pointer: maps may be parameters, constants or in global memory (PTX ISA).
    if isinstance(element, TENSOR_MAPS):
        return llvm.LLVMPointerType()
    if isinstance(element, IndexType):
        return i64
    # PTX has no registers of less than 16 bits; what packs elements knows their width.
    if isinstance(element, BYTE_TYPES) or element == IntegerType(4):
        return i8
    if isinstance(element, FloatTF32Type):
        return f32
    if not isinstance(element, REGISTER_TYPES):
        fail(op, f"'{op.name}' op elements of type {element} are not supported in registers")
    return element


def register_count(op: Operation, tile: SSAValue) -> int:
    """How many registers of each thread hold a tile; 1 for a scalar."""
    layout = layout_of(op, tile)
    return 1 if layout is None else layout.registers
