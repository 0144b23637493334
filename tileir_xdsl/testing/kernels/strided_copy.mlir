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
    %2 = addi %blockId_x, %blockId_y_16 : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %3 = cmpi equal %2, %cst_0_i32, signed : tile<i32> -> tile<i1>
    if %3 {
      %cst_0_i32_19 = constant <i32: 0> : tile<i32>
      %cst_1_i32_20 = constant <i32: 1> : tile<i32>
      %cst_0_i32_21 = constant <i32: 0> : tile<i32>
      %reshape = reshape %assume_2 : tile<i32> -> tile<1x1xi32>
      %pview_22 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
      %4 = store_view_tko weak %reshape, %pview_22[%cst_0_i32_21, %cst_0_i32_19] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
      %cst_1_i32_23 = constant <i32: 1> : tile<i32>
      %reshape_24 = reshape %assume_4 : tile<i32> -> tile<1x1xi32>
      %pview_25 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
      %5 = store_view_tko weak %reshape_24, %pview_25[%cst_1_i32_23, %cst_0_i32_19] token = %4 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
      %cst_2_i32 = constant <i32: 2> : tile<i32>
      %reshape_26 = reshape %assume_8 : tile<i32> -> tile<1x1xi32>
      %pview_27 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
      %6 = store_view_tko weak %reshape_26, %pview_27[%cst_2_i32, %cst_0_i32_19] token = %5 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
      %cst_0_i32_28 = constant <i32: 0> : tile<i32>
      %reshape_29 = reshape %assume_3 : tile<i32> -> tile<1x1xi32>
      %pview_30 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
      %7 = store_view_tko weak %reshape_29, %pview_30[%cst_0_i32_28, %cst_1_i32_20] token = %6 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
      %cst_1_i32_31 = constant <i32: 1> : tile<i32>
      %reshape_32 = reshape %assume_5 : tile<i32> -> tile<1x1xi32>
      %pview_33 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
      %8 = store_view_tko weak %reshape_32, %pview_33[%cst_1_i32_31, %cst_1_i32_20] token = %7 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
      %cst_2_i32_34 = constant <i32: 2> : tile<i32>
      %reshape_35 = reshape %assume_9 : tile<i32> -> tile<1x1xi32>
      %pview_36 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
      %9 = store_view_tko weak %reshape_35, %pview_36[%cst_2_i32_34, %cst_1_i32_20] token = %8 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    } else {
    }
    return
  }
}
