cuda_tile.module @kernels {
  entry @permute_3d(%arg0: tile<ptr<i16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i16>>
    %assume_0 = assume div_by<16>, %arg4 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<i32>
    %assume_2 = assume div_by<16>, %arg7 : tile<ptr<i16>>
    %assume_3 = assume div_by<16>, %arg11 : tile<i32>
    %assume_4 = assume div_by<16>, %arg12 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_9 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_10 = assume div_by<16>, %assume_assume_9 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7, %assume_8], strides = [%assume_assume_assume, %assume_assume_assume_10, 1] : tile<i32> -> tensor_view<?x?x?xi16, strides=[?,?,1]>
    %assume_11 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_assume_14 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
    %assume_assume_16 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_17 = assume div_by<16>, %assume_assume_16 : tile<i32>
    %tview_18 = make_tensor_view %assume_2, shape = [%assume_11, %assume_12, %assume_13], strides = [%assume_assume_assume_15, %assume_assume_assume_17, 1] : tile<i32> -> tensor_view<?x?x?xi16, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_19 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(4x8x16), tensor_view<?x?x?xi16, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_19] token = %0 : partition_view<tile=(4x8x16), tensor_view<?x?x?xi16, strides=[?,?,1]>>, tile<i32> -> tile<4x8x16xi16>, token
    %cst_0_i32_20 = constant <i32: 0> : tile<i32>
    %blockId_x_21, %blockId_y_22, %blockId_z_23 = get_tile_block_id : tile<i32>
    %cst_0_i32_24 = constant <i32: 0> : tile<i32>
    %1 = permute %tile [2, 0, 1] : tile<4x8x16xi16> -> tile<16x4x8xi16>
    %pview_25 = make_partition_view %tview_18 : partition_view<tile=(16x4x8), tensor_view<?x?x?xi16, strides=[?,?,1]>>
    %2 = store_view_tko weak %1, %pview_25[%cst_0_i32_20, %blockId_x_21, %cst_0_i32_24] token = %0 : tile<16x4x8xi16>, partition_view<tile=(16x4x8), tensor_view<?x?x?xi16, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
