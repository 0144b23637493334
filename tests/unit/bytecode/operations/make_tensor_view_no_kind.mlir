// since 13.4
cuda_tile.module @kernels {
  entry @kernel(%q: tile<ptr<f32, <none>>>) {
    %1 = make_tensor_view %q, shape = [32], strides = [1] : tile<ptr<f32, <none>>> -> tensor_view<32xf32, strides=[1], #cuda_tile.ptr_attr<none>>
  }
}
