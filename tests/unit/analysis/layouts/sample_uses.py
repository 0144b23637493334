"""Uses of tiles for tests, and what they answer."""

from tileir_xdsl.analysis.access.access_width import AccessedAddresses
from tileir_xdsl.analysis.layouts.candidates import Candidate, TileUse
from tileir_xdsl.analysis.layouts.global_uses import (
    BoxTransfer,
    GlobalUse,
)
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout

NO_BOX = BoxTransfer(None, "no box")


def global_use(
    shape: tuple[int, ...] = (64, 64),
    size: int = 2,
    run: int = 64,
    alignment: int = 16,
    box: BoxTransfer = NO_BOX,
    prefer_tma: bool = False,
    is_load: bool = True,
    async_copies: bool = False,
    vectors: bool = True,
) -> GlobalUse:
    place = AccessedAddresses(shape, size, len(shape) - 1, run, alignment)
    return GlobalUse(place, 8 * size, is_load, False, 4, box, prefer_tma, vectors, async_copies)


def names(use: TileUse) -> list[str]:
    return [candidate.name for candidate in use.own]


def answered(use: TileUse, layout: LinearLayout | SharedLayout) -> Candidate:
    candidate = use.in_layout(layout)
    assert isinstance(candidate, Candidate), candidate
    return candidate
