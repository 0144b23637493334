"""Sources of values."""

from __future__ import annotations

from tileir_xdsl.dialects.cuda_tile import (
    ConstantOp,
    GetNumTileBlocksOp,
    GetTileBlockIdOp,
    IotaOp,
)
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS, element_name
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES, integer_limits, tile

_CONSTANT_ELEMENTS = tuple(name for name in ELEMENT_TYPES if name != "i4")


def _emit_constant(b: Builder) -> None:
    type_ = b.some_type(_CONSTANT_ELEMENTS)
    element = element_name(type_.element_type) or ""
    b.keep(b.constant(element, type_.get_shape(), splat=b.chance(0.4)))


def _emit_iota(b: Builder) -> None:
    element = b.choose(INTEGERS)
    limit = integer_limits(element, signed=False)[1]
    shape = b.shape(lambda s: len(s) == 1 and s[0] - 1 <= limit)
    b.keep(b.add(IotaOp(tile(element, shape))).result)


def _emit_block_id(b: Builder) -> None:
    b.keep(*b.add(GetTileBlockIdOp()).results)


def _emit_number_of_blocks(b: Builder) -> None:
    b.keep(*b.add(GetNumTileBlocksOp()).results)


ROWS: Rows = {
    ConstantOp: Row(1, _emit_constant),
    GetNumTileBlocksOp: Row(0.5, _emit_number_of_blocks),
    GetTileBlockIdOp: Row(0.5, _emit_block_id),
    IotaOp: Row(1, _emit_iota),
}
