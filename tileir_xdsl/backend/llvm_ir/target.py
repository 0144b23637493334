"""`xdsl-opt -t llvm-ir`: the module as LLVM IR text."""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target as OutputTarget

from tileir_xdsl.backend.llvm_ir.module import emit


@dataclass(frozen=True)
class LLVMIRTarget(OutputTarget):
    """Prints LLVM IR: `xdsl-opt -t llvm-ir`."""

    name = "llvm-ir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(emit(module))
