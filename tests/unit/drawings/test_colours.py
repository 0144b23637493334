"""Colours: ink reads on all of them, and the colour-blind tell them apart."""

import itertools

import pytest

from tileir_xdsl.drawings.colours import (
    CONFLICT,
    EMPTY,
    PALETTE,
    SERIES,
    channels,
    colour_of,
    contrast,
    ink_on,
)
from tileir_xdsl.drawings.svg import FAINT_INK, GROUND, INK

DEUTERANOPIA = ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969))
PROTANOPIA = ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052))
"""How colours look without green or red cones: Machado et al. 2009, severity 1, on linear RGB."""


def seen(colour: str, matrix: tuple[tuple[float, ...], ...]) -> list[float]:
    linear = [(channel / 255) ** 2.2 for channel in channels(colour)]
    rows = [sum(w * c for w, c in zip(row, linear, strict=True)) for row in matrix]
    return [max(0.0, value) ** (1 / 2.2) for value in rows]


@pytest.mark.parametrize("colour", [*SERIES, EMPTY, CONFLICT])
def test_ink_reads_on_every_colour(colour: str):
    assert contrast(ink_on(colour), colour) >= 4.5


def test_ink_reads_on_the_ground():
    assert min(contrast(ink, GROUND) for ink in (INK, FAINT_INK)) >= 7


@pytest.mark.parametrize("matrix", [DEUTERANOPIA, PROTANOPIA])
def test_the_colour_blind_tell_warps_apart(matrix: tuple[tuple[float, ...], ...]):
    pairs = itertools.combinations(PALETTE, 2)
    distances = {
        pair: sum((a - b) ** 2 for a, b in zip(*(seen(c, matrix) for c in pair), strict=True))
        for pair in pairs
    }
    assert min(distances.values()) > 0.01, min(distances, key=lambda pair: distances[pair])


def test_colours_repeat_after_sixteen():
    assert len(set(SERIES)) == 16
    assert colour_of(17) == colour_of(1)


def test_contrast_of_black_and_white():
    assert abs(contrast("#000000", "#ffffff") - 21) < 1e-6
