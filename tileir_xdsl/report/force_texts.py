"""Texts for `tileir explain --force` that make a pass choose something else."""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.passes import PASSES, Promise


@dataclass(frozen=True)
class ForcedOp:
    """An op, by its number before a pass; None for a decision that is not about an op."""

    pass_name: str
    function: str
    """The name of the function; empty if the module has only one."""
    number: int | None

    def __str__(self) -> str:
        return f"{self.function}#{self.number}"


def _keeps(op: ForcedOp, promise: Promise) -> bool:
    entry = PASSES.get(op.pass_name)
    return entry is not None and promise in entry.promises


def force_text(op: ForcedOp, name: str) -> str | None:
    """The text that forces a candidate by name; None if the pass has no such option."""
    if op.number is None or not _keeps(op, Promise.FORCES_CANDIDATES):
        return None
    return f"{op.pass_name}{{force={op}={name}}}"


def force_barriers(op: ForcedOp, inserted: str | None) -> str | None:
    """The text that forces the barriers before an op; None if the pass has no such option."""
    if op.number is None or not _keeps(op, Promise.FORCES_BARRIERS):
        return None
    names = "none" if inserted is None else inserted.replace(", ", "/").replace(" ", "_")
    return f"{op.pass_name}{{force={op}={names}}}"


def force_kept(op: ForcedOp) -> str | None:
    """The text that forces a layout conversion to be kept; None if there are several functions."""
    if op.number is None or op.function or not _keeps(op, Promise.FORCES_KEPT):
        return None
    return f"{op.pass_name}{{force=keep=#{op.number}}}"
