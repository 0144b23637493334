"""`convert-tilecpu-to-llvm`: loop nests over elements as functions of llvm.

    tilecpu.nest (%i) in [128] vector 16 {
      %x = tilecpu.read %a[affine_map<(d0) -> (d0)>] : !tilecpu.buffer<128xf32> -> f32
      ..
    ->
    ^bb1(%i: i64):
      %p = llvm.getelementptr %arena[%offset] : ..
      %x = llvm.load %p : !llvm.ptr -> vector<16xf32>

A kernel becomes one function that executes the tile blocks from `%first` up to `%last`:

    llvm.func @k(%args: !llvm.ptr, %grid: !llvm.ptr, %arena: !llvm.ptr, %context: !llvm.ptr, %first: i64, %last: i64)

Arguments are in slots of 8 bytes. Blocks have linear numbers, x fastest. `%context` points to the
flag that stops the kernel, and to where a fault is recorded. With `unchecked`, accesses are not
compared with the arrays of the launch.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, i1, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileir_xdsl.builders.llvm_code import POINTER
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.walking import ops_in

from .functions import convert_function


@dataclass(frozen=True)
class ConvertTileCPUToLLVMPass(ModulePass):
    """Converts kernels of loop nests to functions of llvm."""

    name = "convert-tilecpu-to-llvm"

    unchecked: bool = False
    """Whether accesses are not compared with the arrays of the launch."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [each for each in ops_in(op) if isinstance(each, tilecpu.FuncOp)]
        functions = [convert_function(kernel, not self.unchecked) for kernel in kernels]
        for each in list(op.ops):
            each.detach()
            each.erase(safe_erase=False)
        op.body.block.add_ops([*(_helpers() if functions else ()), *functions])


def _helpers() -> list[Operation]:
    """The functions of the run time that kernels call."""
    fault = llvm.LLVMFunctionType([POINTER, i64, i64, i64, i64])
    inside = llvm.LLVMFunctionType([POINTER, i64, i64], i1)
    external = llvm.LinkageAttr("external")
    return [
        llvm.FuncOp("tileir_fault", fault, external),
        llvm.FuncOp("tileir_inside", inside, external),
    ]
