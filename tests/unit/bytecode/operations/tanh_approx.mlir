// since 13.2
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %0 = tanh %x rounding<approx> : tile<4xf32>
  }
}
