"""`tileir-pipeline` with `check=true`: every pass must keep what the kernels compute.

`tileir-pipeline{gpu=sm_90a check=true}` runs each kernel before the first pass, and again after
every pass, on inputs made from its signature. The first pass that changes a result, or uses a value
before its definition, fails. The diagnostic names the pass and the op it did that to:

    check: pass 'canonicalize' changes what kernel 'k' computes: argument 0: 1 of 64 elements
    differ, the first at 3: 1.5 before, -1.5 after; the first op with another value is 'math.absf'

Results at the stages of tiles are compared bit for bit, by the interpreters. Those of the last
stage are compared by running its PTX in the emulator, where floats may differ by some roundings. A
kernel that runs on none of the inputs, or races with itself on all, is named in a remark.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.transforms.tileir_pipeline import TileIRPipelinePass


@dataclass(frozen=True)
class CheckedTileIRPipelinePass(TileIRPipelinePass):
    """Compiles all kernels of a module for one target, with a check of every pass if wanted."""

    check: bool = False
    """Runs the kernels before and after each pass, and names the first op that changes a value."""

    def pass_runner(self, ctx: Context, module: ModuleOp) -> Callable[[ModulePass], None] | None:
        """A function that runs each pass on the module; `check` adds kernels before and after."""
        if not self.check:
            return super().pass_runner(ctx, module)
        # Interpreters and emulator load only for a check.
        from tileir_xdsl.checking.pass_check import PassCheck

        return partial(PassCheck(module).run_pass, ctx)
