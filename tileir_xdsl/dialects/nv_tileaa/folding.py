"""Returns the constants that define values, for folds and patterns."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects.nv_tileaa.shapes import SplatOp


def constant_element(value: SSAValue) -> int | float | None:
    """The value of a constant scalar, or of a constant tile of equal elements; otherwise None."""
    owner = value.owner
    if isinstance(owner, SplatOp):
        return constant_element(owner.value)
    if not isinstance(owner, arith.ConstantOp):
        return None
    attribute: Attribute = owner.value
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        data, size = attribute.data.data, attribute.type.element_type.compile_time_size
        # The bits of a float; 0.0 and -0.0 differ.
        if data != data[:size] * (len(data) // size):
            return None
        element = next(iter(attribute.iter_values()))
        return element if isinstance(element, int | float) else None
    return attribute.value.data if isinstance(attribute, IntegerAttr | FloatAttr) else None
