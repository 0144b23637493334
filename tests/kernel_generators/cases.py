"""The generated kernels that tests run, by name; each wraps around its ring of stages."""

from tests.kernel_generators.case import Case
from tests.kernel_generators.matmul import Matmul, matmul_case
from tileir_xdsl.dialects.nvvm.attributes import WGMMAType

F16 = WGMMAType.F16

CASES: dict[str, Case] = {
    case.name: case
    for case in (
        matmul_case("matmul", Matmul(tile_n=128, stages=2), 128, 128, 320),
        matmul_case("matmul of 256 columns", Matmul(), 128, 256, 384),
        matmul_case("ragged matmul", Matmul(tile_n=128, stages=3), 200, 136, 296),
        matmul_case("matmul of f16", Matmul(64, 128, 64, 3, 1, F16), 64, 128, 320),
        matmul_case(
            "matmul with elements stored",
            Matmul(128, 128, 128, 2, 1, F16, stores_boxes=False),
            128,
            128,
            384,
        ),
    )
}
"""Every case; those with bugs are the small ones."""
