cuda_tile.module @kernels {
  entry @broadcast_outer(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_11, %blockId_y_12, %blockId_z_13 = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
    %pview_14 = make_partition_view %tview_6 : partition_view<tile=(64), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile_15, %result_token_16 = load_view_tko weak %pview_14[%blockId_y_12] token = %0 : partition_view<tile=(64), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %reshape = reshape %tile : tile<16xi32> -> tile<16x1xi32>
    %reshape_17 = reshape %tile_15 : tile<64xi32> -> tile<1x64xi32>
    %bcast = broadcast %reshape : tile<16x1xi32> -> tile<16x64xi32>
    %bcast_18 = broadcast %reshape_17 : tile<1x64xi32> -> tile<16x64xi32>
    %1 = muli %bcast, %bcast_18 : tile<16x64xi32>
    %bcast_19 = broadcast %reshape : tile<16x1xi32> -> tile<16x64xi32>
    %2 = addi %1, %bcast_19 : tile<16x64xi32>
    %cst_3_i32 = constant <i32: 3> : tile<16x64xi32>
    %3 = addi %2, %cst_3_i32 : tile<16x64xi32>
    %pview_20 = make_partition_view %tview_10 : partition_view<tile=(16x64), tensor_view<?x?xi32, strides=[?,1]>>
    %4 = store_view_tko weak %3, %pview_20[%blockId_x, %blockId_y_12] token = %0 : tile<16x64xi32>, partition_view<tile=(16x64), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
