cuda_tile.module @kernels {
  entry @strided_copy(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, %assume_5] : tile<i32> -> tensor_view<?x?xi32, strides=[?,?]>
    %assume_6 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_10 = make_tensor_view %assume_0, shape = [%assume_6, %assume_7], strides = [%assume_8, %assume_9] : tile<i32> -> tensor_view<?x?xi32, strides=[?,?]>
    %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_14 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_15, %blockId_y_16, %blockId_z_17 = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(16x16), tensor_view<?x?xi32, strides=[?,?]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_16] token = %0 : partition_view<tile=(16x16), tensor_view<?x?xi32, strides=[?,?]>>, tile<i32> -> tile<16x16xi32>, token
    %pview_18 = make_partition_view %tview_10 : partition_view<tile=(16x16), tensor_view<?x?xi32, strides=[?,?]>>
    %1 = store_view_tko weak %tile, %pview_18[%blockId_x, %blockId_y_16] token = %0 : tile<16x16xi32>, partition_view<tile=(16x16), tensor_view<?x?xi32, strides=[?,?]>>, tile<i32> -> token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_19 = constant <i32: 1> : tile<i32>
    %cst_0_i32_20 = constant <i32: 0> : tile<i32>
    %reshape = reshape %assume_2 : tile<i32> -> tile<1x1xi32>
    %pview_21 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %2 = store_view_tko weak %reshape, %pview_21[%cst_0_i32_20, %cst_0_i32] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_22 = constant <i32: 1> : tile<i32>
    %reshape_23 = reshape %assume_4 : tile<i32> -> tile<1x1xi32>
    %pview_24 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %3 = store_view_tko weak %reshape_23, %pview_24[%cst_1_i32_22, %cst_0_i32] token = %2 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reshape_25 = reshape %assume_8 : tile<i32> -> tile<1x1xi32>
    %pview_26 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_25, %pview_26[%cst_2_i32, %cst_0_i32] token = %3 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_27 = constant <i32: 0> : tile<i32>
    %reshape_28 = reshape %assume_3 : tile<i32> -> tile<1x1xi32>
    %pview_29 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %5 = store_view_tko weak %reshape_28, %pview_29[%cst_0_i32_27, %cst_1_i32_19] token = %4 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_30 = constant <i32: 1> : tile<i32>
    %reshape_31 = reshape %assume_5 : tile<i32> -> tile<1x1xi32>
    %pview_32 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_31, %pview_32[%cst_1_i32_30, %cst_1_i32_19] token = %5 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32_33 = constant <i32: 2> : tile<i32>
    %reshape_34 = reshape %assume_9 : tile<i32> -> tile<1x1xi32>
    %pview_35 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %7 = store_view_tko weak %reshape_34, %pview_35[%cst_2_i32_33, %cst_1_i32_19] token = %6 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
