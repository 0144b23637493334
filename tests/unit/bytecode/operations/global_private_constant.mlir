// since 13.3
cuda_tile.module @kernels {
  global private @a <f32: 1.0> : tile<4xf32>
  global constant @b <f32: 1.0> : tile<4xf32>
  entry @kernel() {
  }
}
