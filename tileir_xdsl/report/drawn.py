"""The drawings of the phases of one compilation, made by `tileir_xdsl.drawings`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.kernel import drawings_of
from tileir_xdsl.report.provenance import Origins


@dataclass
class ChangedDrawings:
    """Draws the module of each phase.

    A drawing that equals that of the phase before is omitted.
    """

    last: Sequence[Drawing] = ()

    def __call__(
        self, module: ModuleOp, level: str, gpu: str, ids: Callable[[Operation], Origins]
    ) -> Sequence[Drawing]:
        drawings = drawings_of(module, level, gpu, ids)
        if drawings == self.last:
            return ()
        self.last = drawings
        return drawings
