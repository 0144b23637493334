cuda_tile.module @kernels {
  entry @softmax_online(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %cst_f32 = constant <f32: -1.000000e+30> : tile<1x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1x1xf32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %pview_10 = make_partition_view %tview : partition_view<tile=(1x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
    %for:2 = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_9) : tile<i32> iter_values(%iterArg0 = %cst_f32, %iterArg1 = %cst_0_f32) -> (tile<1x1xf32>, tile<1x1xf32>) {
      %tile, %result_token = load_view_tko weak %pview_10[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(1x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
      %reduce = reduce %tile dim=1 identities=[0xFF800000 : f32] : tile<1x128xf32> -> tile<1xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %8 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %8 : tile<f32>
      }
      %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
      %2 = maxf %iterArg0, %reshape : tile<1x1xf32>
      %3 = subf %iterArg0, %2  : tile<1x1xf32>
      %4 = exp %3  : tile<1x1xf32>
      %bcast_16 = broadcast %2 : tile<1x1xf32> -> tile<1x128xf32>
      %5 = subf %tile, %bcast_16  : tile<1x128xf32>
      %6 = exp %5  : tile<1x128xf32>
      %reduce_17 = reduce %6 dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %8 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %8 : tile<f32>
      }
      %reshape_18 = reshape %reduce_17 : tile<1xf32> -> tile<1x1xf32>
      %7 = fma %iterArg1, %4, %reshape_18  : tile<1x1xf32>
      continue %2, %7 : tile<1x1xf32>, tile<1x1xf32>
    }
    %cst_0_i32_11 = constant <i32: 0> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %pview_13 = make_partition_view %tview : partition_view<tile=(1x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
    %bcast = broadcast %for#0 : tile<1x1xf32> -> tile<1x128xf32>
    %bcast_14 = broadcast %for#1 : tile<1x1xf32> -> tile<1x128xf32>
    %pview_15 = make_partition_view %tview_8 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    for %loopIdx in (%cst_0_i32_11 to %1#1, step %cst_1_i32_12) : tile<i32> {
      %tile, %result_token = load_view_tko weak %pview_13[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(1x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
      %2 = subf %tile, %bcast  : tile<1x128xf32>
      %3 = exp %2  : tile<1x128xf32>
      %4 = divf %3, %bcast_14  : tile<1x128xf32>
      %5 = store_view_tko weak %4, %pview_15[%blockId_x, %loopIdx] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    }
    return
  }
}
