// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<f32>>) {
    %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %q = broadcast %r : tile<1xptr<f32>> -> tile<4xptr<f32>>
    %b = constant <i1: [true, false, true, true]> : tile<4xi1>
    %y = constant <f32: 0.5> : tile<4xf32>
    %a = constant <i64: 4096> : tile<4xi64>
    %0 = make_token : token
    %1, %2 = atomic_rmw_tko relaxed device %q, addf, %y : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
    %3, %4 = atomic_rmw_tko acquire tl_blk %q, xchg, %y, %b token=%0 : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> tile<4xf32>, token
    %5 = int_to_ptr %a : tile<4xi64> -> tile<4xptr<i32>>
    %i = constant <i32: 3> : tile<4xi32>
    %6, %7 = atomic_rmw_tko relaxed device %5, and, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    %8, %9 = atomic_rmw_tko relaxed device %5, or, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    %10, %11 = atomic_rmw_tko relaxed device %5, xor, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    %12, %13 = atomic_rmw_tko relaxed device %5, add, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    %14, %15 = atomic_rmw_tko relaxed device %5, max, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    %16, %17 = atomic_rmw_tko relaxed device %5, min, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    %18, %19 = atomic_rmw_tko relaxed device %5, umax, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
    %20, %21 = atomic_rmw_tko relaxed device %5, umin, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  }
}
