"""`tileir-pipeline` with `explain=FOLDER`: a page and JSON of what every pass did.

They stand in the folder under the name of the first kernel. A pass that fails leaves them up to
itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.checking.tileir_pipeline import CheckedTileIRPipelinePass

_explanation: ContextVar[Any] = ContextVar("explanation of the pipeline that runs", default=None)


@dataclass(frozen=True)
class ExplainedTileIRPipelinePass(CheckedTileIRPipelinePass):
    """Compiles all kernels of a module for one target, with checks and a report if wanted."""

    explain: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.explain is None:
            super().apply(ctx, op)
            return
        # Reports load only if they are asked for.
        pipelines = importlib.import_module("tileir_xdsl.report.explained_pipeline")
        with pipelines.explained(self, self.explain, op) as explanation:
            token = _explanation.set(explanation)
            try:
                super().apply(ctx, op)
            finally:
                _explanation.reset(token)

    def pass_runner(self, ctx: Context, module: ModuleOp) -> Callable[[ModulePass], None]:
        """A function that runs each pass on the module; with `explain` the report follows it."""
        run, explanation = super().pass_runner(ctx, module), _explanation.get()
        if explanation is None:
            return run

        def run_observed(step: ModulePass) -> None:
            run(explanation.before(step, module))
            explanation.after(step, module)

        return run_observed
