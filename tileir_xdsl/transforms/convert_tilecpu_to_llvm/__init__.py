"""`convert-tilecpu-to-llvm`: loop nests over elements as functions of llvm.

    tilecpu.nest (%i) in [128] vector 16 {
      %x = tilecpu.read %a[affine_map<(d0) -> (d0)>] : !tilecpu.buffer<128xf32> -> f32
      ..
    ->
    ^bb1(%i: i64):
      %p = llvm.getelementptr %arena[%offset] : ..
      %x = llvm.load %p : !llvm.ptr -> vector<16xf32>

A kernel becomes one function that executes the tile blocks from `%first` up to `%last`:

    llvm.func @k(%args: !llvm.ptr, %grid: !llvm.ptr, %arena: !llvm.ptr,
                 %context: !llvm.ptr, %first: i64, %last: i64)

Each argument takes 8 bytes of `%args`. Tile blocks have linear numbers, x fastest. `%context`
points to the flag that stops the kernel, and to the record of a fault. With `unchecked`, kernels do
not check that accesses are inside of the launch's arrays.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, i1, i64
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.llvm_code import POINTER
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.rewriting import DispatchWalker

from .functions import convert_function
from .kernel import PRINT


@dataclass(frozen=True)
class ConvertTileCPUToLLVMPass(ModulePass):
    """Converts kernels of `tilecpu` loop nests to functions of llvm."""

    name = "convert-tilecpu-to-llvm"

    unchecked: bool = False
    """Whether to omit the checks that accesses are inside of the launch's arrays."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        DispatchWalker({tilecpu.FuncOp: LowerFunc(op, not self.unchecked)}).rewrite(op)
        for inner in list(op.ops):
            DispatchWalker({ModuleOp: ConvertModule()}, walk_regions_first=True).rewrite(inner)


@dataclass
class LowerFunc(RewritePattern):
    """Puts the function of a kernel at the end of the outermost module."""

    module: ModuleOp
    is_checked: bool

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tilecpu.FuncOp, rewriter: PatternRewriter) -> None:
        end = InsertPoint.at_end(self.module.body.block)
        names = {each.sym_name.data for each in self.module.ops if isinstance(each, llvm.FuncOp)}
        helpers = [each for each in _helpers() if each.sym_name.data not in names]
        function, constants = convert_function(op, self.is_checked)
        rewriter.insert([*helpers, *constants, function], end)
        rewriter.erase(op)


class ConvertModule(RewritePattern):
    """Erases the modules around kernels: functions of llvm share one symbol table."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ModuleOp, rewriter: PatternRewriter) -> None:
        if not op.body.block.ops:
            rewriter.erase(op)


def _helpers() -> list[llvm.FuncOp]:
    """Declares the functions of the run time that kernels call."""
    fault = llvm.LLVMFunctionType([POINTER, i64, i64, i64, i64])
    inside = llvm.LLVMFunctionType([POINTER, i64, i64], i1)
    prints = llvm.LLVMFunctionType([i64, POINTER])
    external = llvm.LinkageAttr("external")
    return [
        llvm.FuncOp("tileir_fault", fault, external),
        llvm.FuncOp("tileir_inside", inside, external),
        llvm.FuncOp(PRINT, prints, external),
    ]
