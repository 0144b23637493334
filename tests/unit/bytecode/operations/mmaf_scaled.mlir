// since 13.3
cuda_tile.module @kernels {
  entry @kernel() {
    %a = constant <f8E4M3FN: 1.0> : tile<16x32xf8E4M3FN>
    %w = constant <f8E4M3FN: 1.0> : tile<32x8xf8E4M3FN>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<16x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x8xf8E8M0FNU>
    %0 = mmaf_scaled %a, %w, %c, %s, %t : tile<16x32xf8E4M3FN>, tile<32x8xf8E4M3FN>, tile<16x8xf32>, tile<16x1xf8E8M0FNU>, tile<1x8xf8E8M0FNU>
  }
}
