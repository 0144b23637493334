"""Constants of the tile program, in the types of the registers of a thread."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    TensorType,
    f32,
)
from xdsl.ir import Attribute, SSAValue


def known_integer(value: SSAValue) -> int | None:
    """The signed integer that a register statically holds."""
    owner = value.owner
    if isinstance(owner, llvm.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def is_zero(value: SSAValue) -> bool:
    """Whether a value is statically zero."""
    constant = value.owner.value if isinstance(value.owner, llvm.ConstantOp) else None
    # -0.0 counts too: padding and accumulators of either sign give the same sums but for a zero.
    return isinstance(constant, FloatAttr | IntegerAttr) and constant.value.data == 0


def constant_attribute(value: Attribute, type: Attribute) -> Attribute:
    """A constant of the tile program in the type of its registers."""
    if isinstance(value, IntegerAttr):
        assert isinstance(type, IntegerType)
        return IntegerAttr(value.value.data, type, truncate_bits=True)
    assert isinstance(value, FloatAttr)
    if isinstance(type, IntegerType):
        (code,) = value.type.pack([value.value.data])
        return IntegerAttr(code, type, truncate_bits=True)
    assert isinstance(type, AnyFloat)
    return FloatAttr(value.value.data, type)


def constant_elements(values: DenseIntOrFPElementsAttr) -> DenseIntOrFPElementsAttr:
    """The elements of a constant in the type of their registers; tf32 becomes f32."""
    if not isinstance(values.get_element_type(), FloatTF32Type):
        return values
    floats = [value.value.data for value in values.iter_attrs() if isinstance(value, FloatAttr)]
    return DenseIntOrFPElementsAttr.from_list(TensorType(f32, values.get_shape() or ()), floats)
