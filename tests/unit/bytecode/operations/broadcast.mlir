// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%n: tile<i32>) {
    %r = reshape %n : tile<i32> -> tile<1x1xi32>
    %0 = broadcast %r : tile<1x1xi32> -> tile<8x4xi32>
  }
}
