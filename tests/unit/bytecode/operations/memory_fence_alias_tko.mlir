// since 13.4
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = make_token : token
    %1 = memory_fence_alias_tko %0
  }
}
