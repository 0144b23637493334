cuda_tile.module @kernels {
  entry @grid_coordinates(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %assume_1 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_1, %assume_2], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_3, %blockId_y_4, %blockId_z_5 = get_tile_block_id : tile<i32>
    %blockId_x_6, %blockId_y_7, %blockId_z_8 = get_tile_block_id : tile<i32>
    %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %gridSize_x_9, %gridSize_y_10, %gridSize_z_11 = get_num_tile_blocks : tile<i32>
    %gridSize_x_12, %gridSize_y_13, %gridSize_z_14 = get_num_tile_blocks : tile<i32>
    %1 = muli %blockId_z_8, %gridSize_y_10 : tile<i32>
    %2 = addi %1, %blockId_y_4 : tile<i32>
    %3 = muli %2, %gridSize_x : tile<i32>
    %4 = addi %3, %blockId_x : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %reshape = reshape %blockId_x : tile<i32> -> tile<1x1xi32>
    %pview = make_partition_view %tview : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %5 = store_view_tko weak %reshape, %pview[%4, %cst_0_i32] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %reshape_16 = reshape %blockId_y_4 : tile<i32> -> tile<1x1xi32>
    %pview_17 = make_partition_view %tview : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_16, %pview_17[%4, %cst_1_i32_15] token = %5 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reshape_18 = reshape %blockId_z_8 : tile<i32> -> tile<1x1xi32>
    %pview_19 = make_partition_view %tview : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %7 = store_view_tko weak %reshape_18, %pview_19[%4, %cst_2_i32] token = %6 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reshape_20 = reshape %gridSize_x : tile<i32> -> tile<1x1xi32>
    %pview_21 = make_partition_view %tview : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %8 = store_view_tko weak %reshape_20, %pview_21[%4, %cst_3_i32] token = %7 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %reshape_22 = reshape %gridSize_y_10 : tile<i32> -> tile<1x1xi32>
    %pview_23 = make_partition_view %tview : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %9 = store_view_tko weak %reshape_22, %pview_23[%4, %cst_4_i32] token = %8 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_5_i32 = constant <i32: 5> : tile<i32>
    %reshape_24 = reshape %gridSize_z_14 : tile<i32> -> tile<1x1xi32>
    %pview_25 = make_partition_view %tview : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %10 = store_view_tko weak %reshape_24, %pview_25[%4, %cst_5_i32] token = %9 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
