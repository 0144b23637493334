// since 13.4
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %0 = ftof %x : tile<4xf32> -> tile<4xfnv8E5M3FNU>
  }
}
