"""Outcomes of the conversions of a function, for the report."""

from dataclasses import dataclass, field

from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.explain import OperationLabels
from tileir_xdsl.targets.target import Target


@dataclass
class ConversionLog:
    """The conversions of a function before the pass, and why those that went are gone."""

    labels: OperationLabels
    conversions: tuple[nv_tileas.ConvertLayoutOp, ...]
    kept: frozenset[Operation] = frozenset()
    """Conversions that are not to be removed."""
    target: Target | None = None
    """The target whose copy atoms buffers are converted by; any where the module names none."""
    reasons: dict[Operation, str] = field(default_factory=dict[Operation, str])
    refused: list[Operation] = field(default_factory=list[Operation])
    """Ops that would have made a buffer in another layout, but for their verifiers."""
    rejected: list[Operation] = field(default_factory=list[Operation])
    """Ops that have tiles in other layouts now, which their verifiers do not take."""

    def removed(self, op: Operation, reason: str, other: Operation | None = None) -> None:
        """Notes why a conversion goes, and because of which op; the first reason counts."""
        if other is not None:
            reason = f"{reason}: {self.label(other)}"
        # Later steps see only what the first one left of the op.
        self.reasons.setdefault(op, reason)

    def label(self, op: Operation) -> str:
        """How the report calls an op; one that the pass has made has no number."""
        try:
            return self.labels.label(op)
        except KeyError:
            return f"a new {op.name}"
