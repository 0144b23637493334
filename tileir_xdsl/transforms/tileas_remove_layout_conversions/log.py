"""The outcomes of the conversions in a function, for the report."""

from dataclasses import dataclass, field

from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.explain import OperationLabels
from tileir_xdsl.targets.target import Target


@dataclass
class ConversionLog:
    """The conversions of a function before the pass, and the reasons for removed ones."""

    labels: OperationLabels
    conversions: tuple[nv_tileas.ConvertLayoutOp, ...]
    kept: frozenset[Operation] = frozenset()
    """Conversions that are not to be removed."""
    target: Target | None = None
    """The target whose copy atoms convert buffers; None allows those of any target."""
    reasons: dict[Operation, str] = field(default_factory=dict[Operation, str])
    refused: list[Operation] = field(default_factory=list[Operation])
    """Ops whose verifiers rejected a buffer in another layout."""
    rejected: list[Operation] = field(default_factory=list[Operation])
    """Ops whose verifiers reject the new layouts of their tiles."""

    def removed(self, op: Operation, reason: str, other: Operation | None = None) -> None:
        """Records why a conversion is removed, and because of which op; the first reason is
        kept.
        """
        if other is not None:
            reason = f"{reason}: {self.label(other)}"
        # Later steps see only what the first one left of the op.
        self.reasons.setdefault(op, reason)

    def label(self, op: Operation) -> str:
        """The label of an op in the report; ops that the pass has inserted have no number."""
        try:
            return self.labels.label(op)
        except KeyError:
            return f"a new {op.name}"
