"""The registers of a tile that are operands of one matrix instruction."""

from collections.abc import Sequence

from tileir_xdsl.layout.fragments import Fragment, Position
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate, element_strides

Registers = dict[tuple[int, ...], int]
"""The register of thread 0 that holds an element, by the element's coordinate."""


def registers_by_coordinate(layout: LinearLayout) -> Registers:
    """The register that holds each element; of several copies, the first."""
    found: Registers = {}
    for register, element in enumerate(layout.register_elements()):
        found.setdefault(element_coordinate(element, layout.shape), register)
    return found


def fragment_positions(fragment: Fragment) -> list[Position]:
    """The row and column of each register of lane 0."""
    positions: list[Position] = [(0, 0)]
    for row, column in fragment.register:
        positions += [(r + row, c + column) for r, c in positions]
    return positions


def repeated_positions(
    fragment: Fragment, rows: int, columns: int, first: int = 0
) -> list[Position]:
    """The positions of a fragment repeated over an extent: along rows first, then along columns."""
    spelled = fragment_positions(fragment)
    return [
        (row + r, column + c)
        for column in range(first, first + columns, fragment.extent[1])
        for row in range(0, rows, fragment.extent[0])
        for r, c in spelled
    ]


def fragment_bases(positions: Sequence[Position], shape: Sequence[int]) -> tuple[int, ...]:
    """The row-major element indices of a fragment's positions in a tile."""
    rows, columns = element_strides(shape)[-2:]
    return tuple(row * rows + column * columns for row, column in positions)
