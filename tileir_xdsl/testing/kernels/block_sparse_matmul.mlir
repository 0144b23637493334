cuda_tile.module @kernels {
  entry @block_sparse_matmul(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i8>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i8>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i8>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<i8>>
    %assume_2 = assume div_by<16>, %arg15 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_0_i8 = constant <i8: 0> : tile<1x1xi8>
    %cst_0_i8_6 = constant <i8: 0> : tile<64x64xi8>
    %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_10 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_13 = make_tensor_view %assume_0, shape = [%assume_10, %assume_11], strides = [%assume_12, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_14 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_17 = make_tensor_view %assume_1, shape = [%assume_14, %assume_15], strides = [%assume_16, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_18 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg18 : tile<i32>
    %tview_21 = make_tensor_view %assume_2, shape = [%assume_18, %assume_19], strides = [%assume_20, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_22, %blockId_y_23, %blockId_z_24 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<64x64xi32>
    %pview = make_partition_view %tview : partition_view<tile=(64x64), tensor_view<?x?xi8, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(64x64), tensor_view<?x?xi8, strides=[?,1]>> -> tile<i32>
    %cst_0_i32_25 = constant <i32: 0> : tile<i32>
    %cst_1_i32_26 = constant <i32: 1> : tile<i32>
    %pview_27 = make_partition_view %tview_17 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>
    %pview_28 = make_partition_view %tview : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %pview_29 = make_partition_view %tview_13 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %for = for %loopIdx in (%cst_0_i32_25 to %1#1, step %cst_1_i32_26) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<64x64xi32>) {
      %tile, %result_token = load_view_tko weak %pview_27[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(1x1), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<1x1xi8>, token
      %3 = cmpi not_equal %tile, %cst_0_i8, signed : tile<1x1xi8> -> tile<1x1xi1>
      %tile_31, %result_token_32 = load_view_tko weak %pview_28[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<64x64xi8>, token
      %tile_33, %result_token_34 = load_view_tko weak %pview_29[%loopIdx, %blockId_y_23] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<64x64xi8>, token
      %bcast = broadcast %3 : tile<1x1xi1> -> tile<64x64xi1>
      %4 = select %bcast, %tile_31, %cst_0_i8_6 : tile<64x64xi1>, tile<64x64xi8>
      %5 = mmai %4, %tile_33, %iterArg0 signed signed : tile<64x64xi8>, tile<64x64xi8>, tile<64x64xi32>
      continue %5 : tile<64x64xi32>
    }
    %pview_30 = make_partition_view %tview_21 : partition_view<tile=(64x64), tensor_view<?x?xi32, strides=[?,1]>>
    %2 = store_view_tko weak %for, %pview_30[%blockId_x, %blockId_y_23] token = %0 : tile<64x64xi32>, partition_view<tile=(64x64), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
