"""The upper halves of unsigned products, for each width, against the integers of Python."""

import numpy as np

from tests.unit.transforms.convert_tileas_to_llvm.elementwise import Operation, compare

WIDTHS = (8, 16, 32, 64)


def test_mulhi():
    elements = [f"i{width}" for width in WIDTHS]
    operations = [Operation("mulhii %in0, %in1 : T", (e, e), e) for e in elements]
    for width, found in zip(WIDTHS, compare(operations, "sm_90a"), strict=True):
        unsigned = [array.view(f"u{width // 8}").tolist() for array in found.operands]
        wanted = [a * b >> width for a, b in zip(*unsigned, strict=True)]
        np.testing.assert_array_equal(found.got.view(f"u{width // 8}"), wanted)
