cuda_tile.module @kernels {
  entry @product_f8_256x128x128(%arg0: tile<ptr<f8E4M3FN>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f8E4M3FN>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f8E4M3FN>>
    %assume_0 = assume div_by<16>, %arg2 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<i32>
    %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f8E4M3FN>>
    %assume_3 = assume div_by<16>, %arg7 : tile<i32>
    %assume_4 = assume div_by<16>, %arg8 : tile<i32>
    %assume_5 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_6 = assume div_by<16>, %arg12 : tile<i32>
    %assume_7 = assume div_by<16>, %arg13 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_11 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_12 = assume div_by<16>, %assume_assume_11 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_10, %assume_assume_assume], strides = [%assume_assume_assume_12, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_assume_14 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
    %assume_assume_16 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_17 = assume div_by<16>, %assume_assume_16 : tile<i32>
    %tview_18 = make_tensor_view %assume_2, shape = [%assume_13, %assume_assume_assume_15], strides = [%assume_assume_assume_17, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_19 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %assume_assume_22 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
    %tview_24 = make_tensor_view %assume_5, shape = [%assume_19, %assume_assume_assume_21], strides = [%assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_25, %blockId_y_26, %blockId_z_27 = get_tile_block_id : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<256x128xf32>
    %pview = make_partition_view %tview : partition_view<tile=(256x128), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(256x128), tensor_view<?x?xf8E4M3FN, strides=[?,1]>> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_28 = constant <i32: 1> : tile<i32>
    %pview_29 = make_partition_view %tview : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %pview_30 = make_partition_view %tview_18 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_28) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<256x128xf32>) {
      %tile, %result_token = load_view_tko weak %pview_29[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<256x128xf8E4M3FN>, token
      %tile_32, %result_token_33 = load_view_tko weak %pview_30[%loopIdx, %blockId_y_26] token = %0 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<128x128xf8E4M3FN>, token
      %3 = mmaf %tile, %tile_32, %iterArg0 : tile<256x128xf8E4M3FN>, tile<128x128xf8E4M3FN>, tile<256x128xf32>
      continue %3 : tile<256x128xf32>
    }
    %pview_31 = make_partition_view %tview_24 : partition_view<tile=(256x128), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %for, %pview_31[%blockId_x, %blockId_y_26] token = %0 : tile<256x128xf32>, partition_view<tile=(256x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
