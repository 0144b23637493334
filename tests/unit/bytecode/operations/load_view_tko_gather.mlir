// since 13.3
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %w = make_gather_scatter_view %v : gather_scatter_view<tile=(8x16), padding_value = pos_inf, tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
    %k = iota : tile<8xi32>
    %1, %2 = load_view_tko weak %w[%k, %n] : gather_scatter_view<tile=(8x16), padding_value = pos_inf, tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x16xf32>, token
  }
}
