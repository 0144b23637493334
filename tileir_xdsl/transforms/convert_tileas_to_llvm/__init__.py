"""`convert-tileas-to-llvm`: the program of one thread.

Every tile becomes the registers that its layout gives to a thread, every access the vector
instructions that its copy atom names, a kernel an `llvm.func` with the launch bounds of its
kernel_spec. Layouts and atoms decide the code; nothing else is looked at.

    %y = nv_tileaa.addf %a, %b : tensor<1024xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ..>>
    ->
    %y0 = llvm.fadd %a0, %b0 : f32      // and seven more, one a register
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriteWalker

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.rewriting import OpDispatch, PatternTable, look_up
from tileir_xdsl.stages import LLVM, check_stage

from .arithmetic import (
    LowerAddF,
    LowerAddI,
    LowerAddPtr,
    LowerCmpI,
    LowerExtSI,
    LowerExtUI,
    LowerMulI,
)
from .builder import LLVMBuilder
from .core import (
    LowerAssume,
    LowerConstant,
    LowerConvertLayout,
    LowerExtract,
    LowerFunc,
    LowerGetNumPrograms,
    LowerGetProgramId,
    LowerMakeRange,
    LowerReshape,
    LowerReturn,
    LowerSplat,
)
from .memory import LowerCreateMemToken, LowerJoinMemToken, LowerLoad, LowerStore
from .patterns import Lowering
from .values import ThreadProgram
from .views import LowerBlockTile, LowerMakeMemRef, LowerTiledLoad, LowerTiledStore


def patterns(lowering: Lowering) -> PatternTable:
    """One pattern per op type; they share the value map of the function being converted."""
    return {
        arith.ConstantOp: LowerConstant(lowering),
        arith.MuliOp: LowerMulI(lowering),
        nv_tileaa.AddFOp: LowerAddF(lowering),
        nv_tileaa.AddIOp: LowerAddI(lowering),
        nv_tileaa.AddPtrOp: LowerAddPtr(lowering),
        nv_tileaa.AssumeOp: LowerAssume(lowering),
        nv_tileaa.BlockTileOp: LowerBlockTile(lowering),
        nv_tileaa.BroadcastOp: LowerReshape(lowering),
        arith.CmpiOp: LowerCmpI(lowering),
        nv_tileaa.CreateMemTokenOp: LowerCreateMemToken(lowering),
        arith.ExtSIOp: LowerExtSI(lowering),
        arith.ExtUIOp: LowerExtUI(lowering),
        nv_tileaa.ExtractOp: LowerExtract(lowering),
        nv_tileaa.FuncOp: LowerFunc(lowering),
        nv_tileaa.GetNumProgramsOp: LowerGetNumPrograms(lowering),
        nv_tileaa.GetProgramIdOp: LowerGetProgramId(lowering),
        nv_tileaa.JoinMemTokenOp: LowerJoinMemToken(lowering),
        nv_tileaa.MakeMemRefOp: LowerMakeMemRef(lowering),
        nv_tileaa.MakeRangeOp: LowerMakeRange(lowering),
        nv_tileaa.ReturnOp: LowerReturn(lowering),
        nv_tileaa.SplatOp: LowerSplat(lowering),
        nv_tileas.ViewOp: LowerReshape(lowering),
        nv_tileas.ConvertLayoutOp: LowerConvertLayout(lowering),
        nv_tileas.LoadOp: LowerLoad(lowering),
        nv_tileas.StoreOp: LowerStore(lowering),
        nv_tileas.TiledLoadOp: LowerTiledLoad(lowering),
        nv_tileas.TiledStoreOp: LowerTiledStore(lowering),
    }


def flatten_modules(module: ModuleOp) -> None:
    """Moves the functions of nested modules out: LLVM and PTX know one flat space of symbols."""
    symbols: set[str] = set()
    for nested in [op for op in module.walk() if isinstance(op, ModuleOp)]:
        for op in tuple(nested.body.block.ops):
            if isinstance(op, ModuleOp):
                continue
            name = op.properties.get("sym_name")
            if isinstance(name, StringAttr):
                if name.data in symbols:
                    fail(op, f"'{op.name}' op redefinition of symbol @{name.data}")
                symbols.add(name.data)
            if nested is not module:
                op.detach()
                module.body.block.add_op(op)
    for nested in [op for op in module.body.block.ops if isinstance(op, ModuleOp)]:
        nested.detach()
        nested.erase()


@dataclass(frozen=True)
class ConvertTileASToLLVMPass(ModulePass):
    """Converts kernels with layouts to `llvm` and `nvvm`."""

    name = "convert-tileas-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [function for function in op.walk() if isinstance(function, nv_tileaa.FuncOp)]
        table = patterns(Lowering(ThreadProgram(LLVMBuilder(Block()))))
        for function in functions:
            for nested in function.walk():
                if look_up(table, nested) is None:
                    fail(nested, f"'{nested.name}' op cannot be converted to llvm")
        PatternRewriteWalker(OpDispatch(table), apply_recursively=False).rewrite_module(op)
        for function in functions:
            function.detach()
            function.erase()
        flatten_modules(op)
        check_stage(op, LLVM)
