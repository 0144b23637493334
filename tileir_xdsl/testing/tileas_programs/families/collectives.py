"""Ops that combine elements of tiles: dots, reductions, scans, transposition.

Programs with layouts have only reductions, since the other ops restrict layouts.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, f16, f32, i32
from xdsl.ir import Block, Region
from xdsl.rewriter import Rewriter

from tileir_xdsl.dialects.nv_tileaa import BroadcastOp, PermuteOp
from tileir_xdsl.dialects.nv_tileas import DotOp, ExpandDimsOp, ReduceOp, ScanOp, YieldOp
from tileir_xdsl.dialects.nv_tileas.layout import register_layout, tile_layout
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing.tileas_programs.draft import TileType
from tileir_xdsl.testing.tileas_programs.families.registers import combined, reshaped_type
from tileir_xdsl.testing.tileas_programs.scope import Row, Scope, type_of

_DEPTH = 16
"""The extent of K in a dot."""


def _combination(s: Scope) -> Region:
    """A body that combines two integers by a commutative and associative op."""
    block = Block(arg_types=[i32, i32])
    op = s.choose((arith.AddiOp, arith.MaxSIOp, arith.XOrIOp))(block.args[0], block.args[1])
    block.add_ops([op, YieldOp([op.result])])
    return Region(block)


def _reduced_type(type_: TileType, axis: int) -> TileType:
    """The type with one of two dimensions removed; threads along this dimension hold copies."""
    rows, columns = type_.get_shape()
    kept = (columns,) if axis == 0 else (rows,)
    layout = tile_layout(type_)
    if layout is None:
        return TensorType(type_.element_type, kept)

    def project(bases: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(base % columns if axis == 0 else base // columns for base in bases)

    projected = LinearLayout(
        project(layout.register), project(layout.lane), project(layout.warp), (), kept
    )
    return TensorType(type_.element_type, kept, register_layout(projected))


def _reduce(s: Scope) -> None:
    """Reduces a tile along one dimension, and broadcasts the result."""
    source = s.tile(s.draft.tile(i32, s.draft.shape))
    type_, axis = type_of(source), s.integer(0, 1)
    rows, columns = s.draft.shape
    narrow = _reduced_type(type_, axis)
    (reduced,) = s.add(ReduceOp([source], axis, None, _combination(s))).results
    reduced = Rewriter.replace_value_with_new_type(reduced, narrow)
    shape = (1, columns) if axis == 0 else (rows, 1)
    expanded = s.add(ExpandDimsOp(reduced, reshaped_type(narrow, shape), axis)).result
    s.tiles.append(s.add(BroadcastOp(expanded, type_)).result)


def _scan(s: Scope) -> None:
    source = s.tile(s.draft.tile(i32, s.draft.shape))
    axis, reverse = s.integer(0, 1), s.chance(0.3)
    scan = ScanOp([source], axis, None, _combination(s), reverse=reverse)
    s.tiles.append(s.add(scan).results[0])


def _transpose(s: Scope) -> None:
    """Transposes a tile, computes on it, and transposes it back."""
    source = s.add(PermuteOp(s.tile(), (1, 0))).result
    s.tiles.append(s.add(PermuteOp(combined(s, source, source), (1, 0))).result)


def _dot(s: Scope) -> None:
    rows, columns = s.draft.shape
    kind = "whole" if s.draft.for_machine else "in"
    a = s.load(TensorType(f16, (rows, _DEPTH)), kind)
    b = s.load(TensorType(f16, (_DEPTH, columns)), kind)
    sums = TensorType(f32, s.draft.shape)
    c = s.load(sums, kind) if s.draft.for_machine else s.tile(sums)
    s.tiles.append(s.add(DotOp(a, b, c)).result)


def _has_no_layouts(s: Scope) -> bool:
    return not s.draft.assigned


ROWS = (
    Row(1, _reduce),
    Row(1, _scan, _has_no_layouts),
    Row(1, _transpose, _has_no_layouts),
    Row(1.5, _dot, _has_no_layouts),
)
