cuda_tile.module @kernels {
  entry @double_in_place(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<128xi32>
    %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_5 = make_tensor_view %assume_0, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %1 = join_tokens %0, %result_token : token
    %reshape = reshape %arg6 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32>
    %2 = muli %tile, %bcast : tile<128xi32>
    %pview_6 = make_partition_view %tview_5 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
    %3 = store_view_tko weak %2, %pview_6[%blockId_x] token = %1 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %pview_7 = make_partition_view %tview_5 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile_8, %result_token_9 = load_view_tko weak %pview_7[%blockId_x] token = %3 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %4 = join_tokens %3, %result_token_9 : token
    %5 = addi %tile_8, %cst_1_i32_2 : tile<128xi32>
    %pview_10 = make_partition_view %tview : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
    %6 = store_view_tko weak %5, %pview_10[%blockId_x] token = %4 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
