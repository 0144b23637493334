// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %j = constant <i32: 7> : tile<4xi32>
    %0 = xori %i, %j : tile<4xi32>
  }
}
