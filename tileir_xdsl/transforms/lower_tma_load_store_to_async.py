"""`lower-tma-load-store-to-async`: accesses with a TMA atom become bulk copies of boxes.

A load starts a copy to a buffer in shared memory, and waits for it; `tx_count` is the number of
bytes that the mbarrier expects:

    %x = nv_tileas.tiled_load weak %v[%i, %j] {atom = #nv_tileas<atom tma_load_2d>, ..}
         : V[i32, i32] -> tensor<128x64xf16, #nv_tileas.memory<smem, L>>
    // becomes
    %d = nv_tileas.make_tiled_tma_desc %v[%c128, %c64] {atom, swizzle_mode, oob_mode, tmaIdx} : ..
    %b = nv_tileas.alloc_tensor : tensor<128x64xf16, #nv_tileas.memory<smem, L>>
    %a = nv_tileas.async.tiled_tma_load %d, %b[%row, %column], %t {atom, tx_count, tmaIdx} : ..
    %x = nv_tileas.async.future_wait %a : ..

A gather copies rows by their numbers, which one thread reads from shared memory. The numbers are
stored in shared memory once, as soon as they are known. The tensor map of a gather has boxes of one
row:

    %x = nv_tileas.gather_load weak %v[%rows, %j] {atom = #nv_tileas<atom tma_gather4_2d>, ..} : ..
    // becomes
    %n = nv_tileas.copy %rows into %m : .. -> tensor<64xi32, #nv_tileas.memory<smem, <64, 1>>>
    %a = nv_tileas.async.gather_tma_load %d, %b[%j], %n, %t {atom, tx_count, tmaIdx} : ..

A store copies its tile to a buffer, executes a fence, and starts a copy from the buffer to global
memory. Tensor maps are made once at the beginning of the kernel, from its arguments; accesses with
equal tensor maps share one. Coordinates count elements. A load that is the same in several CTAs of
a cluster has `num_multicast` and `multicast_stride`. The boxes of such a load are small enough that
each CTA can load an equal share. Accesses of memory objects that no tensor map can describe stay as
they are. Source: the TileAS notes on TMA, "LowerTMALoadStoreToAsync".
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from tileir_xdsl.analysis.access.tma_access import (
    MAX_EXTENT,
    OUTSIDE,
    ViewedObject,
    needs_selection,
    reduction_atom,
    viewed_object,
)
from tileir_xdsl.analysis.buffers.cta_sharing import SharingGroup, sharing_group
from tileir_xdsl.analysis.buffers.shared_layouts import swizzle_mode
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.builders.row_numbers import RowNumbers
from tileir_xdsl.builders.tiles import OperationT, allocate, convert_layout, wait_for
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, padding_of
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType, tile_shape, tile_type
from tileir_xdsl.dialects.nv_tileas.attributes import (
    OutOfBoundsMode,
    OutOfBoundsModeAttr,
    Residency,
    SwizzleModeAttr,
)
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr
from tileir_xdsl.dialects.nv_tileas.tma import TMA_KINDS, TmaTransferOp
from tileir_xdsl.dialects.nv_tileas.types import layout_of, memory_of
from tileir_xdsl.dialects.resource_attributes import LATENCY_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import target_around as module_target
from tileir_xdsl.layout.cute import NO_SWIZZLE, LayoutError
from tileir_xdsl.layout.shared import SharedLayout, TMABoxes, boxes_of
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

NO_KERNEL = "LowerTMALoadStoreToAsync: missing or invalid KernelSpecAttr on function"
NO_SHARED_LAYOUT = "smem layout is not TMA compatible"

INDEX_BITS = 64
"""The width of `index`, the type of coordinates in hand-written programs."""

BoxAccess = nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp | nv_tileas.TiledAtomicRMWOp
RowsAccess = nv_tileas.GatherLoadOp | nv_tileas.ScatterStoreOp
TiledAccess = BoxAccess | RowsAccess
TILED_ACCESSES = (
    nv_tileas.TiledLoadOp,
    nv_tileas.TiledStoreOp,
    nv_tileas.GatherLoadOp,
    nv_tileas.ScatterStoreOp,
    nv_tileas.TiledAtomicRMWOp,
)


@dataclass(frozen=True)
class LowerTMALoadStoreToAsyncPass(FunctionPass):
    """Turns loads and stores with a TMA atom into bulk copies of boxes."""

    name = "lower-tma-load-store-to-async"

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        for function in functions_in(scopes):
            if any(map(is_tma_access, ops_in(function))):
                # Tensor maps are arguments of a launch, which other functions have not.
                if function.kernel_spec is None:
                    fail(function, NO_KERNEL)
                lowering = LowerAccesses(
                    Descriptors.of(function), RowNumbers(function.kernel_spec.num_warps.data)
                )
                DispatchWalker(dict.fromkeys(TILED_ACCESSES, lowering)).rewrite(function)


def is_tma_access(op: Operation) -> bool:
    """Whether an op is a tiled load or store with a TMA atom."""
    if not isinstance(op, TiledAccess) or op.atom is None:
        return False
    atom = op.atom.copy_atom
    return atom is not None and atom.kind in TMA_KINDS


# Tensor maps

Key = tuple[object, ...]
"""All that a tensor map encodes: memory object, dimension groups, box, swizzle, padding, and
atom.
"""


@dataclass
class Descriptors:
    """The tensor maps of a kernel, made at the start of the kernel."""

    block: Block
    made: dict[Key, nv_tileas.MakeTiledTmaDescOp] = field(
        default_factory=dict[Key, nv_tileas.MakeTiledTmaDescOp]
    )
    first_index: int = 0
    last: Operation | None = None
    """The last of the ops at the start of the kernel that make tensor maps."""

    @staticmethod
    def of(function: nv_tileaa.FuncOp) -> "Descriptors":
        """For a kernel that may have tensor maps already; new tensor maps get the following
        numbers.
        """
        numbers = [
            op.tma_index.value.data
            for op in ops_in(function)
            if isinstance(op, nv_tileas.MakeTiledTmaDescOp) and op.tma_index is not None
        ]
        return Descriptors(function.body.block, first_index=1 + max(numbers, default=-1))

    def get(
        self, op: TiledAccess, boxes: TMABoxes, outside: OutOfBoundsMode
    ) -> nv_tileas.MakeTiledTmaDescOp:
        """The tensor map of an access, made on first use."""
        box = boxes.box
        if isinstance(op, RowsAccess):
            # Each of the rows is a box (PTX ISA, "Tiled mode").
            box = tuple(1 if dim == boxes.order[1] else n for dim, n in enumerate(box))
        tiling = op.view.owner
        assert isinstance(tiling, nv_tileaa.BlockTileOp) and op.atom is not None
        swizzle = swizzle_mode(boxes.shared)
        # All that a tensor map encodes; each costs 128 bytes of parameters and a prefetch.
        key = (tiling.source, tiling.get_dim_groups(), box, swizzle, outside, op.atom)
        found = self.made.get(key)
        if found is not None:
            return found
        # The launch fills in tensor maps, so nothing that a kernel computes may come before them.
        self._move_up(op.view)
        extents = [
            arith.ConstantOp(IntegerAttr(extent, IndexType()), IndexType()) for extent in box
        ]
        descriptor = nv_tileas.MakeTiledTmaDescOp(
            op.view,
            [extent.result for extent in extents],
            op.atom,
            swizzle_mode=SwizzleModeAttr(swizzle),
            oob_mode=OutOfBoundsModeAttr(outside),
            tma_index=self.first_index + len(self.made),
        )
        for new in (*extents, descriptor):
            new.location = op.location
            self._append(new)
        self.made[key] = descriptor
        return descriptor

    def _append(self, op: Operation) -> None:
        if self.last is not None:
            Rewriter.insert_op(op, InsertPoint.after(self.last))
        else:
            Rewriter.insert_op(op, InsertPoint.at_start(self.block))
        self.last = op

    def _move_up(self, value: SSAValue) -> None:
        """Moves the ops that compute a view to the start of the kernel, before the tensor map."""
        op = value.owner
        if not isinstance(op, Operation) or self._stands_before(op):
            return
        for operand in op.operands:
            self._move_up(operand)
        op.detach()
        self._append(op)

    def _stands_before(self, op: Operation) -> bool:
        # Not in the entry block yet, or nothing is there to stand before.
        if op.parent is not self.block or self.last is None:
            return False
        return op is self.last or op.is_before_in_block(self.last)


# Accesses


@dataclass
class LowerAccesses(RewritePattern):
    """Turns each access with a TMA atom into a bulk copy, if a tensor map can describe its
    object.
    """

    descriptors: Descriptors
    numbers: RowNumbers

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, TiledAccess) or not is_tma_access(op):
            return
        viewed = viewed_object(op.view)
        if (
            viewed is None
            or not viewed.is_known
            or not isa(op.token, SSAValue[MemTokenType] | None)
        ):
            return
        if isinstance(op, nv_tileas.TiledAtomicRMWOp):
            _check_reduction(op)
            # Bulk copies do not return what was there before.
            if op.old.uses:
                return
        boxes = boxes_of_access(op, viewed)
        group = self._sharing_group(op)
        divided = None if group is None else boxes.divided(group.count)
        # Parts below 128 bytes cannot be multicast: then each CTA loads all of them.
        boxes = divided or boxes
        padding = padding_of(op.padding_value)
        element = tile_shape(accessed_tile(op).type).element
        is_selected = needs_selection(padding, element)
        outside = OutOfBoundsMode.ZERO if is_selected else OUTSIDE[padding]
        descriptor = self.descriptors.get(op, boxes, outside)
        if isinstance(op, RowsAccess):
            transfer = RowsTransfer(
                op, boxes, descriptor, self.numbers.in_memory(op.coords[op.sparse_dim.value.data])
            )
        else:
            transfer = BoxTransfer(op, boxes, descriptor, None if divided is None else group)
        match op:
            case nv_tileas.TiledLoadOp() | nv_tileas.GatherLoadOp():
                results = transfer.load()
            case nv_tileas.TiledStoreOp() | nv_tileas.ScatterStoreOp():
                results = transfer.store(op.tile)
            case nv_tileas.TiledAtomicRMWOp():
                results = [None, *transfer.store(op.value)]
        latency = op.properties.get(LATENCY_ATTRIBUTE)
        for new in transfer.ops:
            new.location = op.location
            if latency is not None and isinstance(new, TmaTransferOp):
                new.attributes[LATENCY_ATTRIBUTE] = latency
        rewriter.insert(transfer.ops)
        if is_selected:
            results[0] = _padded(op, results[0], rewriter)
        rewriter.replace(op, [], results)

    @staticmethod
    def _sharing_group(op: TiledAccess) -> SharingGroup | None:
        """The CTAs of the cluster that execute the same load, on targets with multicast copies."""
        target = module_target(op)
        # On sm_120 the blocks of a cluster do not share copies (PTX ISA, `.multicast::cluster`).
        if target is not None and not target.copies_to_clusters:
            return None
        return sharing_group(op) if isinstance(op, nv_tileas.TiledLoadOp) else None


def _padded(op: TiledAccess, tile: SSAValue | None, rewriter: PatternRewriter) -> SSAValue | None:
    """Pads a loaded tile before its first user.

    So all loads with a common user are issued before the padding.
    """
    assert isinstance(op, nv_tileas.TiledLoadOp) and op.padding_value is not None
    block = op.parent
    assert tile is not None and block is not None
    users = [block.find_ancestor_op_in_block(use.operation) for use in op.tile.uses]
    first = next((other for other in block.ops if other in users), None)
    if first is None:
        return tile
    pad = nv_tileas.PadOp(tile, op.view, op.coords, op.offsets, op.padding_value, op.in_bounds)
    pad.location = op.location
    rewriter.insert(pad, InsertPoint.before(first))
    return pad.result


def _check_reduction(op: nv_tileas.TiledAtomicRMWOp) -> None:
    """Fails unless the atom of an atomic reduction matches the op."""
    expected = reduction_atom(op)
    if op.atom is not None and op.atom.data != expected:
        fail(op, f"'{op.name}' op expects the atom {expected}, but got {op.atom.data}")


def is_asynchronous(token: SSAValue | None) -> bool:
    """Whether a token is an async token, which is waited for explicitly."""
    return token is not None and isinstance(token.type, nv_tileas.AsyncTokenType)


def access_layout(op: TiledAccess) -> LayoutAttr | None:
    """The layout of an access's buffer in shared memory: of its tile, or of the staging buffer."""
    return layout_of(accessed_tile(op).type) or op.layout


def accessed_tile(op: TiledAccess) -> SSAValue:
    """The tile that an access loads, stores or combines with memory."""
    return op.value if isinstance(op, nv_tileas.TiledAtomicRMWOp) else op.tile


def boxes_of_access(op: TiledAccess, viewed: ViewedObject) -> TMABoxes:
    """The boxes that fill the buffer of an access.

    Raises:
        PassFailedException: no boxes of the object leave the image that the access asks for.
    """
    layout = access_layout(op)
    tile = tile_shape(accessed_tile(op).type)
    if layout is None:
        fail(op, NO_SHARED_LAYOUT)
    shared_layout = SharedLayout(
        layout.data.layout, 8 * element_bytes(tile.element), layout.data.swizzle or NO_SWIZZLE
    )
    try:
        boxes = boxes_of(shared_layout)
    except LayoutError:
        fail(op, NO_SHARED_LAYOUT)
    # The first dimension of a tensor map has stride 1 (CUDA driver API, cuTensorMapEncodeTiled).
    if shared_layout.shape != tile.shape or boxes.order[0] != viewed.fastest:
        fail(op, NO_SHARED_LAYOUT)
    return boxes


@dataclass
class Transfer(ABC):
    """Builds the ops that replace one access, in order."""

    access: TiledAccess
    boxes: TMABoxes
    descriptor: nv_tileas.MakeTiledTmaDescOp
    ops: list[Operation] = field(default_factory=list[Operation], kw_only=True)

    @abstractmethod
    def start_load(self, buffer: SSAValue, token: SSAValue) -> Operation:
        """The op that starts a load to a buffer."""

    @abstractmethod
    def start_store(self, source: SSAValue) -> Operation:
        """The op that starts a store from a buffer."""

    def load(self) -> list[SSAValue | None]:
        """The values that replace the results of a load."""
        wanted = accessed_tile(self.access)
        token = self.access.token or self._add(nv_tileaa.CreateMemTokenOp())
        buffer = allocate(self, self._buffer_type())
        value = self._add(
            self.start_load(buffer, token),
            tmaIdx=self.descriptor.tma_index,
            tx_count=IntegerAttr(self.boxes.shared.address_map().bytes, i32),
        )
        tile = wait_for(self, value)
        # A tile that is wanted in registers passes through the buffer.
        if wanted.type != tile.type:
            tile = convert_layout(self, tile, wanted.type)
        return [tile, *self._token(value)]

    def store(self, source: SSAValue) -> list[SSAValue | None]:
        """The value that replaces the token of a store of a tile, if it has one."""
        # Bulk copies read shared memory alone.
        if memory_of(source.type) is not Memory.SHARED:
            type = self._buffer_type()
            buffer = allocate(self, type)
            copy = nv_tileas.CopyOp.build(operands=[source, [buffer]], result_types=[type])
            source = self._add(copy)
        # Threads write by the generic proxy what the copy reads by the async proxy.
        self.ops.append(nv_tileas.FenceOp(MemSemantic.ACQ_REL, MemScope.TILE_BLOCK))
        self._follow(self.access.token)
        done = self._add(self.start_store(source), tmaIdx=self.descriptor.tma_index)
        token = self._token(done)
        if not token or token[0] is None:
            # Nobody waits for the store itself, but its buffer may be written again.
            self.ops.append(nv_tileas.WaitOp([done]))
        return token

    def _follow(self, token: SSAValue | None) -> None:
        """Waits for the accesses that a store must follow."""
        # A new token orders nothing.
        if token is None or isinstance(token.owner, nv_tileaa.CreateMemTokenOp):
            return
        earlier = token
        if not is_asynchronous(token):
            earlier = self._add(nv_tileas.TokenToAsyncOp(token))
        self.ops.append(nv_tileas.WaitOp([earlier]))

    def insert(self, op: OperationT, /) -> OperationT:
        """Appends an op to `ops`."""
        self.ops.append(op)
        return op

    def _add(self, op: Operation, **properties: Attribute | None) -> SSAValue:
        op.properties |= {name: value for name, value in properties.items() if value is not None}
        return self.insert(op).results[0]

    @property
    def _atom(self) -> nv_tileas.AtomAttr:
        assert self.access.atom is not None
        return self.access.atom

    def _buffer_type(self) -> TensorType[Attribute]:
        tile = tile_shape(accessed_tile(self.access).type)
        encoding = nv_tileas.MemoryAttr(Residency.SHARED, access_layout(self.access))
        type = tile_type(tile.shape, tile.element, encoding)
        assert isinstance(type, TensorType)
        return type

    def _token(self, work: SSAValue) -> list[SSAValue | None]:
        """The token of the access after a wait for the work: no value without a token, None if the
        token is unused.
        """
        token = self.access.result_token
        if token is None:
            return []
        return [self._add(nv_tileas.WaitOp([work], with_token=True)) if token.uses else None]

    def _start(self, coordinate: SSAValue, step: int) -> SSAValue:
        """`coordinate * step` in 32 bits, clamped, so that it does not wrap around to an element of
        the object.

        A tile that starts at 2**31 or later gets the start 2**31, which TMA reads as a negative
        number, outside of the object.
        """
        # Rounded up: the first tile number whose start is past every element.
        beyond = -(-MAX_EXTENT // step)
        type = coordinate.type
        assert isinstance(type, IndexType | IntegerType)
        owner = coordinate.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            width = type.width.data if isinstance(type, IntegerType) else INDEX_BITS
            number = owner.value.value.data % (1 << width)
            start = min(number * step, MAX_EXTENT)
            return self._add(arith.ConstantOp.from_int_and_width(start, 32))
        # The limit does not fit a narrower type.
        if isinstance(type, IntegerType) and type.width.data < 32:
            coordinate, type = self._add(arith.ExtUIOp(coordinate, i32)), i32
        limit = IntegerAttr(beyond, type)
        coordinate = self._add(arith.MinUIOp(coordinate, self._add(arith.ConstantOp(limit))))
        if isinstance(type, IndexType):
            coordinate = self._add(arith.IndexCastOp(coordinate, i32))
        elif type != i32:
            coordinate = self._add(arith.TruncIOp(coordinate, i32))
        operand = self._add(arith.ConstantOp.from_int_and_width(step, 32))
        start = self._add(arith.MuliOp(coordinate, operand))
        if step <= MAX_EXTENT // 2:
            return start
        # The first tile past it may start so far out that it would reach around to element 0.
        furthest = self._add(arith.ConstantOp.from_int_and_width(MAX_EXTENT, 32))
        return self._add(arith.MinUIOp(start, furthest))


@dataclass
class BoxTransfer(Transfer):
    """Builds the ops for an access of a view's tile."""

    group: SharingGroup | None = None
    """The CTAs that execute the same load."""

    def start_load(self, buffer: SSAValue, token: SSAValue) -> Operation:
        load = nv_tileas.AsyncTiledTmaLoadOp(
            self.descriptor.result,
            buffer,
            self._coordinates(),
            token,
            self._atom,
            ValueType(buffer.type),
        )
        if self.group is not None:
            load.num_multicast = IntegerAttr(self.group.count, i32)
            load.multicast_stride = IntegerAttr(self.group.stride, i32)
        return load

    def start_store(self, source: SSAValue) -> Operation:
        kind = nv_tileas.AsyncTiledTmaStoreOp
        if isinstance(self.access, nv_tileas.TiledAtomicRMWOp):
            kind = nv_tileas.AsyncTiledTmaReduceOp
        return kind(self.descriptor.result, source, self._coordinates(), self._atom)

    def _coordinates(self) -> list[SSAValue]:
        """The index of the tile's first element along each dimension, clamped as by `_start`.

        Coordinates of bulk copies are signed numbers of 32 bits, which bounds the extents of
        objects.
        """
        op = self.access
        assert isinstance(op, BoxAccess) and isinstance(op.view.owner, nv_tileaa.BlockTileOp)
        steps = op.view.owner.get_tile_strides()
        starts = [
            self._start(coordinate, step) for coordinate, step in zip(op.coords, steps, strict=True)
        ]
        if isinstance(op, nv_tileas.TiledAtomicRMWOp) or not op.offsets:
            return starts
        offsets = [self._add(arith.IndexCastOp(offset, i32)) for offset in op.offsets]
        return [
            self._add(arith.AddiOp(start, offset))
            for start, offset in zip(starts, offsets, strict=True)
        ]


@dataclass
class RowsTransfer(Transfer):
    """Builds the ops for an access of a matrix's rows by their numbers."""

    rows: SSAValue
    """The numbers of the rows, in shared memory."""

    def start_load(self, buffer: SSAValue, token: SSAValue) -> Operation:
        return nv_tileas.AsyncGatherTmaLoadOp(
            self.descriptor.result,
            buffer,
            [self._column()],
            self.rows,
            token,
            self._atom,
            ValueType(buffer.type),
        )

    def start_store(self, source: SSAValue) -> Operation:
        return nv_tileas.AsyncScatterTmaStoreOp(
            self.descriptor.result, source, [self._column()], self.rows, self._atom
        )

    def _column(self) -> SSAValue:
        """The first column; tiles of rows may start at any column."""
        op = self.access
        assert isinstance(op, RowsAccess)
        return self._start(op.coords[self.boxes.order[0]], 1)
