cuda_tile.module @kernels {
  entry @sample_tiles(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_6 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_8 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_9 = assume div_by<16>, %assume_assume_8 : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_6, %assume_7], strides = [%assume_assume_assume_9, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %sview = make_strided_view %tview : strided_view<tile=(2x4), traversal_strides=[8,16], tensor_view<?x?xf32, strides=[?,1]>>
    %1:2 = get_index_space_shape %sview : strided_view<tile=(2x4), traversal_strides=[8,16], tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %sview_12 = make_strided_view %tview : strided_view<tile=(2x4), traversal_strides=[8,16], tensor_view<?x?xf32, strides=[?,1]>>
    %2:2 = get_index_space_shape %sview_12 : strided_view<tile=(2x4), traversal_strides=[8,16], tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %sview_13 = make_strided_view %tview : strided_view<tile=(2x4), traversal_strides=[8,16], padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %sview_14 = make_strided_view %tview_10 : strided_view<tile=(2x4), traversal_strides=[4,8], tensor_view<?x?xf32, strides=[?,1]>>
    %for = for %loopIdx in (%cst_0_i32 to %1#0, step %cst_1_i32_11) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
      %for_15 = for %loopIdx_16 in (%blockId_x to %2#1, step %gridSize_x) : tile<i32> iter_values(%iterArg0_17 = %iterArg0) -> (token) {
        %tile, %result_token = load_view_tko weak %sview_13[%loopIdx, %loopIdx_16] token = %0 : strided_view<tile=(2x4), traversal_strides=[8,16], padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<2x4xf32>, token
        %3 = store_view_tko weak %tile, %sview_14[%loopIdx, %loopIdx_16] token = %iterArg0_17 : tile<2x4xf32>, strided_view<tile=(2x4), traversal_strides=[4,8], tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
        continue %3 : token
      }
      continue %for_15 : token
    }
    return
  }
}
