// since 13.4
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %0 = fpowi %x, %i : tile<4xf32>, tile<4xi32>
  }
}
