// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %0 = itof %i signed : tile<4xi32> -> tile<4xf32>
    %1 = itof %i unsigned : tile<4xi32> -> tile<4xbf16>
  }
}
