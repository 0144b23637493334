"""Threads of one instruction that touch the same place do so one after the other."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.types import Array


def rounds(places: Array) -> list[Array]:
    """Split indices into sets without a repeated place, the first occurrences first."""
    if not len(places):
        return []
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(places)])
    ranks = np.arange(len(places)) - np.repeat(starts, lengths)
    by_rank = np.argsort(ranks, kind="stable")
    return np.split(order[by_rank], np.cumsum(np.bincount(ranks))[:-1])
