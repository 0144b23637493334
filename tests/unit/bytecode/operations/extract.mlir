// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%n: tile<i32>) {
    %c = constant <i16: 3> : tile<8x4xi16>
    %0 = extract %c[%n, %n] : tile<8x4xi16> -> tile<2x4xi16>
  }
}
