// since 13.3
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = alloca num_elem = 16, alignment = 64 : tile<ptr<f32>>
    %1 = alloca num_elem = 4, alignment = 4 global : tile<ptr<i32>>
  }
}
