"""Refusals of slicing, to the letter: blanks at an end belong to the text."""

COUNT = "The `sliceCount` need to be a `IntegerAttr`"
"""The attribute is not an integer, or does not divide the iteration space."""

OPERATION = "unsupported op in Slicing pass"
"""The body holds an op of which nobody knows how to make one for each slice."""

# The blank at the end is that of the reference.
LOWER_BOUND = "unsupported op to be a lower bound in slicing pass "
"""The lower bound is neither a constant nor affine in induction variables around the loop."""

INITIAL_VALUE = "fail to get an initial forOperand in slicing pass"
"""The value that the first slice would start from is returned, or carried by something else."""

UNEXPECTED = "is not expected inside sliced part in SlicingPass"
"""The body has changed since the plan was made."""

COPY_ATOM = "unsupported atom of copyOp in slicing pass"
"""A copy has no concrete atom yet."""
