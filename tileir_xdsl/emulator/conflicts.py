"""Serialises the threads of one instruction that access the same location."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.types import Array


def conflict_free(positions: Array) -> list[Array]:
    """Splits indices into sets without equal positions; all first occurrences come first."""
    if not len(positions):
        return []
    order = np.argsort(positions, kind="stable")
    ordered = positions[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(positions)])
    ranks = np.arange(len(positions)) - np.repeat(starts, lengths)
    by_rank = np.argsort(ranks, kind="stable")
    return np.split(order[by_rank], np.cumsum(np.bincount(ranks))[:-1])
