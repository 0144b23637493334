"""Texts for `tileir explain --force` that make a pass choose something else."""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.passes import OURS, PASSES, takes_option

ASSIGN_LOAD_STORE_LAYOUTS = "tileas-assign-load-store-layouts"
SELECT_LOWERING = "tileas-select-lowering"
INSERT_BARRIERS = "tileas-insert-barriers"
REMOVE_LAYOUT_CONVERSIONS = "tileas-remove-layout-conversions"

SELECT_CTA_GROUP = "tileas-select-cta-group"

OVERLAP_EPILOGUE = "tileas-overlap-epilogue"

BY_NAME = frozenset(
    {SELECT_LOWERING, SELECT_CTA_GROUP, OVERLAP_EPILOGUE, ASSIGN_LOAD_STORE_LAYOUTS}
)
"""Passes of ours that take the name of a candidate; all that take choices do in an extension."""


@dataclass(frozen=True)
class ForcedOp:
    """An op by the number that it has before a pass; None where a decision is about no op."""

    pass_name: str
    function: str
    """Empty where there is only one."""
    number: int | None

    def __str__(self) -> str:
        return f"{self.function}#{self.number}"


def force_text(op: ForcedOp, name: str) -> str | None:
    """The text that forces a candidate of that name; None where the pass takes no names."""
    if op.number is None or not _takes_names(op.pass_name):
        return None
    return f"{op.pass_name}{{force={op}={name}}}"


def _takes_names(pass_name: str) -> bool:
    entry = PASSES.get(pass_name)
    if entry is not None and entry.origin != OURS:
        return takes_option(entry.load(), "force")
    return pass_name in BY_NAME


def force_barriers(op: ForcedOp, inserted: str | None) -> str | None:
    """The text that forces what is inserted before an op; None for nothing."""
    if op.number is None or op.pass_name != INSERT_BARRIERS:
        return None
    names = "none" if inserted is None else inserted.replace(", ", "/").replace(" ", "_")
    return f"{op.pass_name}{{force={op}={names}}}"


def force_kept(op: ForcedOp) -> str | None:
    """The text that keeps a conversion between layouts; only where there is one function."""
    if op.number is None or op.function or op.pass_name != REMOVE_LAYOUT_CONVERSIONS:
        return None
    return f"{op.pass_name}{{force=keep=#{op.number}}}"
