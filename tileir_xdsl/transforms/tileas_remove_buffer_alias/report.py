"""The report of the pass: for every alias, the part of an allocation and the replacement."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation

from tileir_xdsl.analysis.buffers.origin import Offset
from tileir_xdsl.analysis.regions.scopes import scope_name
from tileir_xdsl.explain import OperationLabels, Report

from .aliases import Alias


class AliasReport:
    """Describes the rewriting of a function, with the names from before."""

    def __init__(self, function: Operation) -> None:
        self._labels = OperationLabels(function)
        self._function = scope_name(function)

    def describe(self, report: Report, aliases: Sequence[Alias]) -> None:
        """Adds the rewriting of each alias to a report."""
        for alias in aliases:
            if alias.origin is None:
                report.add(
                    self._function,
                    alias=self._labels.label(alias.op),
                    position=alias.position,
                    allocation=None,
                    became="stays: it leads to no allocation, or to several",
                )
                continue
            maker = alias.origin.allocation.owner
            if isinstance(maker, Block):
                maker = maker.parent_op()
            assert isinstance(maker, Operation)
            report.add(
                self._function,
                alias=self._labels.label(alias.op),
                position=alias.position,
                allocation=self._labels.label(maker),
                offset=_describe(alias.origin.offset),
                became=alias.became,
            )


def _describe(offset: Offset) -> str:
    """An offset in elements, as text; with SSA values in it, it is only known at run time."""
    return "known when the program runs" if offset.terms else str(offset.constant)
