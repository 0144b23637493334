"""`tileir-pipeline` with `check=true`: no pass may change the results of kernels.

`tileir-pipeline{gpu=sm_90a check=true}` runs each kernel before the first pass, and again after
every pass, on inputs made from its signature. The first pass that changes a result, or uses a value
before its definition, fails. The diagnostic names the pass and the op at fault:

    check: pass 'canonicalize' changes what kernel 'k' computes: argument 0: 1 of 64 elements
    differ, the first at 3: 1.5 before, -1.5 after; the first op with another value is 'math.absf'

The interpreters run tile dialects, whose results must be equal bit for bit. The emulator runs the
PTX of the last stage, where floats may differ by some roundings. A remark names a kernel that runs
on none of the inputs, or has a race on all of them.
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
    """Compiles all kernels of a module for one target; `check` checks every pass."""

    check: bool = False
    """Runs the kernels before and after each pass, and names the first op whose value changed."""

    def pass_runner(self, ctx: Context, module: ModuleOp) -> Callable[[ModulePass], None] | None:
        """A function that runs each pass on the module; with `check`, it runs the kernels, too."""
        if not self.check:
            return super().pass_runner(ctx, module)
        # Interpreters and emulator load only for a check.
        from tileir_xdsl.checking.pass_check import PassCheck

        return partial(PassCheck(module).run_pass, ctx)
