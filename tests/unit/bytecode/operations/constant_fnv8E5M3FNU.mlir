// since 13.4
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = constant <fnv8E5M3FNU: [1.0, 4.0]> : tile<2xfnv8E5M3FNU>
  }
}
