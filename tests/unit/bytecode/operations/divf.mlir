// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %y = constant <f32: 0.5> : tile<4xf32>
    %0 = divf %x, %y : tile<4xf32>
    %1 = divf %x, %y rounding<approx> : tile<4xf32>
    %2 = divf %x, %y rounding<full> flush_to_zero : tile<4xf32>
  }
}
