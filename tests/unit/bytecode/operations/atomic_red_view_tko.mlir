// since 13.3
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %c = constant <f32: 1.0> : tile<8x16xf32>
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %w = make_partition_view %v : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>
    %0 = make_token : token
    %1 = atomic_red_view_tko relaxed device %w[%n, %n], addf, %c : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %2 = atomic_red_view_tko relaxed tl_blk %w[%n, %n], addf, %c token = %0 : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  }
}
