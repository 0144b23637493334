// since 13.2
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = constant <f8E8M0FNU: [1.0, 4.0]> : tile<2xf8E8M0FNU>
  }
}
