"""Copies of boxes of tensors: tiles of every rank, rows, pixels, and what reductions do to them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tests.unit.backend.ptx.instruction_values.copies import by_one
from tests.unit.backend.ptx.instruction_values.value import (
    HINT,
    Arrays,
    Loaded,
    Stored,
    Value,
    arrive,
    arrive_in_both,
    no_value,
)
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.test_tensor_boxes import (
    im2col,
    im2col_rows,
    unswizzled,
)
from tileir_xdsl.emulator import TensorMap

_BYTES = 512
"""What all boxes have: a row of 16 bytes for each thread."""
_ROW = "vector<4xi32>"
_LOAD_ROW = f"%d = llvm.load %row : !llvm.ptr<3> -> {_ROW}"

Extents = tuple[int, ...]

_BOXES: Mapping[int, Extents] = {
    1: (128,),
    2: (8, 16),
    3: (2, 4, 16),
    4: (2, 2, 4, 8),
    5: (2, 2, 2, 4, 4),
}
"""By rank, the slowest axis first as in numpy."""
_STARTS: Mapping[int, Extents] = {rank: (*(2, 1, -1, 2)[5 - rank :], 6) for rank in _BOXES}
"""Where boxes begin: partly outside of their tensors, which are a little larger than they are."""


def _numbers(shape: Sequence[int], seed: int) -> Array:
    return np.random.default_rng(seed).integers(1, 2**31, shape).astype(np.uint32)


def _tensor(rank: int) -> Array:
    *outer, inner = _BOXES[rank]
    return _numbers((*(extent + 1 for extent in outer), inner + 4), rank)


def _places(tensor: Array, start: Extents, box: Extents) -> tuple[tuple[Array, ...], Array]:
    """The indices of a box, clipped to the tensor, and which of them are inside."""
    index = [first + axis for first, axis in zip(start, np.indices(box), strict=True)]
    inside = np.logical_and.reduce(
        [(x >= 0) & (x < extent) for x, extent in zip(index, tensor.shape, strict=True)]
    )
    clipped = (np.clip(x, 0, n - 1) for x, n in zip(index, tensor.shape, strict=True))
    return tuple(clipped), inside


def box_of(tensor: Array, start: Extents, box: Extents) -> Array:
    """The elements of a box; those outside of the tensor are zero."""
    index, inside = _places(tensor, start, box)
    return np.where(inside, tensor[index], tensor.dtype.type(0))


def with_box(tensor: Array, start: Extents, tile: Array) -> Array:
    """The tensor with the elements of a box replaced; those outside of it are dropped."""
    index, inside = _places(tensor, start, tile.shape)
    result = tensor.copy()
    result[tuple(x[inside] for x in index)] = tile[inside]
    return result


def coordinates(start: Sequence[int]) -> tuple[str, str]:
    """Definitions of the coordinates of a box, and their names, the fastest axis first."""
    lines = [
        f"%x{i} = llvm.mlir.constant({place} : i32) : i32\n"
        for i, place in enumerate(reversed(start))
    ]
    return "".join(lines), ", ".join(f"%x{i}" for i in range(len(start)))


_TENSOR = "nvvm.cp.async.bulk.tensor."


def _halves(offsets: Sequence[int]) -> tuple[str, str]:
    """Definitions of the offsets of pixels, and the operands."""
    lines = [
        f"%h{i} = llvm.mlir.constant({offset} : i16) : i16\n"
        for i, offset in enumerate(reversed(offsets))
    ]
    return "".join(lines), f"im2col[{', '.join(f'%h{i}' for i in range(len(offsets)))}]"


def _load(start: Sequence[int], rest: str = "", *, to: str = "smem7", before: str = "") -> str:
    given, names = coordinates(start)
    space = 3 if to == "smem" else 7
    return (
        f"{before}{given}{_TENSOR}shared.cluster.global %{to}, %map, %object, box[{names}] {rest} "
        f": !llvm.ptr<{space}>, !llvm.ptr"
    )


def _of_load(copy: str, tensor_map: TensorMap, expected: Array, blocks: int = 1) -> Value:
    """Each block loads the same box."""
    tile = np.ascontiguousarray(expected).view(np.uint32).reshape(-1, 4)
    return Value(
        arrive(copy, tile.nbytes) + _LOAD_ROW,
        lambda _: {"d": np.concatenate([tile] * blocks)},
        stores={"d": Stored(_ROW, np.zeros((len(tile) * blocks, 4), np.uint32))},
        maps={"map": tensor_map},
        threads=len(tile),
        blocks=blocks,
        cluster=blocks,
        late=True,
    )


def _loads() -> Iterator[tuple[str, Value]]:
    opcode = "cp.async.bulk.tensor.{}d.{}.global{}.mbarrier::complete_tx::bytes{}"
    for rank, box in _BOXES.items():
        tensor, start = _tensor(rank), _STARTS[rank]
        expected = box_of(tensor, start, box)
        tensor_map = TensorMap(tensor, box)
        yield (
            opcode.format(rank, "shared::cluster", "", ""),
            _of_load(_load(start), tensor_map, expected),
        )
        yield (
            opcode.format(rank, "shared::cta", "", ""),
            _of_load(_load(start, "{isCTAOnly = true}", to="smem"), tensor_map, expected),
        )
        yield (
            opcode.format(rank, "shared::cluster", "", ".L2::cache_hint"),
            _of_load(_load(start, "l2_cache_hint = %hint", before=HINT), tensor_map, expected),
        )
        for blocks in (1, 2):
            group = f"{{group = #nvvm.cta_group<cta_{blocks}>}}"
            yield (
                opcode.format(rank, "shared::cluster", "", f".cta_group::{blocks}"),
                _of_load(_load(start, group), tensor_map, expected, blocks),
            )
        for hint in ("", ".L2::cache_hint"):
            yield (
                opcode.format(rank, "shared::cluster", "", f".multicast::cluster{hint}"),
                _to_both(start, tensor_map, expected, hint != ""),
            )
    for rank, case in _PIXELS.items():
        images, start, offsets, expected = case
        given, operands = _halves(offsets)
        mode = f"{operands} {{mode = #nvvm.tma_load_mode<im2col>}}"
        yield (
            opcode.format(rank, "shared::cluster", ".im2col", ""),
            _of_load(_load(start, mode, before=given), images, expected),
        )
    for name in _ROW_MODES:
        for rank in _PIXELS:
            given, mode, images, start, expected = _row_pixels(rank, name)
            yield (
                opcode.format(rank, "shared::cluster", f".{name}", ""),
                _of_load(_load(start, mode, before=given), images, expected),
            )
    rows = TensorMap(_numbers((20, 40), 6), (1, 32))
    mode = "{mode = #nvvm.tma_load_mode<tile_gather4>}"
    chosen = box_of(rows.array, (0, 4), (20, 32))[[7, 0, 19, 7]]
    yield (
        opcode.format(2, "shared::cluster", ".tile::gather4", ""),
        _of_load(_load((7, 19, 0, 7, 4), mode), rows, chosen),
    )
    mode = mode.replace("{", "{isCTAOnly = true, ")
    yield (
        opcode.format(2, "shared::cta", ".tile::gather4", ""),
        _of_load(_load((7, 19, 0, 7, 4), mode, to="smem"), rows, chosen),
    )


def _to_both(start: Extents, tensor_map: TensorMap, expected: Array, hint: bool) -> Value:
    """The first of two blocks loads a box for both."""
    rest = "multicast_mask = %both" + (" l2_cache_hint = %hint" if hint else "")
    copy = _load(start, rest, before=HINT if hint else "")
    tile = np.ascontiguousarray(expected).reshape(1, 32, 4)
    return Value(
        arrive_in_both(copy, _BYTES) + _LOAD_ROW,
        lambda _: {"d": np.concatenate([tile, tile]).reshape(64, 4)},
        stores={"d": Stored(_ROW, np.zeros((64, 4), np.uint32))},
        maps={"map": tensor_map},
        blocks=2,
        cluster=2,
        late=True,
    )


# Images, from the first pixel of a box, and the offsets of what is read next to pixels.


def _pixels(
    extents: Extents, corners: tuple[Extents, Extents], start: Extents, offsets: Extents
) -> tuple[TensorMap, Extents, Extents, Array]:
    box = (16, 8)
    images = _numbers(extents, sum(extents))
    tensor_map = TensorMap(images, box, corners=corners)
    return tensor_map, start, offsets, im2col(images, box, corners, start, offsets)


_PIXELS = {
    3: _pixels((3, 9, 12), ((0,), (0,)), (0, 3, 0), (1,)),
    4: _pixels((2, 5, 6, 12), ((-1, -1), (-1, -1)), (0, 2, 3, 4), (2, 1)),
    5: _pixels((2, 3, 4, 5, 8), ((0, -1, -1), (0, -1, -1)), (0, 1, 0, 2, 0), (0, 2, 1)),
}


_ROW_MODES = ("im2col::w", "im2col::w::128")


def _row_pixels(rank: int, name: str) -> tuple[str, str, TensorMap, Extents, Array]:
    """Pixels along W, from the last row of an image to the first ones of others, with a halo."""
    images = _numbers((9, *(3, 2)[5 - rank :], 11, 8), rank)
    start = (1, *(1, 0)[5 - rank :], 3, 0)
    pixels, halo, offset = 12, 4, 1
    count, group = (128, 32) if name.endswith("128") else (pixels, pixels)
    tile = im2col_rows(images, (count, 8), (-1, 0), start, halo, offset, group)
    corners = (*(0,) * (rank - 3), -1), (0,) * (rank - 2)
    given, operands = _halves((offset, halo))
    mode = f"{operands} {{mode = #nvvm.tma_load_mode<{name.replace('::', '_')}>}}"
    tensor_map = TensorMap(images, (pixels, 8), swizzle=32, corners=corners)
    return given, mode, tensor_map, start, unswizzled(tile)


def _put_and(ops: str) -> str:
    return f"""llvm.store %tile, %row : {_ROW}, !llvm.ptr<3>
nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
nvvm.bar.warp.sync %all : i32
{by_one(ops)}"""


_TILE = _numbers((32, 4), 9)
Update = Callable[[Array, Array], Array]
"""From the elements of a tensor and those of a tile to what the tensor has then."""


def _of_store(
    start: Sequence[int], tensor_map: TensorMap, meaning: Callable[[Array], Array], op: str
) -> Value:
    """`op` has places for the names of the coordinates."""
    given, names = coordinates(start)
    commit = "nvvm.cp.async.bulk.commit.group\nnvvm.cp.async.bulk.wait_group 0\n"

    def changed(before: Arrays) -> Arrays:
        return {"map": meaning(before["map"])}

    return Value(
        _put_and(f"{given}{_TENSOR}{op.format(names)} : !llvm.ptr, !llvm.ptr<3>\n{commit}"),
        changed,
        loads={"tile": Loaded(_ROW, _TILE)},
        maps={"map": tensor_map},
        late=True,
    )


_STORE = "global.shared.cta %map, %smem, box[{}] "


def _stores() -> Iterator[tuple[str, Value]]:
    opcode = "cp.async.bulk.tensor.{}d.global.shared::cta{}.bulk_group{}"
    for rank, box in _BOXES.items():
        start, tile, tensor_map = _STARTS[rank], _TILE.reshape(box), TensorMap(_tensor(rank), box)

        def stored(tensor: Array, start: Extents = start, tile: Array = tile) -> Array:
            return with_box(tensor, start, tile)

        yield opcode.format(rank, "", ""), _of_store(start, tensor_map, stored, _STORE)
        hinted = _of_store(start, tensor_map, stored, f"{_STORE}l2_cache_hint = %hint")
        yield opcode.format(rank, "", ".L2::cache_hint"), replace(hinted, ops=HINT + hinted.ops)
    for rank, (tensor_map, start, _, _) in _PIXELS.items():
        mode = f"{_STORE}{{{{mode = #nvvm.tma_store_mode<im2col>}}}}"
        updates = _of_store(start, tensor_map, _pixels_stored(rank), mode)
        yield opcode.format(rank, ".im2col_no_offs", ""), updates
    rows = TensorMap(_numbers((20, 40), 6), (1, 32))
    mode = f"{_STORE}{{{{mode = #nvvm.tma_store_mode<tile_scatter4>}}}}"

    def scattered(tensor: Array) -> Array:
        """Row 20 does not exist."""
        for row, numbers in zip((7, 0, 20, 19), _TILE.reshape(4, 32), strict=True):
            tensor = with_box(tensor, (row, 4), numbers[None])
        return tensor

    yield (
        opcode.format(2, ".tile::scatter4", ""),
        _of_store((19, 20, 0, 7, 4), rows, scattered, mode),
    )


def _pixels_stored(rank: int) -> Callable[[Array], Array]:
    tensor_map, start, _, _ = _PIXELS[rank]
    assert tensor_map.corners is not None
    corners = tensor_map.corners

    def stored(images: Array) -> Array:
        numbers = np.arange(1, images.size + 1, dtype=np.uint32).reshape(images.shape)
        places = im2col(numbers, (16, 8), corners, start, (0,) * (rank - 2))
        result = images.copy().ravel()
        result[places[places != 0] - 1] = _TILE.reshape(16, 8)[places != 0]
        return result.reshape(images.shape)

    return stored


_UPDATES: Mapping[str, Update] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "inc": lambda old, new: np.where(old >= new, 0, old + 1),
    "dec": lambda old, new: np.where((old == 0) | (old > new), new, old - 1),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _reductions() -> Iterator[tuple[str, Value]]:
    for rank, box in _BOXES.items():
        start, tile, tensor_map = _STARTS[rank], _TILE.reshape(box), TensorMap(_tensor(rank), box)
        for kind, update in _UPDATES.items():

            def reduced(
                tensor: Array, start: Extents = start, tile: Array = tile, update: Update = update
            ) -> Array:
                old = box_of(tensor, start, tile.shape)
                return with_box(tensor, start, update(old, tile).astype(np.uint32))

            def op(hint: str, kind: str = kind) -> str:
                return (
                    f"reduce %map, %smem, box[{{}}] {hint} "
                    f"{{{{redKind = #nvvm.tma_redux_kind<{kind}>}}}}"
                )

            opcode = f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{kind}.bulk_group"
            yield opcode, _of_store(start, tensor_map, reduced, op(""))
            hinted = _of_store(start, tensor_map, reduced, op("l2_cache_hint = %hint"))
            yield f"{opcode}.L2::cache_hint", replace(hinted, ops=HINT + hinted.ops)


def _prefetch(
    start: Sequence[int], tensor_map: TensorMap, rest: str = "", before: str = ""
) -> Value:
    given, names = coordinates(start)
    return no_value(
        f"{before}{given}{_TENSOR}prefetch %map, box[{names}] {rest} : !llvm.ptr",
        maps={"map": tensor_map},
    )


def _prefetches() -> Iterator[tuple[str, Value]]:
    opcode = "cp.async.bulk.prefetch.tensor.{}d.L2.global{}"
    for rank, box in _BOXES.items():
        start, tensor_map = _STARTS[rank], TensorMap(_tensor(rank), box)
        yield opcode.format(rank, ""), _prefetch(start, tensor_map)
        yield (
            opcode.format(rank, ".L2::cache_hint"),
            _prefetch(start, tensor_map, "l2_cache_hint = %hint", HINT),
        )
    for rank, (images, start, offsets, _) in _PIXELS.items():
        given, operands = _halves(offsets)
        mode = f"{operands} {{mode = #nvvm.tma_load_mode<im2col>}}"
        yield opcode.format(rank, ".im2col"), _prefetch(start, images, mode, given)
        for name in _ROW_MODES:
            given, mode, images, start, _ = _row_pixels(rank, name)
            yield opcode.format(rank, f".{name}"), _prefetch(start, images, mode, given)
    mode = "{mode = #nvvm.tma_load_mode<tile_gather4>}"
    rows = TensorMap(_numbers((20, 40), 6), (1, 32))
    yield opcode.format(2, ".tile::gather4"), _prefetch((7, 19, 0, 7, 4), rows, mode)


_LOADS = dict(_loads())

VALUES: Mapping[str, Value] = {
    **_LOADS,
    # How the address of a map among the parameters is had.
    "cvta.param.u64": _LOADS[
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
    ],
    **dict(_stores()),
    **dict(_reductions()),
    **dict(_prefetches()),
    "prefetch.tensormap": no_value(
        "nvvm.prefetch tensormap, %map : !llvm.ptr", maps={"map": TensorMap(_tensor(2), (8, 16))}
    ),
}
