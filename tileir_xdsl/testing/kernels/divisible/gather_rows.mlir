cuda_tile.module @kernels {
  entry @gather_rows(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<f32>>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg11 : tile<i32>
    %assume_4 = assume div_by<16>, %arg13 : tile<ptr<f32>>
    %assume_5 = assume div_by<16>, %arg16 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_9, %assume_10], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_11 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_12 = make_tensor_view %assume_1, shape = [%assume_11], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_13 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_assume_15 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_16 = assume div_by<16>, %assume_assume_15 : tile<i32>
    %tview_17 = make_tensor_view %assume_2, shape = [%assume_13, %assume_14], strides = [%assume_assume_assume_16, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_18 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %tview_22 = make_tensor_view %assume_4, shape = [%assume_18, %assume_19], strides = [%assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview_12 : partition_view<tile=(8), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(8), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %gsview = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>
    %tile_23, %result_token_24 = load_view_tko weak %gsview[%tile, %cst_4_i32] token = %0 : gather_scatter_view<tile=(8x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x32xf32>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview_25 = make_partition_view %tview_17 : partition_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>>
    %1 = store_view_tko weak %tile_23, %pview_25[%blockId_x, %cst_0_i32] token = %0 : tile<8x32xf32>, partition_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_26 = constant <i32: 0> : tile<i32>
    %gsview_27 = make_gather_scatter_view %tview_22 : gather_scatter_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>
    %2 = store_view_tko weak %tile_23, %gsview_27[%tile, %cst_0_i32_26] token = %0 : tile<8x32xf32>, gather_scatter_view<tile=(8x32), tensor_view<?x?xf32, strides=[?,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> token
    return
  }
}
