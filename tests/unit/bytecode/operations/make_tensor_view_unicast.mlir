// since 13.5
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32, <unicast>>>) {
    %0 = make_tensor_view %p, shape = [32], strides = [1] : tile<ptr<f32, <unicast>>> -> tensor_view<32xf32, strides=[1], #cuda_tile.ptr_attr<unicast>>
  }
}
