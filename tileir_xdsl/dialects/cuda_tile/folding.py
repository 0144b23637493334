"""Returns the constants that define values, for folds and patterns."""

from xdsl.ir import SSAValue
from xdsl.traits import ConstantLike

from tileir_xdsl.dialects.cuda_tile.literals import DenseConstantAttr


def constant_of(value: SSAValue) -> DenseConstantAttr | None:
    """The elements of a value that a constant defines, else None."""
    constant = ConstantLike.get_constant_value(value)
    return constant if isinstance(constant, DenseConstantAttr) else None


def splat_of(value: SSAValue) -> int | float | bool | None:
    """The one number that fills a constant, a bool for i1; None for any other value."""
    constant = constant_of(value)
    return constant.splat_value if constant is not None and constant.is_splat else None
