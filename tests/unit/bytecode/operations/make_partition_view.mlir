// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %0 = make_partition_view %v : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>
    %1 = make_partition_view %v : partition_view<tile=(8x16), padding_value = nan, tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
    %2 = make_partition_view %v : partition_view<tile=(8x16), padding_value = neg_zero, tensor_view<?x64xf32, strides=[64,1]>>
  }
}
