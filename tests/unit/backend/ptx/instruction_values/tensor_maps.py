"""Tensor maps that a kernel changes: a copy of one in shared memory gets a new field.

It is then published in global memory, and what a load through it brings is what the field means.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tests.unit.backend.ptx.instruction_values.tensor_copies import box_of, coordinates
from tests.unit.backend.ptx.instruction_values.value import Stored, Value, arrive
from tests.unit.emulator.instructions.cases import Array
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.emulator.tensor_maps import Swizzle

_ROW = "vector<4xi32>"
_REPLACE = "tensormap.replace.tile.{}.shared::cta.b1024.{}"
_PUBLISH = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
_ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu"
_ARRAY: Array = np.random.default_rng(8).integers(1, 2**31, (16, 16)).astype(np.int32)
_FLOATS: Array = np.random.default_rng(8).standard_normal((16, 16)).astype(np.float32)
_BOX = (8, 8)
_START = (2, 4)


def _replace(field: str, bits: int, value: str, ordinal: int | None = None) -> str:
    """Sets a field; `value` is an immediate, or a register that `ops` before it define."""
    place = "" if ordinal is None else f"{ordinal}, "
    read = value.startswith("%")
    operands, types = (f", {value}", f", i{bits}") if read else ("", "")
    return (
        f'nvvm.inline_ptx "{_REPLACE.format(field, f"b{bits}")} [{{$r0}}], {place}'
        f'{"{$r1}" if read else value};" ro(%smem{operands} : !llvm.ptr<3>{types})\n'
    )


def _changed(
    replace: str,
    expected: Array,
    array: Array = _ARRAY,
    *,
    start: Sequence[int] = _START,
    fills_with_nan: bool = False,
    swizzle: Swizzle = 0,
    more: Mapping[str, Array] | None = None,
) -> Value:
    """`expected` is what a load through the changed map puts into shared memory."""
    given, names = coordinates(start)
    image = np.zeros(512, np.uint8)
    octets = np.ascontiguousarray(expected).view(np.uint8).ravel()
    image[: octets.size] = octets
    copy = f"""%buffer7 = llvm.addrspacecast %buffer : !llvm.ptr<3> to !llvm.ptr<7>
{given}nvvm.cp.async.bulk.tensor.shared.cluster.global %buffer7, %map_, %object, box[{names}]
  : !llvm.ptr<7>, !llvm.ptr"""
    ops = f"""%part = llvm.and %tid, %c7_i32 : i32
%word = llvm.getelementptr %map[%part] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<16 x i8>
%words = llvm.load %word : !llvm.ptr -> {_ROW}
%there = llvm.getelementptr %smem[%part] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16 x i8>
llvm.store %words, %there : {_ROW}, !llvm.ptr<3>
%buffer = llvm.getelementptr %smem[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%mine = llvm.getelementptr %buffer[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16 x i8>
%none = llvm.mlir.constant(0 : i64) : i64
%mine8 = llvm.getelementptr %mine[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
llvm.store %none, %mine : i64, !llvm.ptr<3>
llvm.store %none, %mine8 : i64, !llvm.ptr<3>
nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
nvvm.bar.warp.sync %all : i32
llvm.cond_br %first, ^replace, ^publish
^replace:
{replace}llvm.br ^publish
^publish:
nvvm.bar.warp.sync %all : i32
nvvm.inline_ptx "{_PUBLISH} [{{$r0}}], [{{$r1}}], 128;" ro(%g, %smem : !llvm.ptr<1>, !llvm.ptr<3>)
%map_ = llvm.addrspacecast %g : !llvm.ptr<1> to !llvm.ptr
nvvm.fence.proxy.acquire <gpu> %map_, %c128_i32
{arrive(copy, octets.size)}%d = llvm.load %mine : !llvm.ptr<3> -> {_ROW}"""
    return Value(
        ops,
        lambda _: {"d": image.reshape(32, 16)},
        stores={"d": Stored(_ROW, np.zeros((32, 16), np.uint8))},
        memory={"g": np.zeros(128, np.uint8), **(more or {})},
        maps={"map": TensorMap(array, _BOX, swizzle, fills_with_nan=fills_with_nan)},
        unchecked=("g",),
    )


def _wide(value: int) -> str:
    return f"%wide = llvm.mlir.constant({value} : i64) : i64\n"


def _swizzled_32(tile: Array) -> Array:
    """Rows of 32 bytes whose two halves change places in every second group of four rows."""
    rows = tile.copy()
    swapped = np.arange(len(rows)) // 4 % 2 == 1
    rows[swapped] = np.roll(rows[swapped], 4, axis=1)
    return rows


_WHOLE = box_of(_ARRAY, _START, _BOX)
_OTHER: Array = _ARRAY[::-1].copy()
_LESS = np.where(np.arange(2, 10)[:, None] < 6, _WHOLE, 0).astype(np.int32)
_HALVES: Array = np.random.default_rng(9).standard_normal((16, 16)).astype(np.float16)
# As singles the elements are twice as far from each other, and the box has twice the bytes.
_AS_SINGLES = _HALVES.view(np.float32)[2:10]
_OUTSIDE = np.full(_BOX, np.nan, np.float32)
_OUTSIDE[:4] = _FLOATS[12:, 4:12]

VALUES: Mapping[str, Value] = {
    _REPLACE.format("global_address", "b64"): _changed(
        "%wide = llvm.ptrtoint %other_array : !llvm.ptr<1> to i64\n"
        + _replace("global_address", 64, "%wide"),
        box_of(_OTHER, _START, _BOX),
        more={"other_array": _OTHER},
    ),
    _REPLACE.format("rank", "b32"): _changed(
        _replace("rank", 32, "%c0_i32"), _ARRAY[0, 4:12], start=(4,)
    ),
    _REPLACE.format("box_dim", "b32"): _changed(_replace("box_dim", 32, "%c4_i32", 1), _WHOLE[:4]),
    _REPLACE.format("global_dim", "b32"): _changed(_replace("global_dim", 32, "%c6_i32", 1), _LESS),
    _REPLACE.format("global_stride", "b64"): _changed(
        _wide(32) + _replace("global_stride", 64, "%wide", 0),
        np.array([_ARRAY.ravel()[8 * row + 4 : 8 * row + 12] for row in range(2, 10)]),
    ),
    _REPLACE.format("element_stride", "b32"): _changed(
        _replace("element_stride", 32, "%c2_i32", 1), _ARRAY[2:10:2, 4:12]
    ),
    _REPLACE.format("elemtype", "b32"): _changed(
        _replace("elemtype", 32, "7"), _AS_SINGLES, _HALVES, start=(2, 0)
    ),
    _REPLACE.format("interleave_layout", "b32"): _changed(
        _replace("interleave_layout", 32, "0"), _WHOLE
    ),
    _REPLACE.format("swizzle_mode", "b32"): _changed(
        _replace("swizzle_mode", 32, "1"), _swizzled_32(_WHOLE)
    ),
    _REPLACE.format("fill_mode", "b32"): _changed(
        _replace("fill_mode", 32, "1"), _OUTSIDE, _FLOATS, start=(12, 4)
    ),
    _PUBLISH: _changed(_replace("global_dim", 32, "%c6_i32", 1), _LESS),
    _ACQUIRE: _changed(_replace("box_dim", 32, "%c4_i32", 1), _WHOLE[:4]),
}
