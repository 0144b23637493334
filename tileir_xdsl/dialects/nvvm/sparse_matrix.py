"""mma.sp: warp-level mma whose operand A is sparse.

Half of the elements of A are stored, in the fragments of a dense operand with half as many columns.
Metadata words say which elements; the sparsity selector selects the lanes that hold these words
(PTX ISA, "Sparse matrix storage").
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import I32, IntegerType, UnitAttr, i32
from xdsl.irdl import operand_def, opt_prop_def, traits_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.matrix import MatrixForm, WarpMMAOp, accumulator_type
from tileir_xdsl.dialects.nvvm.mma_attributes import MMAVariantAttr
from tileir_xdsl.dialects.nvvm.requirements import Requires
from tileir_xdsl.targets.sparse_mma import SPARSE_MMA_ATOMS, SparseVariant

_CHUNKS = {"tf32": 2, "s4": 8, "u4": 8}
"""The size of a chunk along k, half of which is stored; 4 for other types."""


@irdl_op_definition
class MmaSpOp(WarpMMAOp):
    """`D = A * B + C` with a sparse A by all lanes of a warp.

        %d = nvvm.mma.sp.sync A[%a0, %a1] B[%b0, %b1] C[%c0, %c1, %c2, %c3] sparseMetadata[%m]
            selector[%s] {orderedMetadata, shape = #nvvm.shape<m = 16, n = 8, k = 16>} :
            (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>

    `k` also counts elements that are not stored; the selector is a constant. With
    `orderedMetadata`, the indices in a chunk ascend.
    """

    name = "nvvm.mma.sp.sync"

    operandA = var_operand_def()
    operandB = var_operand_def()
    operandC = var_operand_def()
    sparseMetadata = operand_def(I32)
    sparsitySelector = operand_def(I32)
    orderedMetadata = opt_prop_def(UnitAttr)
    kind = opt_prop_def(MMAVariantAttr)
    traits = traits_def(Requires.target(80, (7, 1)))

    @classmethod
    def words(cls) -> Mapping[str, tuple[IntegerType, ...]]:
        return {"sparseMetadata": (i32,), "selector": (i32,)}

    @property
    def form(self) -> MatrixForm:
        a, b = self.types
        d = accumulator_type(self.operandC[0].type)
        ordered = self.orderedMetadata is not None
        kind = "" if self.kind is None else self.kind.data
        if (atom := SPARSE_MMA_ATOMS.get(SparseVariant(a, b, d, ordered, kind))) is None:
            order = "ordered" if ordered else "unordered"
            named = f" of kind {kind}" if kind else ""
            raise VerifyException(
                f"no sparse mma{named} has A of type {a}, B of type {b}, accumulator of type {d} "
                f"and {order} metadata"
            )
        return MatrixForm.of_atom(atom, self.shape)

    @property
    def registers(self) -> tuple[int, int, int]:
        a, b, c = self.form.registers
        return a // 2, b, c

    @property
    def selectors(self) -> int:
        """The number of sparsity selectors: each selects one, two or all lanes of four."""
        form = self.form
        return 16 // (form.shape.k // _CHUNKS.get(form.atom.a, 4))
