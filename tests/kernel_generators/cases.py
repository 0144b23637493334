"""The generated kernels that tests run, by name; each wraps around its ring of stages."""

from tests.kernel_generators import mma_matmul as mma
from tests.kernel_generators.attention import ATTENTION_BUGS, Attention, attention_case
from tests.kernel_generators.case import Case
from tests.kernel_generators.matmul import MATMUL_BUGS, Matmul, matmul_case
from tests.kernel_generators.mma_matmul import MMA_MATMUL_BUGS, MmaMatmul, mma_matmul_case
from tests.kernel_generators.transpose import TRANSPOSE_BUGS, transpose_case
from tileir_xdsl.dialects.nvvm.attributes import WGMMAType

F16 = WGMMAType.F16


def k_major(element: WGMMAType, tile_m: int, tile_n: int, tile_k: int) -> Matmul:
    """A product of one consumer with both operands as rows along k."""
    return Matmul(tile_m, tile_n, tile_k, 2, 1, element, stores_boxes=False, b_is_k_major=True)


CASES: dict[str, Case] = {
    case.name: case
    for case in (
        matmul_case("matmul", Matmul(tile_n=128, stages=2), 128, 128, 320, MATMUL_BUGS),
        matmul_case("matmul of 256 columns", Matmul(), 128, 256, 384),
        matmul_case("ragged matmul", Matmul(tile_n=128, stages=3), 200, 136, 296),
        matmul_case("matmul of clusters", Matmul(tile_n=128, stages=2, cluster=2), 256, 128, 320),
        matmul_case("matmul of f16", Matmul(64, 128, 64, 3, 1, F16), 64, 128, 320),
        matmul_case(
            "matmul of transposed f16",
            Matmul(64, 128, 64, 3, 1, F16, b_is_k_major=True),
            64,
            128,
            320,
        ),
        matmul_case("matmul of tf32", k_major(WGMMAType.TF32, 64, 64, 32), 64, 64, 160),
        matmul_case("matmul of e4m3", k_major(WGMMAType.E4M3, 64, 128, 128), 64, 128, 512),
        matmul_case("matmul of s8", k_major(WGMMAType.S8, 64, 128, 256), 64, 128, 768),
        matmul_case(
            "matmul with elements stored",
            Matmul(128, 128, 128, 2, 1, F16, stores_boxes=False),
            128,
            128,
            384,
        ),
        attention_case("attention", Attention(head=64), 1, 512, ATTENTION_BUGS),
        attention_case("attention with heads of 128", Attention(), 1, 384),
        attention_case("causal attention", Attention(head=64, is_causal=True), 2, 320),
        attention_case("ragged attention", Attention(stages=2, element=F16), 2, 200),
        attention_case("attention of one tile", Attention(64, stages=3), 1, 128),
        mma_matmul_case(
            "matmul with mma", MmaMatmul(mma.F16, 64, 64), 128, 64, 192, MMA_MATMUL_BUGS
        ),
        mma_matmul_case(
            "matmul with mma of bf16", MmaMatmul(mma.BF16, row_bytes=128), 128, 128, 320
        ),
        mma_matmul_case(
            "matmul with mma of s8", MmaMatmul(mma.S8, 64, 64, 128, stages=4), 64, 128, 768
        ),
        mma_matmul_case(
            "matmul with mma of e4m3", MmaMatmul(mma.E4M3, 64, 128, stages=2), 64, 128, 256
        ),
        transpose_case("transpose", 128, 192, TRANSPOSE_BUGS),
    )
}
"""Every case by its name. The small ones have bugs."""
