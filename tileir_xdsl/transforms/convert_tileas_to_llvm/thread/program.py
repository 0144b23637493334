"""The program of one thread, and the rewriter that lowers ops of the tile program into it.

A tile of 64 elements in a warp has two registers in each thread, here of neighbouring elements:

    element      0   1 |  2   3 |  4   5 | ..  | 62  63
    thread         0   |    1   |    2   | ..  |   31
    register     0   1 |  0   1 |  0   1 | ..  |  0   1

An op on the tile becomes one op for each register. All threads execute the same program, and only
the thread index `%tid.x` tells them apart:

    >>> from tileir_xdsl.testing import tools
    >>> tile_program = tools.parse('''
    ...   !tile = tensor<64xi32, #nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>>
    ...   nv_tileaa.func @squares(%first: i32, %end: i32) {
    ...     %range = nv_tileaa.make_range %first, %end : i32 -> !tile
    ...     %squares = arith.muli %range, %range : !tile
    ...     nv_tileaa.return
    ...   }''')
    >>> print(tools.to_text(tools.run_passes(tile_program, tools.TO_LLVM)))
    builtin.module {
      llvm.func @squares(%first: i32, %end: i32) {
        %0 = llvm.mlir.constant(1 : i32) : i32
        %1 = llvm.mlir.constant(2 : i32) : i32
        %2 = nvvm.read.ptx.sreg.tid.x : i32
        %3 = llvm.mul %2, %1 : i32
        %4 = llvm.add %first, %3 : i32
        %5 = llvm.add %4, %0 : i32
        %6 = llvm.mul %4, %4 : i32
        %7 = llvm.mul %5, %5 : i32
        llvm.return
      }
    }

`ThreadProgram.values` then maps `%range` to the registers `%4, %5`, and `%squares` to `%6, %7`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

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

from .builder import Index, KnownValues, LLVMBuilder
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

ORDER_TYPES = (MemTokenType, AsyncTokenType)
"""Types of values without registers, which only order ops, such as tokens of memory accesses."""

TENSOR_MAPS = (TmaDescType, TmaDescriptorTiledType)
"""Types of tensor maps; a register holds the address of the map."""


class ControlFlow(ABC):
    """The lowering of the terminators in a structured op's regions."""

    runs_once: ClassVar[bool] = False
    """Whether the region is executed once for each execution of the op."""

    @abstractmethod
    def end_region(self, terminator: Operation, rewriter: "ThreadRewriter") -> None:
        """Emits the branch of a terminator, and continues with the code after it."""


@dataclass(frozen=True)
class ExecutedRegion:
    """A region of the tile program, and the threads that execute it."""

    threads: int
    """How many threads execute the region: all threads of the block, or of an agent."""
    first_thread: int = 0
    """The index, in the block, of the first thread that executes the region."""
    barrier_id: int = 0
    """The named barrier of the region's threads; 0 is the barrier of the whole block."""
    runs_in_one_thread: bool = False
    """Whether only one thread executes the region."""
    is_leader: bool = False
    """Whether only the first CTA of a pair executes the region."""
    enclosing: tuple[ControlFlow, ...] = ()
    """The structured ops around the region, innermost last."""


Converted = tuple[SSAValue, ...] | MemRef | TiledView | SharedTile | PipelineIterator | StageToken
"""The converted form of a value: registers for a tile or a scalar, a buffer for shared memory."""

ConvertedT = TypeVar("ConvertedT", bound=Converted)


@dataclass(frozen=True)
class ThreadProgram:
    """State that the ops of a function share while the program of one thread is built from them.

    A tile becomes one value per register, in the order of its layout's register bits; a scalar
    becomes one value, the same in every thread. The op that is being lowered is in its
    `ThreadRewriter`.
    """

    function: FunctionFacts
    known: KnownValues
    """The constants and the pure results of the thread's program, to be reused."""
    regions: dict[Region, ExecutedRegion]
    """The threads that execute each region of the tile program; a region without entry is executed
    by the threads of its parent.
    """
    values: dict[SSAValue, Converted] = field(default_factory=dict[SSAValue, Converted])
    """The converted form of each value of the tile program."""
    pipelines: dict[Operation, Pipeline] = field(default_factory=dict[Operation, Pipeline])
    """The pipelines by the op that creates them."""
    issued_mmas: IssuedMMAs = field(default_factory=IssuedMMAs)
    """Work of `tcgen05` MMAs done in advance for later ops."""
    held: HeldResources = field(default_factory=HeldResources)
    """Resources to release at the end of blocks of the tile program, or of the kernel."""

    def region_of(self, op: Operation) -> ExecutedRegion:
        """The innermost region around an op, and its threads."""
        region = op.parent
        region = None if region is None else region.parent
        while region is not None:
            if (executed := self.regions.get(region)) is not None:
                return executed
            parent = region.parent
            region = None if parent is None else parent.parent_region()
        raise KeyError(op)


@dataclass
class ThreadRewriter:
    """Rewrites one op of the tile program: appends its code to the program of one thread.

    The op itself stays until its function is erased: analyses for later ops read it.
    """

    rewriter: PatternRewriter
    program: ThreadProgram
    region: ExecutedRegion
    """The region of the emitted code: that of the op, or one that the op enters or leaves."""
    builder: LLVMBuilder
    """Inserts the emitted code by `rewriter`."""
    scratch_user: Operation | None = None
    """The op, once its code has used scratch memory: a second use needs a barrier before it."""

    @staticmethod
    def at(
        op: Operation, region: ExecutedRegion, program: ThreadProgram, rewriter: PatternRewriter
    ) -> "ThreadRewriter":
        """The rewriter of an op, from the rewriter of the walker."""
        builder = LLVMBuilder(
            rewriter,
            program.known,
            op.location,
            notes_wavefronts=program.function.notes_wavefronts,
            first_thread=region.first_thread,
            threads=region.threads,
        )
        return ThreadRewriter(rewriter, program, region, builder)

    @property
    def function(self) -> FunctionFacts:
        """Facts about the function."""
        return self.program.function

    @property
    def values(self) -> Mapping[SSAValue, Converted]:
        """The converted form of each value of the tile program."""
        return self.program.values

    def replace(self, value: SSAValue, by: Converted) -> None:
        """Records the converted form of a result, or of a block argument, for later ops."""
        self.program.values[value] = by

    @property
    def layout_warps(self) -> int:
        """The most warps of a layout in this region, a power of two; further warps hold copies."""
        warps = self.region.threads // THREADS_PER_WARP
        return 1 << (warps.bit_length() - 1)

    def enter_region(self, flow: ControlFlow, *regions: Region) -> None:
        """Lets the current threads execute the regions of a structured op."""
        self.region = replace(self.region, enclosing=(*self.region.enclosing, flow))
        self.program.regions.update(dict.fromkeys(regions, self.region))

    def leave_region(self, terminator: Operation) -> None:
        """Continues after the structured op that a terminator ends."""
        op = terminator.parent_op()
        assert op is not None
        self.region = self.program.region_of(op)

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
        """The converted form of a pipeline's token."""
        return self._converted(value, StageToken)

    def buffer(self, value: SSAValue) -> SharedTile | None:
        """A tile that is in shared memory; None for any other value."""
        converted = self.program.values.get(value)
        return converted if isinstance(converted, SharedTile) else None

    def is_in_registers(self, value: SSAValue) -> bool:
        """Whether a value is a tile in registers, or a scalar."""
        return isinstance(self.program.values.get(value), tuple)

    def _converted(self, value: SSAValue, kind: type[ConvertedT]) -> ConvertedT:
        converted = self.program.values[value]
        assert isinstance(converted, kind)
        return converted

    def scalar(self, value: SSAValue) -> SSAValue:
        """The one register of a scalar."""
        (register,) = self.registers(value)
        return register

    def constant_array(
        self, values: DenseIntOrFPElementsAttr, element: Attribute, alignment: int | None = None
    ) -> SSAValue:
        """The address of an array of constants in global memory; an i1 takes a byte."""
        return self.builder.compute(
            llvm.AddressOfOp,
            *self.program.function.variables.constant_array(values, element, alignment),
        )

    def text(self, text: str) -> SSAValue:
        """The generic address of a text that ends with a zero byte."""
        return self.builder.compute(llvm.AddressOfOp, *self.program.function.variables.text(text))

    def shared_memory(self, offset: int) -> SSAValue:
        """An address in the function's shared memory."""
        base = self.builder.compute(
            llvm.AddressOfOp, *self.program.function.variables.shared_array()
        )
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
        if isinstance(value.type, ORDER_TYPES):
            return ()
        match value.type:
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
        """Binds a value of the tile program to its registers.

        Static facts, such as the extents of tiles, are copied from `like`, a value of the same
        type.
        """
        if isinstance(value.type, ORDER_TYPES):
            return
        match value.type:
            case MemRefType():
                self.replace(value, _memref_of(parts, value.type))
            case TiledViewType():
                view = self.view(like)
                memref = _memref_of(parts, _object_type(value))
                self.replace(value, replace(view, memref=memref))
            case PipelineIteratorType():
                self.replace(value, self.iterator(like).of_parts(parts))
            case PipelineProducerTokenType() | PipelineConsumerTokenType():
                (stage,) = parts
                # On one of the paths it may be a null token, which must not be released.
                self.replace(value, StageToken(stage, may_own_none=True))
            case _ if self.buffer(like) is not None:
                (pointer,) = parts
                self.replace(value, SharedTile(pointer, 0, self.shared_tile(like).layout))
            case _:
                self.replace(value, tuple(parts))

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
        fail(owner, f"'{owner.name}' op expects the type of a view to name its memory object")
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
        fail(op, f"'{op.name}' op does not support elements of type {element} in registers")
    return element


def register_count(op: Operation, tile: SSAValue) -> int:
    """How many registers of each thread hold a tile; 1 for a scalar."""
    layout = layout_of(op, tile)
    return 1 if layout is None else layout.registers
