cuda_tile.module @kernels {
  entry @grouped_128x128x64(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<bf16>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg2 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<i32>
    %assume_2 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
    %assume_3 = assume div_by<16>, %arg8 : tile<i32>
    %assume_4 = assume div_by<16>, %arg9 : tile<i32>
    %assume_5 = assume div_by<16>, %arg10 : tile<i32>
    %assume_6 = assume div_by<16>, %arg12 : tile<ptr<i32>>
    %assume_7 = assume div_by<16>, %arg15 : tile<ptr<bf16>>
    %assume_8 = assume div_by<16>, %arg17 : tile<i32>
    %assume_9 = assume div_by<16>, %arg18 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_14 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_13, %assume_assume_assume], strides = [%assume_assume_assume_15, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %assume_16 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_18 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %assume_assume_22 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
    %tview_24 = make_tensor_view %assume_2, shape = [%assume_16, %assume_17, %assume_assume_assume_19], strides = [%assume_assume_assume_21, %assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_25 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_26 = make_tensor_view %assume_6, shape = [%assume_25], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_27 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_assume_28 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
    %assume_assume_30 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
    %tview_32 = make_tensor_view %assume_7, shape = [%assume_27, %assume_assume_assume_29], strides = [%assume_assume_assume_31, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_33, %blockId_y_34, %blockId_z_35 = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview_26 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape = reshape %tile : tile<1xi32> -> tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x128xf32>
    %pview_36 = make_partition_view %tview : partition_view<tile=(128x64), tensor_view<?x?xbf16, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview_36 : partition_view<tile=(128x64), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_37 = constant <i32: 1> : tile<i32>
    %pview_38 = make_partition_view %tview : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %pview_39 = make_partition_view %tview_24 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_37) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<128x128xf32>) {
      %tile_41, %result_token_42 = load_view_tko weak %pview_38[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<128x64xbf16>, token
      %tile_43, %result_token_44 = load_view_tko weak %pview_39[%reshape, %loopIdx, %blockId_y_34] token = %0 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x128xbf16>, token
      %reshape_45 = reshape %tile_43 : tile<1x64x128xbf16> -> tile<64x128xbf16>
      %4 = mmaf %tile_41, %reshape_45, %iterArg0 : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
      continue %4 : tile<128x128xf32>
    }
    %2 = ftof %for  : tile<128x128xf32> -> tile<128x128xbf16>
    %pview_40 = make_partition_view %tview_32 : partition_view<tile=(128x128), tensor_view<?x?xbf16, strides=[?,1]>>
    %3 = store_view_tko weak %2, %pview_40[%blockId_x, %blockId_y_34] token = %0 : tile<128x128xbf16>, partition_view<tile=(128x128), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
