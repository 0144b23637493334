// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %a = constant <f16: 1.0> : tile<16x32xf16>
    %w = constant <f16: 1.0> : tile<32x8xf16>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    %0 = mmaf %a, %w, %c : tile<16x32xf16>, tile<32x8xf16>, tile<16x8xf32>
  }
}
