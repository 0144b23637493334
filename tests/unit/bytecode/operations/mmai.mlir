// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %a = constant <i8: 1> : tile<16x32xi8>
    %w = constant <i8: 1> : tile<32x8xi8>
    %c = constant <i32: 0> : tile<16x8xi32>
    %0 = mmai %a, %w, %c signed unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
  }
}
