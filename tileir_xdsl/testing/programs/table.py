"""The table of emitters: every operation that programs are made of."""

from __future__ import annotations

from tileir_xdsl.testing.programs.builder import Row, Rows
from tileir_xdsl.testing.programs.families import (
    atomics,
    between_blocks,
    bitwise,
    control_flow,
    conversions,
    core,
    core_elementwise,
    core_globals,
    core_matrix,
    core_reductions,
    core_shapes,
    floating_point,
    grid_dependency,
    integer,
    memory,
    miscellaneous,
    views,
)

_FAMILIES = (
    core,
    core_elementwise,
    core_shapes,
    core_reductions,
    core_matrix,
    core_globals,
    conversions,
    control_flow,
    memory,
    floating_point,
    integer,
    bitwise,
    atomics,
    views,
    grid_dependency,
    miscellaneous,
)

TABLE: Rows = {operation: row for family in _FAMILIES for operation, row in family.ROWS.items()}
"""How each operation gets into a program; rows may add further operations."""

PATTERNS: tuple[Row, ...] = between_blocks.PATTERNS
"""Rows that each add a group of operations."""
