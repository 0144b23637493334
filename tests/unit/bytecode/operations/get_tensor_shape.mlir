// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %0:2 = get_tensor_shape %v : tensor_view<?x64xf32, strides=[64,1]> -> tile<i64>
    %1 = addi %0#0, %0#1 : tile<i64>
  }
}
