cuda_tile.module @kernels {
  entry @guessed_rsqrt(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<128xi32>
    %cst_1597463007_i32 = constant <i32: 1597463007> : tile<128xi32>
    %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_5 = make_tensor_view %assume_0, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %1 = bitcast %tile : tile<128xf32> -> tile<128xi32>
    %2 = shri %1, %cst_1_i32_2 signed : tile<128xi32>
    %3 = subi %cst_1597463007_i32, %2 : tile<128xi32>
    %4 = bitcast %3 : tile<128xi32> -> tile<128xf32>
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_f32 = constant <f32: 1.500000e+00> : tile<f32>
    %cst_f32_7 = constant <f32: 5.000000e-01> : tile<f32>
    %reshape = reshape %cst_f32_7 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32>
    %5 = mulf %bcast, %tile  : tile<128xf32>
    %reshape_8 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast_9 = broadcast %reshape_8 : tile<1xf32> -> tile<128xf32>
    %for = for %loopIdx in (%cst_0_i32 to %cst_3_i32, step %cst_1_i32_6) : tile<i32> iter_values(%iterArg0 = %4) -> (tile<128xf32>) {
      %7 = mulf %5, %iterArg0  : tile<128xf32>
      %8 = negf %7 : tile<128xf32>
      %9 = fma %8, %iterArg0, %bcast_9  : tile<128xf32>
      %10 = mulf %iterArg0, %9  : tile<128xf32>
      continue %10 : tile<128xf32>
    }
    %pview_10 = make_partition_view %tview_5 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %6 = store_view_tko weak %for, %pview_10[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
