// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %y = constant <f32: 0.5> : tile<4xf32>
    %h = constant <f16: 1.5> : tile<4xf16>
    %0 = addf %x, %y : tile<4xf32>
    %1 = addf %x, %y rounding<negative_inf> flush_to_zero : tile<4xf32>
    %2 = addf %h, %h rounding<positive_inf> : tile<4xf16>
  }
}
