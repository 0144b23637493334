cuda_tile.module @kernels {
  entry @cube_roots_f32(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %false = constant <i1: false> : tile<i1>
    %true = constant <i1: true> : tile<i1>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32>
    %1 = cmpf equal ordered %tile, %bcast : tile<128xf32> -> tile<128xi1>
    %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
    %reshape_5 = reshape %cst_1_f32 : tile<f32> -> tile<1xf32>
    %bcast_6 = broadcast %reshape_5 : tile<1xf32> -> tile<128xf32>
    %2 = select %1, %bcast_6, %tile : tile<128xi1>, tile<128xf32>
    %cst_1_f32_7 = constant <f32: 1.000000e+00> : tile<f32>
    %reshape_8 = reshape %cst_1_f32_7 : tile<f32> -> tile<1xf32>
    %bcast_9 = broadcast %reshape_8 : tile<1xf32> -> tile<128xf32>
    %3 = maxf %2, %bcast_9 : tile<128xf32>
    %cst_50_i32 = constant <i32: 50> : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_3_f32 = constant <f32: 3.000000e+00> : tile<f32>
    %reshape_11 = reshape %cst_3_f32 : tile<f32> -> tile<1xf32>
    %bcast_12 = broadcast %reshape_11 : tile<1xf32> -> tile<128xf32>
    %for:2 = for %loopIdx in (%cst_0_i32 to %cst_50_i32, step %cst_1_i32_10) : tile<i32> iter_values(%iterArg0 = %3, %iterArg1 = %false) -> (tile<128xf32>, tile<i1>) {
      if %iterArg1 {
        continue %iterArg0, %iterArg1 : tile<128xf32>, tile<i1>
      } else {
      }
      %5 = mulf %iterArg0, %iterArg0  : tile<128xf32>
      %6 = divf %2, %5  : tile<128xf32>
      %7 = subf %iterArg0, %6  : tile<128xf32>
      %8 = divf %7, %bcast_12  : tile<128xf32>
      %9 = subf %iterArg0, %8  : tile<128xf32>
      %10 = subf %9, %iterArg0  : tile<128xf32>
      %11 = absf %10 : tile<128xf32>
      %12 = divf %11, %iterArg0  : tile<128xf32>
      %reduce = reduce %12 dim=0 identities=[0xFF800000 : f32] : tile<128xf32> -> tile<f32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %14 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %14 : tile<f32>
      }
      %13 = cmpf less_than ordered %reduce, %arg6 : tile<f32> -> tile<i1>
      if %13 {
        continue %9, %true : tile<128xf32>, tile<i1>
      } else {
      }
      continue %9, %iterArg1 : tile<128xf32>, tile<i1>
    }
    %pview_13 = make_partition_view %tview_4 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %4 = store_view_tko weak %for#0, %pview_13[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
