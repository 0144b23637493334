// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>) {
    %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q = broadcast %r : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %b = constant <i1: [true, false, true, true]> : tile<4xi1>
    %y = constant <f32: 0.5> : tile<4xf32>
    %0 = make_token : token
    %1, %2 = atomic_rmw_tko relaxed device %q, addf, %y : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
    %3, %4 = atomic_rmw_tko acquire tl_blk %q, xchg, %y, %b token=%0 : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> tile<4xf32>, token
  }
}
