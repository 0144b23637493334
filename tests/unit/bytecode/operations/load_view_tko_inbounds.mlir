// since 13.4
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %w = make_partition_view %v : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>
    %1, %2 = load_view_tko weak %w[%n, %n] inbounds = [true, false] : partition_view<tile=(8x16), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x16xf32>, token
  }
}
