"""Why TMA cannot make an access, where it cannot; the memory object of an access.

Source: PTX ISA, "Tensor-map"; CUDA driver API, tensor maps. `layout.shared` computes boxes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    IntegerAttr,
    IntegerType,
    bf16,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from tileir_xdsl.analysis.access.access_width import AccessedAddresses
from tileir_xdsl.analysis.regions.region_flow import forwarded_as
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, padding_of
from tileir_xdsl.dialects.nv_tileaa.constraints import bit_width
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, MemTokenType, tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.accesses import SparseTileOp
from tileir_xdsl.dialects.nv_tileas.attributes import OutOfBoundsMode, RMWMode
from tileir_xdsl.dialects.nv_tileas.tensor_maps import KernelArgument, LaunchValue
from tileir_xdsl.dialects.resource_attributes import DEVICE_MAPS_ATTRIBUTE
from tileir_xdsl.layout.shared import MAX_BOX_RANK
from tileir_xdsl.targets import Feature, Target

STRIDE_BYTES = 16
"""The base address and the strides of a tensor map are multiples of this many bytes."""

MAX_STRIDE_BYTES = (1 << 40) - 1
"""The largest stride that a tensor map holds."""

MAX_EXTENT = 1 << 31
"""The most elements along a dimension that signed 32-bit coordinates can address."""

OUTSIDE: dict[PaddingValue | float | None, OutOfBoundsMode] = {
    None: OutOfBoundsMode.ZERO,
    PaddingValue.ZERO: OutOfBoundsMode.ZERO,
    PaddingValue.NAN: OutOfBoundsMode.NAN,
}
"""The fill of a tensor map outside of the object, by the padding of the load."""

WITH_NAN: tuple[Attribute, ...] = (f16, bf16, f32, f64)
"""The element types that a tensor map can fill with NaN."""

BoxAccess = nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp
TiledAccess = BoxAccess | SparseTileOp | nv_tileas.TiledAtomicRMWOp
LOADS = (nv_tileas.TiledLoadOp, nv_tileas.GatherLoadOp)

FEATURES: dict[type[Operation], Feature] = {
    nv_tileas.GatherLoadOp: Feature.TMA_GATHER,
    nv_tileas.ScatterStoreOp: Feature.TMA_SCATTER,
}
"""Features, besides TMA, that gathers, scatters and reductions need."""


def needs_selection(padding: PaddingValue | float | None, element: Attribute) -> bool:
    """Whether threads must write the padding value, which no tensor map can fill in."""
    return padding not in OUTSIDE or (padding is PaddingValue.NAN and element not in WITH_NAN)


_INTEGERS: tuple[Attribute, ...] = (i32, i64)

REDUCTIONS: Mapping[RMWMode, tuple[str, tuple[Attribute, ...]]] = {
    RMWMode.ADD: ("add", (*_INTEGERS, *WITH_NAN)),
    RMWMode.AND: ("and", _INTEGERS),
    RMWMode.OR: ("or", _INTEGERS),
    RMWMode.XOR: ("xor", _INTEGERS),
    RMWMode.UMAX: ("max", _INTEGERS),
    RMWMode.UMIN: ("min", _INTEGERS),
}
"""Atomic operations of TMA, and their element types (PTX ISA, `cp.reduce.async.bulk`).

These operations treat integers of tensor maps as unsigned. The result of minima and maxima of
16-bit floats with NaN is not documented.
"""

NARROW_SCOPES = (None, MemScope.TILE_BLOCK, MemScope.CLUSTER, MemScope.GPU)
"""The scopes of bulk reductions: `.relaxed.gpu` (PTX ISA, `cp.reduce.async.bulk.tensor`)."""


def reduction_atom(op: nv_tileas.TiledAtomicRMWOp) -> str:
    """The atom by which TMA would make an atomic modification."""
    mode = op.rmw_mode.data
    operation, _ = REDUCTIONS.get(mode, (str(mode), ()))
    rank = len(tile_shape(op.value.type).shape)
    return f"tma_redg_{operation}_{min(max(1, rank), MAX_BOX_RANK)}d"


def _reduction_problem(op: nv_tileas.TiledAtomicRMWOp) -> str:
    """Why TMA cannot make an atomic modification, whatever the object; empty if it can."""
    element, mode = tile_shape(op.value.type).element, op.rmw_mode.data
    if op.old.uses:
        return "TMA does not return what was there before"
    if element not in REDUCTIONS.get(mode, ("", ()))[1]:
        return f"TMA has no atomic {mode} of {element}"
    scope = None if op.mem_scope is None else op.mem_scope.data
    is_relaxed = op.mem_semantic.data in (MemSemantic.WEAK, MemSemantic.RELAXED)
    if not is_relaxed or scope not in NARROW_SCOPES:
        return f"TMA reduces relaxed and for one GPU, not {op.mem_semantic.data} for {scope}"
    return ""


def tma_problem(op: TiledAccess, position: AccessedAddresses, target: Target) -> str:
    """Why TMA cannot make an access of global memory; empty if it can."""
    if target.is_self_contained and not makes_tensor_maps(op):
        return "a launch by ABI 'tile' passes no tensor maps"
    return object_problem(op, position, target)


def object_problem(op: TiledAccess, position: AccessedAddresses, target: Target) -> str:
    """Why TMA cannot make an access, given that tensor maps are available; empty if it can."""
    is_atomic = isinstance(op, nv_tileas.TiledAtomicRMWOp)
    moved = op.moved if isinstance(op, SparseTileOp) else op.value if is_atomic else op.tile
    element = tile_shape(moved.type).element
    padding = padding_of(op.padding_value)
    if Feature.TMA not in target.features:
        return f"{target.name} has no TMA"
    feature = FEATURES.get(type(op))
    if feature is not None and feature not in target.features:
        return f"{target.name} has no {feature.value}"
    if target.is_self_contained and not isinstance(op, LOADS):
        return "tensor maps of ABI 'tile' are for loads"
    if op.allow_tma is not None and not op.allow_tma.value.data:
        return "the hint allow_tma forbids TMA"
    if isinstance(op, BoxAccess) and op.mask is not None:
        return "TMA leaves out no single elements"
    if is_atomic:
        if problem := _reduction_problem(op):
            return problem
    elif op.mem_semantic.data != MemSemantic.WEAK:
        return f"TMA gives no {op.mem_semantic.data} order"
    if not isinstance(op, nv_tileas.TiledLoadOp) and needs_selection(padding, element):
        return f"TMA pads with zeros, not with {padding}"
    if not isinstance(element, IntegerType | AnyFloat) or bit_width(element) < 8:
        return "TMA needs elements of whole bytes"
    if isinstance(op, LOADS) and follows_writes(op.token):
        return "TMA reads past the stores of threads that the load follows"
    viewed = viewed_object(op.view)
    if viewed is None:
        return "the program does not show which object is accessed"
    if not viewed.is_known:
        return "the object depends on more than the arguments of the kernel"
    if len(viewed.sizes) > MAX_BOX_RANK:
        return f"tensor maps have up to {MAX_BOX_RANK} dimensions"
    if viewed.strides[position.dimension] != 1 or position.run < position.shape[position.dimension]:
        return "no dimension has its elements side by side in memory"
    # Listed rows are copied from any column on.
    aligned = position.alignment if feature is None else position.object_alignment
    if aligned < STRIDE_BYTES or 0 in viewed.strides:
        return f"a base or stride is not a multiple of {STRIDE_BYTES} bytes, as far as is known"
    if any(
        is_too_large(size, bound) for size, bound in zip(viewed.sizes, viewed.bounds, strict=True)
    ):
        return f"coordinates of TMA reach {MAX_EXTENT} elements along a dimension"
    if target.is_self_contained and (problem := _unchecked_problem(op, viewed)):
        return problem
    strides = [stride for stride in viewed.strides if isinstance(stride, int)]
    if max(strides) * position.element_bytes > MAX_STRIDE_BYTES:
        return f"strides of tensor maps are up to {MAX_STRIDE_BYTES} bytes"
    return ""


def makes_tensor_maps(op: Operation) -> bool:
    """Whether the kernel that an op is in makes its tensor maps itself."""
    return DEVICE_MAPS_ATTRIBUTE in scope_of(op).attributes


def _unchecked_problem(op: TiledAccess, viewed: "ViewedObject") -> str:
    """The check of a launch that may fail where a kernel makes the tensor map without checks."""
    if any(bound > MAX_EXTENT for bound in viewed.bounds):
        return f"the program does not show sizes of up to {MAX_EXTENT}"
    function = scope_of(op)
    assert isinstance(function, nv_tileaa.FuncOp)
    types = function.function_type.inputs.data
    numbers = [stride.number for stride in viewed.strides if isinstance(stride, KernelArgument)]
    if any(types[number] != i32 for number in numbers):
        return f"the program does not show strides of up to {MAX_STRIDE_BYTES} bytes"
    return ""


def is_too_large(size: LaunchValue | None, bound: int) -> bool:
    """Whether an object may have elements along a dimension that no coordinate reaches.

    Programs use sizes of 64 bits for objects that large. The launch checks a size of 32 bits.
    """
    return bound > MAX_EXTENT if isinstance(size, int) else bound >= 1 << 32


@dataclass(frozen=True)
class ViewedObject:
    """The memory object of a view, its dimensions in the order of those of the view's tiles.

    None represents a value that a launch does not know.
    """

    pointer: KernelArgument | None
    sizes: tuple[LaunchValue | None, ...]
    strides: tuple[LaunchValue | None, ...]
    bounds: tuple[int, ...]
    """The largest that each size may be, as far as the program shows."""

    @property
    def is_known(self) -> bool:
        """Whether a launch knows the whole object."""
        return self.pointer is not None and None not in (*self.sizes, *self.strides)

    @property
    def fastest(self) -> int | None:
        """The last dimension whose elements are contiguous."""
        return max((dim for dim, stride in enumerate(self.strides) if stride == 1), default=None)


def viewed_object(view: SSAValue) -> ViewedObject | None:
    """The object of a view, if the tiles of the view have the same dimensions as the object.

    An object itself is a view that takes its dimensions in order.
    """
    tiling = view.owner
    memref = tiling.source.owner if isinstance(tiling, nv_tileaa.BlockTileOp) else tiling
    if not isinstance(memref, nv_tileaa.MakeMemRefOp) or memref.offset is not None:
        return None
    type = memref.result.type
    assert isinstance(type, MemRefType)
    groups = [(dim,) for dim in range(len(type.get_shape()))]
    if isinstance(tiling, nv_tileaa.BlockTileOp):
        if sorted(tiling.get_dim_groups()) != groups:
            return None
        groups = tiling.get_dim_groups()
    pointer = launch_value(memref.base)
    sizes = _launch_values(type.get_shape(), memref.sizes)
    strides = _launch_values(type.get_strides(), memref.strides)
    ranges, dynamic = UnsignedRanges(), iter(memref.sizes)
    bounds = [
        ranges.of(next(dynamic)) if size == DYNAMIC_INDEX else size for size in type.get_shape()
    ]
    return ViewedObject(
        pointer if isinstance(pointer, KernelArgument) else None,
        tuple(sizes[dim] for (dim,) in groups),
        tuple(strides[dim] for (dim,) in groups),
        tuple(bounds[dim] for (dim,) in groups),
    )


def _launch_values(
    constants: Sequence[int], values: Sequence[SSAValue]
) -> tuple[LaunchValue | None, ...]:
    rest = iter(values)
    return tuple(launch_value(next(rest)) if n == DYNAMIC_INDEX else n for n in constants)


def launch_value(value: SSAValue) -> LaunchValue | None:
    """The argument of the kernel, or the constant, that a launch passes for a value, if any."""
    match value.owner:
        case nv_tileaa.AssumeOp() | arith.ExtUIOp():
            return launch_value(value.owner.operands[0])
        case arith.ConstantOp(value=IntegerAttr(type=IntegerType() as type) as constant):
            return constant.value.data % (1 << type.width.data)
        case _ if isinstance(value, BlockArgument):
            return _argument(value)
        case _:
            return None


def _argument(value: BlockArgument) -> LaunchValue | None:
    match value.block.parent_op():
        case nv_tileaa.FuncOp():
            return KernelArgument(value.index)
        case nv_tileaa.AgentLikeOpInterface() as switch:
            return launch_value(switch.inputs[value.index])
        case _:
            return None


# Order


def follows_writes(token: SSAValue | None) -> bool:
    """Whether an access with this token comes after anything but loads.

    TMA uses the asynchronous proxy, which sees stores of threads only after a proxy fence.
    """
    pending, seen = [] if token is None else [token], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        match owner:
            case nv_tileaa.CreateMemTokenOp():
                pass
            case nv_tileaa.JoinMemTokenOp() | LoadTileOp() | LoadThroughPointersOp():
                pending += (v for v in owner.operands if isinstance(v.type, MemTokenType))
            case _:
                given = list(forwarded_as(value))
                if not given:
                    return True
                pending += given
    return False
