// since 13.4
cuda_tile.module @kernels {
  entry @kernel(%n: tile<i32>) {
    %c = constant <i16: 3> : tile<8x4xi16>
    %s = constant <i16: 4> : tile<2x4xi16>
    %0 = insert %s, %c[%n, %n] : tile<2x4xi16>, tile<8x4xi16>
  }
}
