// since 13.5
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32, <multicast>>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tile<ptr<f32, <multicast>>> -> tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
    %w = make_partition_view %v : partition_view<tile=(8x16), tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
    %t = make_token : token
    %0, %1 = multimem_load_reduce_view_tko weak %w[%n, %n] : partition_view<tile=(8x16), tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x16xf32>, token
    %2, %3 = multimem_load_reduce_view_tko relaxed sys %w[%n, %n] token = %t inbounds = [true, true] : partition_view<tile=(8x16), tensor_view<32x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<8x16xf32>, token
  }
}
