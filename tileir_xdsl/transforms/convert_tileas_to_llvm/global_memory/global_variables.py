"""Global variables of the module, and their addresses."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, IntAttr, TensorType, i1, i8
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.constants import constant_elements

from ..thread.module_variables import GLOBAL_SPACE
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type


class LowerGlobal(RewritePattern):
    """An array in global memory, of bytes where elements are i1; visible to the host unless
    private.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.GlobalOp)
        held = register_type(op, op.value.type.element_type)
        # Memory has no bits: PTX variables are bytes at least.
        element = i8 if held == i1 else held
        (count,) = op.value.type.get_shape()
        # A PTX initialiser lists all elements.
        data = op.value.data.data * (count if op.value.is_splat else 1)
        values = constant_elements(DenseIntOrFPElementsAttr.new([op.value.type, BytesAttr(data)]))
        variable = llvm.GlobalOp(
            llvm.LLVMArrayType(count, element),
            op.sym_name,
            "external" if op.sym_visibility is None else "internal",
            GLOBAL_SPACE,
            constant=op.constant is not None,
            value=DenseIntOrFPElementsAttr.new([TensorType(element, (count,)), values.data]),
            alignment=None if op.alignment is None else op.alignment.value.data,
        )
        variable.location = op.location
        rewriter.replace(op, variable)


class LowerGetGlobal(LowerOp[nv_tileaa.GetGlobalOp]):
    def lower(self, op: nv_tileaa.GetGlobalOp, rewriter: ThreadRewriter) -> None:
        pointer = llvm.LLVMPointerType(IntAttr(GLOBAL_SPACE))
        name = op.symbol.root_reference
        rewriter.replace(op.result, (rewriter.builder.compute(llvm.AddressOfOp, name, pointer),))


PATTERNS: Patterns = {nv_tileaa.GetGlobalOp: LowerGetGlobal}
