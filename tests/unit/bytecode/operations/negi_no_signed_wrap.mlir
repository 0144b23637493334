// since 13.2
cuda_tile.module @kernels {
  entry @kernel() {
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %0 = negi %i overflow<no_signed_wrap> : tile<4xi32>
  }
}
