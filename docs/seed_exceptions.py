"""The blocks of the seeds that cannot be read as they stand, each with what stands against it."""

from __future__ import annotations

from collections.abc import Mapping

PARENTHESES = (
    "`scf` is xDSL's, which requires parentheses around the types of results: `-> (T)`; with them "
    "it is read"
)
ELIDED = "`...` stands for types that the block does not have"
SPECIFICATION = "breaks a rule of the specification itself: "

UNREADABLE: Mapping[tuple[str, str], str] = {
    ("000", "assign layouts, products"): ELIDED,
    ("000", "remove layout conversions"): ELIDED,
    ("000", "select on a condition"): (
        "the allocation has 8192 elements, and the view would begin after the last: an allocation "
        "of two slots, `tensor<2x128x64xf16, #smem>`, is read"
    ),
    ("000", "select on a condition, after"): (
        "an attribute holds no value that is computed: the offset is an operand, `offset %o`"
    ),
    ("000", "carried by a loop"): f"{PARENTHESES}. `use` is not an op",
    ("000", "dead region arguments"): (
        "`wgmma` has one type for four values, and the types of its operands A and B do not follow "
        "from that of the accumulator. `use` is not an op"
    ),
    ("000", "slicing"): ELIDED,
    ("001", "addi"): "`<tile shape>` stands for a type",
    ("001", "mmaf"): "`%c'` is not an SSA name in MLIR; with another name it is read",
    ("002", "8.3.19 reduce_0"): SPECIFICATION + "a block argument has two types",
    ("002", "8.3.19 reduce_1"): SPECIFICATION + "the result does not have the reduced shape",
    ("002", "8.3.23 unpack_1"): SPECIFICATION + "there is no type `F4E2M1FN`",
    ("002", "8.12.1 assume_example_SameElements_0"): (
        SPECIFICATION + "`bitcast` does not return pointers"
    ),
    ("003", "producer region"): (
        "the load has three operands where types and `operandSegmentSizes` are of four, and its "
        "destination is a tile of the stage where its type is a view; with a barrier and a view "
        "of the stage it is read"
    ),
    ("004", "decompose loop iter args"): PARENTHESES,
    ("004", "decompose if"): PARENTHESES,
}
"""Blocks by seed and title, as `tests/unit/docs/seed_inputs.py` has them, with the reason."""
