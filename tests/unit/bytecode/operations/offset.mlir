// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>) {
    %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q = broadcast %r : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %0 = offset %q, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  }
}
