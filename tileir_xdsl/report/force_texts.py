"""Texts for `tileir explain --force` that make a pass choose something else."""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.passes import PASSES, Promise


@dataclass(frozen=True)
class ForcedOp:
    """An op by the number that it has before a pass; None where a decision is about no op."""

    pass_name: str
    function: str
    """Empty where there is only one."""
    number: int | None

    def __str__(self) -> str:
        return f"{self.function}#{self.number}"


def _keeps(op: ForcedOp, promise: Promise) -> bool:
    entry = PASSES.get(op.pass_name)
    return entry is not None and promise in entry.promises


def force_text(op: ForcedOp, name: str) -> str | None:
    """The text that forces a candidate of that name; None where the pass takes no names."""
    if op.number is None or not _keeps(op, Promise.FORCES_CANDIDATES):
        return None
    return f"{op.pass_name}{{force={op}={name}}}"


def force_barriers(op: ForcedOp, inserted: str | None) -> str | None:
    """The text that forces what is inserted before an op; None for nothing."""
    if op.number is None or not _keeps(op, Promise.FORCES_BARRIERS):
        return None
    names = "none" if inserted is None else inserted.replace(", ", "/").replace(" ", "_")
    return f"{op.pass_name}{{force={op}={names}}}"


def force_kept(op: ForcedOp) -> str | None:
    """The text that keeps a conversion between layouts; only where there is one function."""
    if op.number is None or op.function or not _keeps(op, Promise.FORCES_KEPT):
        return None
    return f"{op.pass_name}{{force=keep=#{op.number}}}"
