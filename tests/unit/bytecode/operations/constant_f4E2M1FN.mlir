// since 13.3
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = constant <f4E2M1FN: [1.0, -1.5]> : tile<2xf4E2M1FN>
  }
}
