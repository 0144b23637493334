// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = make_token : token
    %1 = make_token : token
    %2 = join_tokens %0, %1 : token
    %3 = join_tokens %0, %1, %2 : token
  }
}
