// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %b = constant <i1: [true, false, true, true]> : tile<4xi1>
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %y = constant <f32: 0.5> : tile<4xf32>
    %0 = select %b, %x, %y : tile<4xi1>, tile<4xf32>
  }
}
