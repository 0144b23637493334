cuda_tile.module @kernels {
  entry @block_sparse_matmul(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i8>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i8>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<i8>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<i8>>
    %assume_4 = assume div_by<16>, %arg13 : tile<i32>
    %assume_5 = assume div_by<16>, %arg15 : tile<ptr<i32>>
    %assume_6 = assume div_by<16>, %arg18 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %cst_0_i8 = constant <i8: 0> : tile<1x1xi8>
    %cst_0_i8_10 = constant <i8: 0> : tile<64x64xi8>
    %assume_11 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_11, %assume_12], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_15 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_16 = assume div_by<16>, %assume_assume_15 : tile<i32>
    %tview_17 = make_tensor_view %assume_1, shape = [%assume_13, %assume_14], strides = [%assume_assume_assume_16, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_18 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %tview_22 = make_tensor_view %assume_3, shape = [%assume_18, %assume_19], strides = [%assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_23 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_assume_25 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_26 = assume div_by<16>, %assume_assume_25 : tile<i32>
    %tview_27 = make_tensor_view %assume_5, shape = [%assume_23, %assume_24], strides = [%assume_assume_assume_26, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_28, %blockId_y_29, %blockId_z_30 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<64x64xi32>
    %pview = make_partition_view %tview : partition_view<tile=(64x64), tensor_view<?x?xi8, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(64x64), tensor_view<?x?xi8, strides=[?,1]>> -> tile<i32>
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %cst_1_i32_32 = constant <i32: 1> : tile<i32>
    %pview_33 = make_partition_view %tview_22 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>
    %pview_34 = make_partition_view %tview : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %pview_35 = make_partition_view %tview_17 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %for = for %loopIdx in (%cst_0_i32_31 to %1#1, step %cst_1_i32_32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<64x64xi32>) {
      %tile, %result_token = load_view_tko weak %pview_33[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<1x1xi8>, token
      %3 = cmpi not_equal %tile, %cst_0_i8, signed : tile<1x1xi8> -> tile<1x1xi1>
      %tile_37, %result_token_38 = load_view_tko weak %pview_34[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<64x64xi8>, token
      %tile_39, %result_token_40 = load_view_tko weak %pview_35[%loopIdx, %blockId_y_29] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<64x64xi8>, token
      %bcast = broadcast %3 : tile<1x1xi1> -> tile<64x64xi1>
      %4 = select %bcast, %tile_37, %cst_0_i8_10 : tile<64x64xi1>, tile<64x64xi8>
      %5 = mmai %4, %tile_39, %iterArg0 signed signed : tile<64x64xi8>, tile<64x64xi8>, tile<64x64xi32>
      continue %5 : tile<64x64xi32>
    }
    %pview_36 = make_partition_view %tview_27 : partition_view<tile=(64x64), tensor_view<?x?xi32, strides=[?,1]>>
    %2 = store_view_tko weak %for, %pview_36[%blockId_x, %blockId_y_29] token = %0 : tile<64x64xi32>, partition_view<tile=(64x64), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
