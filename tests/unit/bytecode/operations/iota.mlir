// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = iota : tile<128xi32>
    %1 = iota : tile<128xi8>
  }
}
