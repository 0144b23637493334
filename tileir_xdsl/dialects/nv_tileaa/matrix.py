"""Matrix multiply-accumulate (dot).

A is M x K, B is K x N. C and the result are M x N. In the form of rank 3, all have a leading batch
dimension. Source: Tile IR specification, section "Core" (mmaf, mmai).
"""

from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    base,
    operand_def,
    opt_attr_def,
    opt_operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface

from .attributes import SignednessAttr
from .constraints import bit_width
from .types import tile_shape

_F32_OR_F16: tuple[type[Attribute], ...] = (Float32Type, Float16Type)
ACCUMULATORS: dict[type[Attribute], tuple[type[Attribute], ...]] = {
    Float4E2M1FNType: _F32_OR_F16,
    Float8E4M3FNType: _F32_OR_F16,
    Float8E5M2Type: _F32_OR_F16,
    Float16Type: _F32_OR_F16,
    BFloat16Type: (Float32Type,),
    FloatTF32Type: (Float32Type,),
    Float32Type: (Float32Type,),
    Float64Type: (Float64Type,),
}
"""Element types of C, by element type of A."""

INPUT_PRECISIONS = ("tf32", "ieee")
"""How f32 inputs are used: rounded to tf32, or unchanged."""


def verify_mma_elements(
    a: Attribute,
    b: Attribute,
    c: Attribute,
    signedness_a: SignednessAttr | None,
    signedness_b: SignednessAttr | None,
) -> None:
    """Raises `VerifyException` unless a dot supports these element types of A, B and C.

    The operands are given by their types.
    """
    a_type, b_type, c_type = (tile_shape(type).element for type in (a, b, c))
    types = (a_type, b_type, c_type)
    if not (
        all(isinstance(type, IntegerType) for type in types)
        or all(isinstance(type, AnyFloat) for type in types)
    ):
        raise VerifyException(
            "expected the element types of A, B, C, and D to be either all integers or all floats."
        )
    if isinstance(a_type, IntegerType):
        if bit_width(a_type) != bit_width(b_type):
            raise VerifyException(
                f"expects #A and #B have same bit width but got {bit_width(a_type)} "
                f"vs {bit_width(b_type)}"
            )
        for name, signedness in (("A", signedness_a), ("B", signedness_b)):
            if signedness is None:
                raise VerifyException(f"expect signedness attribute for operand {name}")
        return
    allowed = ACCUMULATORS.get(type(a_type), ())
    if type(c_type) not in allowed:
        names = " or ".join(accumulator.name for accumulator in allowed) or "f32"
        either = "either " if len(allowed) > 1 else ""
        raise VerifyException(f"expects #C element type to be {either}{names}, but got {c_type}")


def verify_mma_shapes(a: Attribute, b: Attribute, c: Attribute) -> None:
    """Raises `VerifyException` unless A x B has the shape of C, for matrices or batches of
    matrices.

    The operands are given by their types.
    """
    left, right, sum = (tile_shape(type).shape for type in (a, b, c))
    if len(sum) not in (2, 3):
        raise VerifyException(f"expects rank-2 or rank-3 tensor for result, but got ({len(sum)})")
    ranks = {len(left), len(right), len(sum)}
    if len(ranks) > 1 or left[:-2] != right[:-2] or left[-1] != right[-2]:
        raise VerifyException("expects the shape of operand #A and #B to be compatible")
    if sum != (*left[:-1], right[-1]):
        raise VerifyException(
            "expects the shape of operand #C is compatible with operands #A and #B"
        )


@irdl_op_definition
class DotOp(IRDLOperation, RegistersOpInterface):
    """`a x b + c`; with `sfa` and `sfb`, blocks of inputs along K are scaled before.

    The op's attributes and discardable attributes are in one dictionary, in any order.
    """

    name = "nv_tileaa.dot"

    T: ClassVar = VarConstraint("T", base(TensorType))

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(T)
    sfa = opt_operand_def(TensorType)
    sfb = opt_operand_def(TensorType)
    input_precision = opt_attr_def(StringAttr)
    signedness_a = opt_attr_def(SignednessAttr)
    signedness_b = opt_attr_def(SignednessAttr)
    propagate_nan = opt_attr_def(UnitAttr)
    fast_acc = opt_attr_def(UnitAttr)
    result = result_def(T)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "$a `,` $b `,` $c (`scaled` `by` $sfa^ `,` $sfb)? attr-dict "
        "`:` type($a) `,` type($b) `,` type($c) (`,` type($sfa)^ `,` type($sfb))?"
    )

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue,
        scale_a: SSAValue | None = None,
        scale_b: SSAValue | None = None,
        *,
        signedness_a: Signedness | None = None,
        signedness_b: Signedness | None = None,
        input_precision: str | None = None,
        propagate_nan: bool = False,
        fast_acc: bool = False,
    ):
        def sign(value: Signedness | None) -> SignednessAttr | None:
            return None if value is None else SignednessAttr(value)

        super().__init__(
            operands=[a, b, c, scale_a, scale_b],
            attributes={
                "input_precision": None if input_precision is None else StringAttr(input_precision),
                "signedness_a": sign(signedness_a),
                "signedness_b": sign(signedness_b),
                "propagate_nan": UnitAttr() if propagate_nan else None,
                "fast_acc": UnitAttr() if fast_acc else None,
            },
            result_types=[c.type],
        )

    def verify_(self) -> None:
        types = (self.a.type, self.b.type, self.c.type)
        verify_mma_elements(*types, self.signedness_a, self.signedness_b)
        verify_mma_shapes(*types)
        if (self.sfa is None) != (self.sfb is None):
            raise VerifyException("expects both SFA and SFB to be present")
        if self.input_precision is not None and self.input_precision.data not in INPUT_PRECISIONS:
            raise VerifyException(
                f"expects one of the input precisions {', '.join(INPUT_PRECISIONS)}, but "
                f"got {self.input_precision.data}"
            )
