// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %c = constant <f32: 1.0> : tile<8x16xf32>
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %w = make_partition_view %v : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>
    %0 = make_token : token
    %1 = store_view_tko weak %c, %w[%n, %n] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %2 = store_view_tko release sys %c, %w[%n, %n] token = %0 optimization_hints = <default = {latency = 2}> : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  }
}
