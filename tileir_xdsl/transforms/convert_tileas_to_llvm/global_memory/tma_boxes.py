"""The boxes of a bulk tensor copy: their coordinates, and their offsets in the buffer."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR
from tileir_xdsl.layout.cute import LayoutError, product
from tileir_xdsl.layout.shared import TMABoxes, boxes_of, part_in_cta

from ..thread.builder import Index, LLVMBuilder
from ..thread.clusters import rank
from ..thread.program import ThreadRewriter
from ..thread.shared_buffers import SharedTile

SMALL_PART = "mcast is not supported for TMA load with less than 128bytes per atom"


def boxes_of_copy(op: Operation, tile: SharedTile) -> TMABoxes:
    """The boxes of a copy's tensor map, for the part of the tile in one CTA.

    Raises `PassFailedException` if the buffer's layout is not a sequence of boxes, or the atom's
    boxes have another rank.
    """
    try:
        boxes = boxes_of(part_in_cta(tile.layout)[0])
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    atom, rank = op.properties.get("atom"), len(boxes.box)
    row = atom.copy_atom if isinstance(atom, nv_tileas.AtomAttr) else None
    if row is not None and row.box_rank not in (0, rank):
        fail(op, f"'{op.name}' op expects an atom for boxes of rank {rank}, but got {row.name}")
    if not isinstance(op, nv_tileas.AsyncTiledTmaLoadOp) or op.multicast_group[0] == 1:
        return boxes
    # Even where one CTA loads alone: the tensor map has boxes that several CTAs could divide.
    divided = boxes.divided(op.multicast_group[0])
    if divided is None:
        fail(op, SMALL_PART)
    return divided


def boxes_at(
    op: Operation, tile: SharedTile, coords: Sequence[SSAValue], rewriter: ThreadRewriter
) -> Iterator[tuple[int, list[SSAValue]]]:
    """The boxes of a tile: each box's offset in the buffer, and its coordinates, fastest first.

    Omitted coordinates are 0. Raises as `boxes_of_copy`.
    """
    builder, boxes = rewriter.builder, boxes_of_copy(op, tile)
    first = _first_element(boxes, tile, coords, rewriter)
    for start, offset in boxes.positions():
        position = [builder.add(first[dim], start[dim], i32) for dim in boxes.order]
        yield offset, [builder.integer(coordinate, i32) for coordinate in position]


def boxes_of_part(
    op: nv_tileas.AsyncTiledTmaLoadOp, tile: SharedTile, part: SSAValue, rewriter: ThreadRewriter
) -> Iterator[tuple[Index, list[SSAValue]]]:
    """The boxes that one CTA loads of a copy shared by several CTAs, as `boxes_at` returns them.

    Boxes are numbered with the last dimension of the tile fastest, and each CTA has a contiguous
    range. All counts are powers of two.
    """
    builder, boxes = rewriter.builder, boxes_of_copy(op, tile)
    first = _first_element(boxes, tile, op.coords, rewriter)
    own = product(boxes.counts) // op.multicast_group[0]
    for number in range(own):
        offset, position = 0, list(first)
        inner = product(boxes.counts)
        for dim, count in enumerate(boxes.counts):
            inner //= count
            index = _digit(builder, part, own, number, inner, count)
            position[dim] = builder.add(
                position[dim], builder.multiply(index, boxes.box[dim], i32), i32
            )
            moved = builder.multiply(index, boxes.distances[dim], i32)
            offset = builder.add(offset, moved, i32)
        yield offset, [builder.integer(position[dim], i32) for dim in boxes.order]


def _digit(
    builder: LLVMBuilder, part: SSAValue, own: int, number: int, inner: int, count: int
) -> Index:
    """`(part * own + number) // inner % count`, for powers of two and a number below `own`."""
    known = number // inner % count
    # The digit lies in the part's own range: every CTA has the same one.
    if inner * count <= own:
        return known
    # The digit is divided: the high part comes from the CTA, the low one from the number.
    if inner < own:
        above, step = count * inner // own, own // inner
        part_digit = builder.compute(llvm.AndOp, part, builder.integer(above - 1, i32))
        return builder.add(builder.multiply(part_digit, step, i32), known % step, i32)
    shift = builder.integer((inner // own).bit_length() - 1, i32)
    shifted = builder.compute(llvm.LShrOp, part, shift)
    return builder.compute(llvm.AndOp, shifted, builder.integer(count - 1, i32))


def _first_element(
    boxes: TMABoxes, tile: SharedTile, coords: Sequence[SSAValue], rewriter: ThreadRewriter
) -> list[Index]:
    # A buffer may have leading dimensions of 1 that the tensor map has not.
    first: list[Index] = [0] * (len(boxes.box) - len(coords))
    first += [copy_coordinate(coord, rewriter) for coord in coords]
    _, divided = part_in_cta(tile.layout)
    if divided is not None:
        builder, extent = rewriter.builder, boxes.shared.shape[divided]
        place = builder.compute(llvm.AndOp, rank(rewriter), builder.integer(PAIR - 1, i32))
        own = builder.multiply(place, extent, i32)
        first[divided] = builder.add(first[divided], own, i32)
    return first


def copy_coordinate(value: SSAValue, rewriter: ThreadRewriter) -> Index:
    """A coordinate of a bulk copy, which is signed; wider numbers are truncated to 32 bits.

    Source: PTX ISA, `cp.async.bulk.tensor`, `tensorCoords`.
    """
    number = rewriter.scalar(value)
    assert isinstance(number.type, IntegerType)
    is_narrow = number.type.width.data < i32.width.data
    return (rewriter.builder.sign_extend if is_narrow else rewriter.builder.truncate)(number, i32)
