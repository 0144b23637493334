// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    return
  }
}
