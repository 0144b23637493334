// since 13.1
cuda_tile.module @kernels {
  global @a <f32: 1.0> : tile<4xf32>
  global @b alignment = 256 <i64: [1, 2]> : tile<2xi64>
  entry @kernel() {
  }
}
