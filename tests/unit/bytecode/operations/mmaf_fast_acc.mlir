// since 13.3
cuda_tile.module @kernels {
  entry @kernel() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x32xf8E4M3FN>
    %w = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %0 = mmaf %a, %w, %c fast_acc : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, tile<16x8xf32>
  }
}
