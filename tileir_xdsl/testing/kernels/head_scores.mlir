cuda_tile.module @kernels {
  entry @head_scores(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f16>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_64_i32 = constant <i32: 64> : tile<64xi32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_14 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_15, %blockId_y_16, %blockId_z_17 = get_tile_block_id : tile<i32>
    %1 = iota : tile<64xi32>
    %2 = cmpi less_than %1, %cst_64_i32, signed : tile<64xi32> -> tile<64xi1>
    %reshape = reshape %2 : tile<64xi1> -> tile<1x64xi1>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16>, token
    %cst_0_i32_18 = constant <i32: 0> : tile<i32>
    %pview_19 = make_partition_view %tview_10 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %tile_20, %result_token_21 = load_view_tko weak %pview_19[%blockId_y_16, %cst_0_i32_18] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16>, token
    %bcast = broadcast %reshape : tile<1x64xi1> -> tile<64x64xi1>
    %cst_0_f16 = constant <f16: 0.000000e+00> : tile<f16>
    %reshape_22 = reshape %cst_0_f16 : tile<f16> -> tile<1x1xf16>
    %bcast_23 = broadcast %reshape_22 : tile<1x1xf16> -> tile<64x64xf16>
    %3 = select %bcast, %tile, %bcast_23 : tile<64x64xi1>, tile<64x64xf16>
    %bcast_24 = broadcast %reshape : tile<1x64xi1> -> tile<64x64xi1>
    %cst_0_f16_25 = constant <f16: 0.000000e+00> : tile<f16>
    %reshape_26 = reshape %cst_0_f16_25 : tile<f16> -> tile<1x1xf16>
    %bcast_27 = broadcast %reshape_26 : tile<1x1xf16> -> tile<64x64xf16>
    %4 = select %bcast_24, %tile_20, %bcast_27 : tile<64x64xi1>, tile<64x64xf16>
    %5 = permute %4 [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x64xf32>
    %6 = mmaf %3, %5, %cst_0_f32 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %pview_28 = make_partition_view %tview_14 : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
    %7 = store_view_tko weak %6, %pview_28[%blockId_x, %blockId_y_16] token = %0 : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
