// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>) {
    %0 = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
  }
}
