"""Canonicalization patterns: one module for each dialect, whose loading attaches them."""

from xdsl.ir import Operation, OpTraits
from xdsl.irdl import IRDLOperation
from xdsl.traits import HasCanonicalizationPatternsTrait

from tileir_xdsl.dialects.lazy_definition import when_defined


def attach(op: type[Operation], patterns: HasCanonicalizationPatternsTrait) -> None:
    """Makes `canonicalize` find patterns of an op of this package.

    A dialect imports no transforms, so its ops cannot name their patterns themselves. Ops with a
    common base share one set of traits, so `attach` replaces the set instead of changing it.
    """

    def add(op: type[IRDLOperation]) -> None:
        traits = op.traits.traits
        # A second call, by a second context that loads the dialect, must not list them twice.
        if patterns not in traits:
            op.traits = OpTraits(lambda: (*traits, patterns))

    assert issubclass(op, IRDLOperation)
    when_defined(op, add)
