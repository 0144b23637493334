// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %c = constant <f32: 0.0> : tile<2x4x8xf32>
    %0 = permute %c [2, 0, 1] : tile<2x4x8xf32> -> tile<8x2x4xf32>
  }
}
