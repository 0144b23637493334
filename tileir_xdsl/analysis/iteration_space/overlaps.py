"""Whether elements of a strided array share an address."""

from collections.abc import Sequence


def overlaps_itself(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two indices may have the same address: a stride is within the range that smaller
    strides cover. Strides are not negative.
    """
    if 0 in shape:
        return False
    covered = 0
    for stride, extent in sorted(zip(strides, shape, strict=True)):
        if extent > 1:
            if stride <= covered:
                return True
            covered += stride * (extent - 1)
    return False
