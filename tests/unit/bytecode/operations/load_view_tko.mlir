// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %w = make_partition_view %v : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>
    %0 = make_token : token
    %1, %2 = load_view_tko weak %w[%n, %n] : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x16xf32>, token
    %3, %4 = load_view_tko acquire device %w[%n, %n] token = %0 optimization_hints = <sm_100 = {allow_tma = false, latency = 4}> : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x16xf32>, token
  }
}
