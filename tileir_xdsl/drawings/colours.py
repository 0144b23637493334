"""The colours of drawings: distinct for colour-blind readers, with a legible text colour for each.

Source of the palette: Okabe and Ito, "Color Universal Design".
"""

from __future__ import annotations

from functools import cache

PALETTE = (
    "#56b4e9",
    "#e69f00",
    "#009e73",
    "#f0e442",
    "#cc79a7",
    "#d55e00",
    "#0072b2",
    "#4d4d4d",
)
"""Sky blue, orange, green, yellow, purple, vermillion, blue; and dark grey in place of black."""

EMPTY = "#f2f2f2"
CONFLICT = "#d55e00"
BLACK, WHITE = "#000000", "#ffffff"
PALE = 0.55
"""The share of white in the second series of colours."""


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of `#rrggbb`, each up to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(colour: str, other: str, share: float) -> str:
    """A mixture of two colours with the given share of the second."""
    pairs = zip(channels(colour), channels(other), strict=True)
    red, green, blue = (round(mine + (theirs - mine) * share) for mine, theirs in pairs)
    return f"#{red:02x}{green:02x}{blue:02x}"


SERIES = (*PALETTE, *(mixed(colour, WHITE, PALE) for colour in PALETTE))
"""Sixteen colours; further items repeat colours, and labels distinguish them."""


def colour_of(index: int) -> str:
    """The colour of a numbered item, such as a warp or a bank group."""
    return SERIES[index % len(SERIES)]


def luminance(colour: str) -> float:
    """The relative luminance (WCAG 2, "relative luminance")."""

    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = map(linear, channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2)."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@cache
def ink_on(colour: str) -> str:
    """The text colour, black or white, with the higher contrast on a colour."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, colour))
