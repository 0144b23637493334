// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>) {
    %0 = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
  }
}
