// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%n: tile<i64>) {
    %0 = int_to_ptr %n : tile<i64> -> tile<ptr<f32>>
  }
}
