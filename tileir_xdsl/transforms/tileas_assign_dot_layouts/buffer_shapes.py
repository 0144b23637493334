"""Shape ops on tiles in shared memory: elements keep their addresses, and get other coordinates."""

from collections.abc import Sequence

from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.cute import Layout, LayoutError
from tileir_xdsl.layout.shared import SharedLayout

ShapeOp = BufferViewOpInterface
"""The ops that only change the coordinates of a tile's elements."""


def reshaped_layout(op: ShapeOp, shared_layout: SharedLayout) -> SharedLayout:
    """The layout of the result of a shape op, in the memory of the operand.

    Raises:
        LayoutError: a view does more than take away or put in dimensions of extent 1.
    """
    modes = shared_layout.layout.modes()
    if isinstance(op, nv_tileaa.PermuteOp):
        return _of_modes([modes[dimension] for dimension in op.get_permutation()], shared_layout)
    return viewed_layout(tile_shape(op.results[0].type).shape, shared_layout)


def viewed_layout(shape: Sequence[int], shared_layout: SharedLayout) -> SharedLayout:
    """The layout of a tile of another shape that differs by dimensions of extent 1.

    Raises:
        LayoutError: it differs by more.
    """
    left = [mode for mode in shared_layout.layout.modes() if mode.size > 1]
    # Dimensions of extent 1 have no stride, all others keep theirs.
    if [mode.size for mode in left] != [extent for extent in shape if extent > 1]:
        raise LayoutError(
            f"cannot view a tile of shape {list(shared_layout.shape)} as {list(shape)}"
        )
    rest = iter(left)
    return _of_modes(
        [next(rest) if extent > 1 else Layout(1, 0) for extent in shape], shared_layout
    )


def _of_modes(modes: Sequence[Layout], shared_layout: SharedLayout) -> SharedLayout:
    layout = Layout(tuple(mode.shape for mode in modes), tuple(mode.stride for mode in modes))
    return SharedLayout(layout, shared_layout.element_bits, shared_layout.swizzle)


def shape_chain(op: Operation) -> list[ShapeOp]:
    """The chain of shape ops up to this one, in order, in which each op is the only user of its
    operand.
    """
    chain: list[ShapeOp] = []
    while isinstance(op, ShapeOp):
        chain.insert(0, op)
        source = op.operands[0].owner
        # Another user needs the tile as it is at this point.
        if not isinstance(source, Operation) or not op.operands[0].has_one_use():
            break
        op = source
    return chain
