"""TMA: tensor maps, and the bulk copies of tiles that use them.

    %d = nv_tileas.make_tiled_tma_desc %view[%m, %n] {atom = #nv_tileas<atom tma_load_2d>}
         : V, index, index -> !nv_tileas.tma_desc
    %a = nv_tileas.async.tiled_tma_load %d, %stage[%i, %j], %barrier
         {atom = #nv_tileas<atom tma_load_2d>}
         : !nv_tileas.tma_desc, S, index, index, !nv_tileaa.mem_token -> !nv_tileas.async_token

A copy may have coordinates of only the last dimensions; the others are 0. Source: the TileAS
operation roster, "TMA Op Operand/Result Tables"; PTX ISA, "Tensors".
"""

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    I32,
    I64,
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.cute_nvgpu import TmaDescriptorTiledType
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    Effects,
    GlobalEffect,
    GlobalMemoryOpInterface,
    NoScratchOpInterface,
    Proxy,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.attributes import (
    PADDING,
    PaddingAttr,
    padding_of,
    verify_padding_type,
)
from tileir_xdsl.dialects.nv_tileaa.constraints import moved_bits
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType, tile_shape
from tileir_xdsl.dialects.scratch import ScratchNeed, Staging
from tileir_xdsl.targets.atoms import CopyAtom, CopyKind, Memory
from tileir_xdsl.targets.features import Feature

from .atoms import AtomAttr
from .attributes import OutOfBoundsModeAttr, SwizzleModeAttr
from .buffer_effects import bulk_load, bulk_store
from .cta_groups import verify_cta_group
from .interfaces import (
    BulkLoadOpInterface,
    MemoryConsistencyOpInterface,
    PartOfTile,
    TilePartOpInterface,
)
from .operand_list_syntax import OperandListOp
from .tma_requirements import (
    verify_box,
    verify_captures,
    verify_element_stride,
    verify_shared_layout,
)
from .types import AsyncTokenType, TiledViewType, TmaDescType, View, is_handle, memory_of

VIEW = BaseAttr(nv_tileaa.TiledViewType) | BaseAttr(TiledViewType)
GLOBAL_VIEW = VIEW | BaseAttr(nv_tileaa.MemRefType)
SHARED = VIEW | BaseAttr(TensorType)
DESCRIPTOR = BaseAttr(TmaDescType) | BaseAttr(TmaDescriptorTiledType)
COORDINATE = BaseAttr(IndexType) | BaseAttr(IntegerType)
COMPLETION = BaseAttr(AsyncTokenType) | BaseAttr(ValueType)

TMA_KINDS = (CopyKind.TMA_LOAD, CopyKind.TMA_STORE, CopyKind.TMA_REDUCE)

DESCRIPTOR_ALIGNMENT = 128
"""The alignment of descriptors in bytes; hardware requires 64, but descriptors must not share a
cache line.
"""


@irdl_op_definition
class MakeTiledTmaDescOp(OperandListOp, MemoryConsistencyOpInterface, RegistersOpInterface):
    """A tensor map for boxes of a view of global memory; box dims count elements.

    The launcher creates the map, which depends only on kernel arguments and arithmetic on them.
    `alignment` is that of the descriptor, in bytes; `tmaIdx` numbers the descriptors of a kernel.
    """

    name = "nv_tileas.make_tiled_tma_desc"

    BRACKETED: ClassVar[str | None] = "box_dims"

    view = operand_def(GLOBAL_VIEW)
    box_dims = var_operand_def(COORDINATE)
    atom = prop_def(AtomAttr)
    swizzle_mode = opt_prop_def(SwizzleModeAttr)
    oob_mode = opt_prop_def(OutOfBoundsModeAttr)
    tma_index = opt_prop_def(IntegerAttr[I32], prop_name="tmaIdx")
    alignment = opt_prop_def(IntegerAttr[I64])
    result = result_def(DESCRIPTOR)

    def __init__(
        self,
        view: SSAValue,
        box_dims: Sequence[SSAValue],
        atom: AtomAttr,
        *,
        swizzle_mode: SwizzleModeAttr | None = None,
        oob_mode: OutOfBoundsModeAttr | None = None,
        tma_index: int | None = None,
    ):
        super().__init__(
            operands=[view, box_dims],
            properties={
                "atom": atom,
                "swizzle_mode": swizzle_mode,
                "oob_mode": oob_mode,
                "tmaIdx": None if tma_index is None else IntegerAttr(tma_index, i32),
            },
            result_types=[TmaDescType()],
        )

    def verify_(self) -> None:
        atom = self.atom.copy_atom
        if atom is None or atom.kind not in TMA_KINDS:
            raise VerifyException("invalid TMA atom type")
        if memory_of(self.view.type) not in (None, Memory.GLOBAL):
            raise VerifyException(f"expects a view of global memory, but got {self.view.type}")
        if len(self.box_dims) != atom.box_rank:
            raise VerifyException("tmaBoxDim and atomBoxDim length mismatch")
        verify_element_stride(self.view.type)
        verify_box(self.view.type, self.box_dims)
        if self.alignment is not None and self.alignment.value.data < DESCRIPTOR_ALIGNMENT:
            raise VerifyException(
                f"expected tma descriptor pointer to have alignment at least {DESCRIPTOR_ALIGNMENT}"
            )
        verify_captures(self)


MODES: dict[Feature | None, str] = {
    Feature.TMA: "tiled",
    Feature.TMA_GATHER: "gather4",
    Feature.TMA_SCATTER: "scatter4",
}
"""The mode of bulk copies for each target feature."""


class TmaTransferOp(OperandListOp, MemoryConsistencyOpInterface, NoScratchOpInterface, ABC):
    """Base of the bulk copies between global and shared memory."""

    BRACKETED: ClassVar[str | None] = "coords"
    KIND: ClassVar[CopyKind]
    MODE: ClassVar[Feature] = Feature.TMA
    """The target feature of the copies: boxes, gathered rows or scattered rows."""
    EXPECTED: ClassVar[str]
    """The diagnostic for an atom of another kind."""

    atom = prop_def(AtomAttr)
    tma_index = opt_prop_def(IntegerAttr[I32], prop_name="tmaIdx")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def verify_transfer(
        self, descriptor: SSAValue, shared: SSAValue, coords: Sequence[SSAValue]
    ) -> None:
        """Checks the atom against the descriptor, the coordinates, and the shared memory."""
        atom = self._verify_atom(self.atom)
        if atom.feature != self.MODE:
            direction = "load" if self.KIND == CopyKind.TMA_LOAD else "store"
            raise VerifyException(f"unsupported tma {direction} mode '{MODES[atom.feature]}'")
        source = descriptor.owner
        if isinstance(source, MakeTiledTmaDescOp):
            made_for = self._verify_atom(source.atom)
            if made_for.box_rank != atom.box_rank:
                raise VerifyException("tma box-dim and copy atom box-dim mismatch")
        if not 1 <= len(coords) <= atom.box_rank:
            raise VerifyException(
                f"expects 1 to {atom.box_rank} coordinates, but got {len(coords)}"
            )
        if memory_of(shared.type) not in (None, Memory.SHARED):
            raise VerifyException(f"expects a view of shared memory, but got {shared.type}")
        verify_shared_layout(shared.type)

    def _verify_atom(self, attribute: AtomAttr) -> CopyAtom:
        atom = attribute.copy_atom
        if atom is None or atom.kind != self.KIND:
            raise VerifyException(self.EXPECTED)
        return atom


def verify_padding(name: str, padding: PaddingAttr | None, filled: SSAValue) -> None:
    """Raises `VerifyException` for padding other than zeros of floating-point elements.

    TMA pads with zeros by default; other padding is a mode of the descriptor.
    """
    if padding is None:
        return
    element = viewed_element(filled.type)
    if not isinstance(element, AnyFloat):
        raise VerifyException(f"{name} only support padding of floating-point elements")
    verify_padding_type(padding, element)
    if padding_of(padding) != PaddingValue.ZERO:
        raise VerifyException(f"{name} only support zero padding now")


def viewed_element(type: Attribute) -> Attribute:
    """The element type of a view or of a buffer."""
    return type.element_type if isinstance(type, View) else tile_shape(type).element


@irdl_op_definition
class AsyncTiledTmaLoadOp(
    TmaTransferOp, BulkLoadOpInterface, TilePartOpInterface, GlobalMemoryOpInterface
):
    """Starts to copy a box to shared memory; the barrier expects `tx_count` bytes.

    With `num_multicast`, that number of CTAs in a cluster execute the same copy; their ranks are
    `multicast_stride` apart. Each CTA may load a part of the box for all of them. With `cta_group`
    2, the barrier is that of the first CTA of a pair, whose ranks differ in the lowest bit. A mode
    of stride 0 in the tile's layout says which half each CTA of the pair has.
    """

    name = "nv_tileas.async.tiled_tma_load"

    KIND: ClassVar[CopyKind] = CopyKind.TMA_LOAD
    EXPECTED: ClassVar[str] = "expect a tma_load atom type"

    descriptor = operand_def(DESCRIPTOR)
    destination = operand_def(SHARED)
    coords = var_operand_def(COORDINATE)
    barrier = operand_def(MemTokenType)
    padding_value = opt_prop_def(PADDING)
    tx_count = opt_prop_def(IntegerAttr[I32])
    num_multicast = opt_prop_def(IntegerAttr[I32])
    multicast_stride = opt_prop_def(IntegerAttr[I32])
    cta_group = opt_prop_def(IntegerAttr[I32])
    result = result_def(COMPLETION)

    def __init__(
        self,
        descriptor: SSAValue,
        destination: SSAValue,
        coords: Sequence[SSAValue],
        barrier: SSAValue,
        atom: AtomAttr,
        result_type: Attribute | None = None,
    ):
        super().__init__(
            operands=[descriptor, destination, coords, barrier],
            properties={"atom": atom},
            result_types=[result_type or AsyncTokenType()],
        )

    def verify_(self) -> None:
        self.verify_transfer(self.descriptor, self.destination, self.coords)
        verify_padding("TmaLoad", self.padding_value, self.destination)
        verify_multicast(self.num_multicast, self.multicast_stride)
        verify_cta_group(self.cta_group)

    @property
    def multicast_group(self) -> tuple[int, int]:
        """How many CTAs execute the same copy, and the distance between their ranks."""
        if self.num_multicast is None:
            return 1, 1
        stride = 1 if self.multicast_stride is None else self.multicast_stride.value.data
        return self.num_multicast.value.data, stride

    @property
    def effects(self) -> Effects:
        return bulk_load(self.destination)

    @property
    def global_effect(self) -> GlobalEffect:
        # A wait for the load makes no token.
        return GlobalEffect(self.barrier, writes=False, proxy=Proxy.ASYNC, is_followed=False)

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("descriptor", self.coords)

    @property
    def filled(self) -> SSAValue:
        return self.destination


def verify_multicast(count: IntegerAttr[I32] | None, stride: IntegerAttr[I32] | None) -> None:
    """Raises `VerifyException` unless `count` and `stride` are powers of two."""
    numbers = [number.value.data for number in (count, stride) if number is not None]
    is_missing = count is None and stride is not None
    if is_missing or any(number < 1 or number & (number - 1) for number in numbers):
        raise VerifyException("missing or invalid num_multicast for a multicast TMA load")


class BoxStoreOp(TmaTransferOp, TilePartOpInterface, GlobalMemoryOpInterface, ABC):
    """Base of the copies of a box from shared memory."""

    descriptor = operand_def(DESCRIPTOR)
    source = operand_def(SHARED)
    coords = var_operand_def(COORDINATE)
    result = result_def(COMPLETION)

    def __init__(
        self,
        descriptor: SSAValue,
        source: SSAValue,
        coords: Sequence[SSAValue],
        atom: AtomAttr,
    ):
        super().__init__(
            operands=[descriptor, source, coords],
            properties={"atom": atom},
            result_types=[AsyncTokenType()],
        )

    @property
    def effects(self) -> Effects:
        return bulk_store(self.source, self.result)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(None, writes=True, proxy=Proxy.ASYNC, is_deferred=True)

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("descriptor", self.coords)


@irdl_op_definition
class AsyncTiledTmaStoreOp(BoxStoreOp):
    """Starts to copy a box from shared memory."""

    name = "nv_tileas.async.tiled_tma_store"

    KIND: ClassVar[CopyKind] = CopyKind.TMA_STORE
    EXPECTED: ClassVar[str] = "expect a tma_store atom type"

    def verify_(self) -> None:
        self.verify_transfer(self.descriptor, self.source, self.coords)


@irdl_op_definition
class AsyncTiledTmaReduceOp(BoxStoreOp):
    """Starts to combine a box from shared memory with a box in global memory."""

    name = "nv_tileas.async.tiled_tma_reduce"

    KIND: ClassVar[CopyKind] = CopyKind.TMA_REDUCE
    EXPECTED: ClassVar[str] = "expect a tma_redg atom type"

    def verify_(self) -> None:
        atom = self.atom.copy_atom
        if atom is not None and atom.feature == Feature.TMA_SCATTER:
            raise VerifyException("TmaReduceOp do not support SCATTER4 mode")
        self.verify_transfer(self.descriptor, self.source, self.coords)


@irdl_op_definition
class AsyncGatherTmaLoadOp(
    TmaTransferOp, BulkLoadOpInterface, TilePartOpInterface, GlobalMemoryOpInterface
):
    """Starts to copy rows to shared memory; `rows` holds the row numbers, `coords` the first
    column.

    The row numbers are in registers, or in shared memory, where one thread can read them.
    """

    name = "nv_tileas.async.gather_tma_load"

    KIND: ClassVar[CopyKind] = CopyKind.TMA_LOAD
    MODE: ClassVar[Feature] = Feature.TMA_GATHER
    EXPECTED: ClassVar[str] = "expect a tma_load atom type"

    descriptor = operand_def(DESCRIPTOR)
    destination = operand_def(SHARED)
    coords = var_operand_def(COORDINATE)
    rows = operand_def(TensorType)
    barrier = operand_def(MemTokenType)
    padding_value = opt_prop_def(PADDING)
    tx_count = opt_prop_def(IntegerAttr[I32])
    result = result_def(COMPLETION)

    def __init__(
        self,
        descriptor: SSAValue,
        destination: SSAValue,
        coords: Sequence[SSAValue],
        rows: SSAValue,
        barrier: SSAValue,
        atom: AtomAttr,
        result_type: Attribute | None = None,
    ):
        super().__init__(
            operands=[descriptor, destination, coords, rows, barrier],
            properties={"atom": atom},
            result_types=[result_type or AsyncTokenType()],
        )

    def verify_(self) -> None:
        self.verify_transfer(self.descriptor, self.destination, self.coords)
        verify_rows(self.rows)
        verify_padding("GatherTmaLoad", self.padding_value, self.destination)

    @property
    def effects(self) -> Effects:
        return bulk_load(self.destination, self.rows)

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return staged_rows(self.rows)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(
            self.barrier, writes=False, proxy=Proxy.ASYNC, is_followed=False, follows_scratch=True
        )

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("destination", self.coords)

    @property
    def filled(self) -> SSAValue:
        return self.destination


@irdl_op_definition
class AsyncScatterTmaStoreOp(TmaTransferOp, TilePartOpInterface, GlobalMemoryOpInterface):
    """Starts to copy rows from shared memory; `rows` holds the row numbers, `coords` the first
    column.
    """

    name = "nv_tileas.async.scatter_tma_store"

    KIND: ClassVar[CopyKind] = CopyKind.TMA_STORE
    MODE: ClassVar[Feature] = Feature.TMA_SCATTER
    EXPECTED: ClassVar[str] = "expect a tma_store atom type"

    descriptor = operand_def(DESCRIPTOR)
    source = operand_def(SHARED)
    coords = var_operand_def(COORDINATE)
    rows = operand_def(TensorType)
    result = result_def(COMPLETION)

    def __init__(
        self,
        descriptor: SSAValue,
        source: SSAValue,
        coords: Sequence[SSAValue],
        rows: SSAValue,
        atom: AtomAttr,
    ):
        super().__init__(
            operands=[descriptor, source, coords, rows],
            properties={"atom": atom},
            result_types=[AsyncTokenType()],
        )

    def verify_(self) -> None:
        if "padding_value" in self.attributes:
            raise VerifyException("scatter_tma_store does not support padding_value")
        self.verify_transfer(self.descriptor, self.source, self.coords)
        verify_rows(self.rows)

    @property
    def effects(self) -> Effects:
        return bulk_store(self.source, self.result, self.rows)

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return staged_rows(self.rows)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(None, writes=True, proxy=Proxy.ASYNC, is_deferred=True)

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("source", self.coords)


def staged_rows(rows: SSAValue) -> Sequence[ScratchNeed]:
    """The scratch memory for row numbers in registers, from which one thread reads all of them."""
    if is_handle(rows.type):
        return ()
    numbers = tile_shape(rows.type)
    return (Staging(prod(numbers.shape) * moved_bits(numbers.element) // 8),)


def verify_rows(rows: SSAValue) -> None:
    """Raises `VerifyException` unless the row numbers are a rank-1 tensor of i32."""
    type = rows.type
    assert isinstance(type, TensorType)
    if len(type.get_shape()) != 1 or type.get_element_type() != i32:
        raise VerifyException(
            f"expects the row numbers to be a rank-1 tensor of i32, but got {type}"
        )
