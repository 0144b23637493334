// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %0 = exti %i signed : tile<4xi32> -> tile<4xi64>
    %1 = exti %i unsigned : tile<4xi32> -> tile<4xi64>
  }
}
