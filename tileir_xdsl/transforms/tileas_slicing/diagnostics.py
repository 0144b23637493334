"""The verbatim diagnostics of slicing; trailing blanks belong to the text."""

COUNT = "The `sliceCount` need to be a `IntegerAttr`"
"""The attribute is not an integer, or exceeds the number of iterations."""

OPERATION = "unsupported op in Slicing pass"
"""The body contains an op that slices cannot repeat."""

# The blank at the end is that of the reference.
LOWER_BOUND = "unsupported op to be a lower bound in slicing pass "
"""The lower bound is neither a constant nor affine in induction variables of outer loops."""

INITIAL_VALUE = "fail to get an initial forOperand in slicing pass"
"""An initial value of the loop is returned, or is an argument of another op's region."""

UNEXPECTED = "is not expected inside sliced part in SlicingPass"
"""The body has changed since the plan was made."""

COPY_ATOM = "unsupported atom of copyOp in slicing pass"
"""A copy has no concrete atom yet."""
