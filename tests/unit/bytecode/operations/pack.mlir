// since 13.3
cuda_tile.module @kernels {
  entry @kernel() {
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %0 = pack %i : tile<4xi32> -> tile<16xi8>
  }
}
