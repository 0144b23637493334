"""A target with another atom table: Hopper without its warpgroup MMAs on f16 and bf16.

To ask what `wgmma` is worth to a kernel, compile the kernel for a Hopper that lacks it:

    tileir compile matmul.mlir --with warp_mma_target --gpu sm_90a_warp_mma

Nothing else changes: loads still use TMA, and the code is assembled as `sm_90a`.
"""

from tileir_xdsl.extensions import Extension, TargetVariant

EXTENSION = Extension(
    "warp_mma_target",
    targets=(
        TargetVariant(
            "sm_90a_warp_mma",
            base="sm_90a",
            without_atoms=("wgmma_f16_f16_f32", "wgmma_f16_f16_f16", "wgmma_bf16_bf16_f32"),
        ),
    ),
)
