"""`tileir-pipeline` with `explain=FOLDER`: writes a page and a JSON file on every pass.

The files in the folder are named after the first kernel. If a pass fails, the files end at that
pass.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.tileir_pipeline import CheckedTileIRPipelinePass
from tileir_xdsl.transforms.pipeline_road import Follower

_explanation: ContextVar[Any] = ContextVar("explanation of the pipeline that runs", default=None)


@dataclass(frozen=True)
class ExplainedTileIRPipelinePass(CheckedTileIRPipelinePass):
    """Compiles all kernels of a module for one target, with optional checks and report."""

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

    def followers(self) -> Sequence[Follower]:
        """The followers of the passes, with `explain` also the report."""
        explanation = _explanation.get()
        return () if explanation is None else (explanation,)
