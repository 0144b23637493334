"""Tensor maps that a kernel creates itself, in a slot of the module's memory.

    thread 0:  slot = a free one, taken by atom.acquire.gpu.exch; waits while there is none
               zeros and tensormap.replace, for each map in shared memory
    barrier
    warp 0:    tensormap.cp_fenceproxy ..release.gpu [slot's map], [shared map], 128
    barrier
    all:       fence.proxy.tensormap::generic.acquire.gpu [slot's map], 128
    ..
    return:    barrier; thread 0: atom.release.gpu.exch gives the slot back

A slot has one thread block as its owner at a time. The acquisition of a slot orders the new owner's
writes after all reads of the previous owner's maps. So the blocks of any number of concurrent
launches share the slots. An empty object has no tensor map; its loads use a map whose elements are
all out of bounds. Source: PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy", "membar /
fence".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    TensorType,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, SSAValue

from tileir_xdsl.analysis.access.tma_access import STRIDE_BYTES
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.llvm import AddrSpaceCastOp
from tileir_xdsl.dialects.llvm.atomics import AtomicRMWOp
from tileir_xdsl.dialects.llvm.attributes import AtomicBinOp, AtomicOrdering
from tileir_xdsl.dialects.nv_tileas.attributes import OutOfBoundsMode, SwizzleMode
from tileir_xdsl.dialects.nv_tileas.tensor_maps import LaunchValue, TensorMapRecipe
from tileir_xdsl.dialects.nvvm.attributes import MemoryScope
from tileir_xdsl.dialects.nvvm.fences import FenceProxyAcquireOp
from tileir_xdsl.dialects.nvvm.miscellaneous import InlinePtxOp, NanosleepOp
from tileir_xdsl.dialects.nvvm.special_registers import BlockIdXOp
from tileir_xdsl.dialects.scratch import SLOT_BYTES, TENSOR_MAP_BYTES
from tileir_xdsl.layout.banks import access_wavefronts

from ..shared_memory.scratch import begin_scratch
from ..thread.device_calls import GENERIC, first_thread, go_on, only_where
from ..thread.elected_thread import warp_index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter

ELEMENT_TYPES: dict[type[Attribute], int] = {
    Float16Type: 6,
    Float32Type: 7,
    Float64Type: 9,
    BFloat16Type: 10,
}
"""The numbers of element types in `tensormap.replace`."""

UNSIGNED_TYPES = {1: 0, 2: 1, 4: 2, 8: 4}
"""The numbers of unsigned types by size, for all other elements: copies do not interpret bits."""

SWIZZLES = {
    SwizzleMode.NONE: 0,
    SwizzleMode.BYTES_32: 1,
    SwizzleMode.BYTES_64: 2,
    SwizzleMode.BYTES_128: 3,
}

FILLS = {OutOfBoundsMode.ZERO: 0, OutOfBoundsMode.NAN: 1}

OUTSIDE_BYTES = 16
"""The minimum alignment of a tensor map's address field."""

NAN_BITS = 0xFF
"""Every byte of a NaN of any type."""

RETRY_NANOSECONDS = 64

LANE_BITS = 5


@dataclass(frozen=True)
class Field:
    """A field of a tensor map, with the type of its value."""

    name: str
    type: IntegerType
    value: SSAValue | int
    ordinal: int | None = None


class LowerMakeDeviceTmaDescs(LowerOp[nv_tileas.MakeDeviceTmaDescsOp]):
    """Acquires a slot, writes the tensor maps there, and publishes them."""

    def lower(self, op: nv_tileas.MakeDeviceTmaDescsOp, rewriter: ThreadRewriter) -> None:
        builder, recipes = rewriter.builder, op.recipes
        size = TENSOR_MAP_BYTES * len(recipes)
        scratch = begin_scratch(op, size + SLOT_BYTES, rewriter)
        number = builder.element_pointer(scratch, size, i8)
        flags, places = rewriter.function.variables.slots(op.slots.value.data, size)
        after = only_where(rewriter, first_thread(rewriter))
        taken = _take_slot(builder.compute(llvm.AddressOfOp, *flags), op.slots.value.data, rewriter)
        wavefronts = access_wavefronts((), SLOT_BYTES)
        builder.store(number, [taken], SLOT_BYTES, [None], wavefronts)
        for index, recipe in enumerate(recipes):
            map = builder.element_pointer(scratch, index * TENSOR_MAP_BYTES, i8)
            _make(map, recipe, op.arguments, rewriter)
        go_on(rewriter, after)
        # The maps and the number of the slot are in shared memory from here on.
        rewriter.barrier()
        wavefronts = access_wavefronts([0] * LANE_BITS, SLOT_BYTES)
        (slot,) = builder.load(number, i32, SLOT_BYTES, [None], None, wavefronts)
        first = builder.compute(llvm.AddressOfOp, *places)
        place = builder.element_pointer(first, builder.multiply(slot, size, i32), i8)
        maps = [
            builder.element_pointer(place, n * TENSOR_MAP_BYTES, i8) for n in range(len(recipes))
        ]
        # `tensormap.cp_fenceproxy` is `.sync.aligned`: a whole warp executes it.
        is_first = builder.compare("eq", warp_index(rewriter), builder.integer(0, i32))
        after = only_where(rewriter, is_first)
        for index, map in enumerate(maps):
            source = builder.element_pointer(scratch, index * TENSOR_MAP_BYTES, i8)
            builder.insert_without_result(InlinePtxOp(PUBLISH, [map, source]))
        go_on(rewriter, after)
        rewriter.barrier()
        length = builder.integer(TENSOR_MAP_BYTES, i32)
        for result, map in zip(op.descriptors, maps, strict=True):
            generic = builder.insert(AddrSpaceCastOp(map, GENERIC))
            builder.insert_without_result(FenceProxyAcquireOp(MemoryScope.GPU, generic, length))
            rewriter.replace(result, (generic,))
        flag = builder.element_pointer(builder.compute(llvm.AddressOfOp, *flags), slot, i32)
        rewriter.program.held.tensor_map_slot = flag


PUBLISH = (
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
    f"[{{$r0}}], [{{$r1}}], {TENSOR_MAP_BYTES};"
)


def release_slot(slot: SSAValue, rewriter: ThreadRewriter) -> None:
    """Releases the slot at the end of a kernel, after all copies through its tensor maps."""
    # Every thread has waited for the copies that it reads.
    rewriter.barrier()
    after = only_where(rewriter, first_thread(rewriter))
    _exchange(slot, 0, AtomicOrdering.RELEASE, rewriter)
    go_on(rewriter, after)


def _take_slot(flags: SSAValue, slots: int, rewriter: ThreadRewriter) -> SSAValue:
    """Acquires a free slot and returns its index. Tries the slots in turn, starting at an index
    that depends on the block.
    """
    builder = rewriter.builder
    count = builder.integer(slots, i32)
    start = builder.insert(llvm.URemOp(builder.insert(BlockIdXOp()), count))
    attempt, retry = Block(arg_types=[i32]), Block()
    after = Block(arg_types=[i32])
    builder.insert_without_result(llvm.BrOp(attempt, start))
    builder.enter(attempt)
    builder.open_scope()
    number = attempt.args[0]
    flag = builder.element_pointer(flags, number, i32)
    old = _exchange(flag, 1, AtomicOrdering.ACQUIRE, rewriter)
    is_free = builder.compare("eq", old, builder.integer(0, i32))
    builder.insert_without_result(llvm.CondBrOp(is_free, after, [number], retry, []))
    builder.enter(retry)
    builder.insert_without_result(NanosleepOp(builder.integer(RETRY_NANOSECONDS, i32)))
    following = builder.insert(llvm.AddOp(number, builder.integer(1, i32)))
    is_last = builder.compare("eq", following, count)
    following = builder.select(is_last, builder.integer(0, i32), following)
    builder.insert_without_result(llvm.BrOp(attempt, following))
    builder.close_scope()
    builder.enter(after)
    return after.args[0]


def _exchange(
    flag: SSAValue, value: int, ordering: AtomicOrdering, rewriter: ThreadRewriter
) -> SSAValue:
    builder = rewriter.builder
    new = builder.integer(value, i32)
    return builder.insert(AtomicRMWOp(AtomicBinOp.XCHG, flag, new, ordering, "device"))


def _make(
    map: SSAValue, recipe: TensorMapRecipe, arguments: Sequence[SSAValue], rewriter: ThreadRewriter
) -> None:
    """Writes a tensor map to shared memory in one thread."""
    builder = rewriter.builder
    zeros = [builder.integer(0, i32)] * 4
    for offset in range(0, TENSOR_MAP_BYTES, 16):
        builder.store(builder.element_pointer(map, offset, i8), zeros, 16, [None] * 4)
    for field in _fields(recipe, arguments, rewriter):
        place = "" if field.ordinal is None else f"{field.ordinal}, "
        bits = field.type.width.data
        value = "{$r1}" if isinstance(field.value, SSAValue) else str(field.value)
        operands = [field.value] if isinstance(field.value, SSAValue) else []
        code = f"tensormap.replace.tile.{field.name}.shared::cta.b1024.b{bits} [{{$r0}}], "
        builder.insert_without_result(InlinePtxOp(f"{code}{place}{value};", [map, *operands]))


def _fields(
    recipe: TensorMapRecipe, arguments: Sequence[SSAValue], rewriter: ThreadRewriter
) -> Iterator[Field]:
    """The fields of a tensor map; dimensions are listed fastest first."""
    builder = rewriter.builder

    def value(of: LaunchValue, type: IntegerType) -> SSAValue:
        if isinstance(of, int):
            return builder.integer(of, type)
        resized = builder.resize(rewriter.scalar(arguments[of.number]), type)
        assert isinstance(resized, SSAValue)
        return resized

    size = element_bytes(recipe.element)
    sizes = [value(recipe.sizes[dim], i32) for dim in recipe.order]
    zero, one = builder.integer(0, i32), builder.integer(1, i32)
    empty: SSAValue | None = None
    for dim, extent in zip(recipe.order, sizes, strict=True):
        if not isinstance(recipe.sizes[dim], int):
            is_zero = builder.compare("eq", extent, zero)
            empty = is_zero if empty is None else builder.insert(llvm.OrOp(empty, is_zero))

    def unless_empty(normal: SSAValue, otherwise: SSAValue) -> SSAValue:
        return normal if empty is None else builder.select(empty, otherwise, normal)

    pointer = rewriter.scalar(arguments[recipe.pointer.number])
    address = builder.insert(llvm.PtrToIntOp(pointer, i64))
    if empty is not None:
        outside = builder.insert(llvm.PtrToIntOp(_outside(recipe, rewriter), i64))
        address = unless_empty(address, outside)
    yield Field("global_address", i64, address)
    yield Field("rank", i32, len(sizes) - 1)
    for ordinal, dim in enumerate(recipe.order):
        yield Field("box_dim", i32, builder.integer(recipe.box[dim], i32), ordinal)
        yield Field("global_dim", i32, unless_empty(sizes[ordinal], one), ordinal)
        yield Field("element_stride", i32, one, ordinal)
    step = builder.integer(STRIDE_BYTES, i64)
    for ordinal, dim in enumerate(recipe.order[1:]):
        stride = builder.multiply(value(recipe.strides[dim], i64), size, i64)
        assert isinstance(stride, SSAValue)
        yield Field("global_stride", i64, unless_empty(stride, step), ordinal)
    element = ELEMENT_TYPES.get(type(recipe.element), UNSIGNED_TYPES[size])
    yield Field("elemtype", i32, element)
    yield Field("interleave_layout", i32, 0)
    yield Field("swizzle_mode", i32, SWIZZLES[recipe.swizzle])
    yield Field("fill_mode", i32, FILLS[recipe.outside])


def _outside(recipe: TensorMapRecipe, rewriter: ThreadRewriter) -> SSAValue:
    """An address for a map whose elements are all out of bounds, with the padding's value."""
    byte = NAN_BITS if recipe.outside is OutOfBoundsMode.NAN else 0
    type = TensorType(i8, (OUTSIDE_BYTES,))
    values = DenseIntOrFPElementsAttr.from_list(type, [byte] * OUTSIDE_BYTES)
    return rewriter.constant_array(values, i8, OUTSIDE_BYTES)


PATTERNS: Patterns = {nv_tileas.MakeDeviceTmaDescsOp: LowerMakeDeviceTmaDescs}
