"""Requirements of TMA on views, boxes, shared memory, and the values of a tensor map.

Source: the TileAS notes on TMA; PTX ISA, "Tensors".
"""

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.constraints import memory_bits
from tileir_xdsl.layout.cute import IntTuple, Layout, Swizzle

from .agents import AgentSwitchOp
from .conversions import ViewOp
from .layout import LayoutAttr
from .types import TiledViewType, layout_of

BOX_BITS = 128
"""The innermost row of a box is a multiple of this many bits (16 bytes)."""


def _innermost(value: IntTuple) -> int:
    while isinstance(value, tuple):
        value = value[-1]
    return value


def element_strides(view: Attribute) -> tuple[int, ...]:
    """The strides of a view in elements, as far as the type states them."""
    match view:
        case nv_tileaa.TiledViewType(memref=nv_tileaa.MemRefType() as memref):
            return memref.get_strides()
        case nv_tileaa.MemRefType():
            return view.get_strides()
        case TiledViewType(layout=LayoutAttr() as layout):
            return (_innermost(layout.data.layout.stride),)
        case _:
            return ()


def verify_element_stride(view: Attribute) -> None:
    """Raises `VerifyException` if a view has known strides, none of which is 1."""
    strides = element_strides(view)
    if strides and 1 not in strides:
        raise VerifyException("only support element_stride = 1 tma desc")


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def verify_box(view: Attribute, dims: Sequence[SSAValue]) -> None:
    """Raises `VerifyException` if the constant size of a box's innermost row is not a multiple of
    16 bytes.
    """
    assert isinstance(view, nv_tileaa.TiledViewType | nv_tileaa.MemRefType | TiledViewType)
    extent = _constant(dims[-1]) if dims else None
    if extent is not None and extent * memory_bits(view.element_type) % BOX_BITS:
        raise VerifyException("tma boxDims[0] * elemTypeBitWidth is not a multiple of 16 bytes")


def verify_shared_layout(type: Attribute) -> None:
    """Raises `VerifyException` if TMA does not support the layout of shared memory.

    TMA writes adjacent elements of some dimension contiguously, and swizzles 16-byte units within
    128-byte lines.
    """
    attribute = layout_of(type)
    if attribute is None:
        return
    layout, swizzle = attribute.data.layout, attribute.data.swizzle
    if not _has_neighbours(layout) or not _is_tma_swizzle(swizzle):
        raise VerifyException("smem layout is not TMA compatible")


def _first(value: IntTuple) -> int:
    while isinstance(value, tuple):
        value = value[0]
    return value


def _has_neighbours(layout: Layout) -> bool:
    """Whether one of the modes begins with stride 1."""
    return any(_first(mode.stride) == 1 for mode in layout.modes())


def _is_tma_swizzle(swizzle: Swizzle | None) -> bool:
    return swizzle is None or (swizzle.base, swizzle.shift) == (4, 3)


ADDRESSING = (
    nv_tileaa.AddPtrOp,
    nv_tileaa.AssumeOp,
    nv_tileaa.BlockTileOp,
    nv_tileaa.GetDimSizeOp,
    nv_tileaa.MakeMemRefOp,
    ViewOp,
)
"""Ops that only compute the address and shape of an object; a descriptor may depend on them."""


def verify_captures(descriptor: Operation) -> None:
    """Checks that a tensor map depends only on kernel arguments and arithmetic on them. The
    launcher makes the map, and repeats these computations.

    Raises:
        VerifyException: it depends on control flow, on `math`, or on something else.
    """
    pending, seen = list(descriptor.operands), set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Block):
            pending += _captured(owner, value)
        elif isinstance(owner, ADDRESSING) or owner.dialect_name() == arith.Arith.name:
            pending += owner.operands
        else:
            raise VerifyException(_refusal(owner))


def _captured(block: Block, argument: SSAValue) -> list[SSAValue]:
    """The values that are passed as a block argument; empty for an argument of the kernel."""
    parent = block.parent_op()
    if isinstance(parent, AgentSwitchOp):
        return [parent.inputs[block.args.index(argument)]]
    if isinstance(parent, nv_tileaa.FuncOp):
        return []
    raise VerifyException(_refusal(parent))


def _refusal(op: Operation | None) -> str:
    name = "a block" if op is None else f"'{op.name}'"
    dialect = "" if op is None else op.dialect_name()
    if dialect == scf.Scf.name:
        return "expected MakeTiledTMADescOp not depends on scf"
    if dialect == "math":
        return "math dialect not suppourt in separateHostTMA pass in the moment."
    return f"expects a descriptor to depend on kernel arguments and arith alone, but got {name}"
