// since 13.3
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %0 = make_gather_scatter_view %v : gather_scatter_view<tile=(8x16), padding_value = pos_inf, tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
    %1 = make_gather_scatter_view %v : gather_scatter_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=1>
  }
}
