// since 13.3
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %0 = make_strided_view %v : strided_view<tile=(8x16), traversal_strides=[4,3], padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    %1 = make_strided_view %v : strided_view<tile=(8x16), traversal_strides=[4,3], tensor_view<?x64xf32, strides=[64,1]>, dim_map=[1, 0]>
  }
}
