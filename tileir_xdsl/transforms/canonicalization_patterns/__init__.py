"""Canonicalization patterns, one module a dialect; loading the dialect attaches them."""

from xdsl.ir import Operation, OpTraits
from xdsl.irdl import IRDLOperation
from xdsl.traits import HasCanonicalizationPatternsTrait

from tileir_xdsl.dialects.lazy_definition import when_defined


def attach(op: type[Operation], patterns: HasCanonicalizationPatternsTrait) -> None:
    """Lets `canonicalize` find patterns of one op of ours.

    A dialect imports no transforms, so its ops cannot name their patterns themselves. Ops with a
    common base share one object of traits, so that object is replaced and not changed.
    """

    def add(op: type[IRDLOperation]) -> None:
        traits = op.traits.traits
        # A second call, by a second context that loads the dialect, must not list them twice.
        if patterns not in traits:
            op.traits = OpTraits(lambda: (*traits, patterns))

    assert issubclass(op, IRDLOperation)
    when_defined(op, add)
