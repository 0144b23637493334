cuda_tile.module @kernels {
  entry @rope(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg5 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5, %assume_6], strides = [%assume_7, %assume_8, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_10 = make_tensor_view %assume_0, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg15 : tile<i32>
    %tview_16 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12, %assume_13], strides = [%assume_14, %assume_15, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_17, %blockId_y_18, %blockId_z_19 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview_10 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %1 = itof %blockId_x signed  : tile<i32> -> tile<f32>
    %reshape = reshape %1 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<32xf32>
    %2 = mulf %tile, %bcast  : tile<32xf32>
    %3 = cos %2 : tile<32xf32>
    %4 = sin %2 : tile<32xf32>
    %cst_0_i32_20 = constant <i32: 0> : tile<i32>
    %pview_21 = make_partition_view %tview : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_22, %result_token_23 = load_view_tko weak %pview_21[%blockId_x, %blockId_y_18, %cst_0_i32_20] token = %0 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x1x32xf32>, token
    %reshape_24 = reshape %tile_22 : tile<1x1x32xf32> -> tile<32xf32>
    %cst_1_i32_25 = constant <i32: 1> : tile<i32>
    %pview_26 = make_partition_view %tview : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_27, %result_token_28 = load_view_tko weak %pview_26[%blockId_x, %blockId_y_18, %cst_1_i32_25] token = %0 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x1x32xf32>, token
    %reshape_29 = reshape %tile_27 : tile<1x1x32xf32> -> tile<32xf32>
    %cst_0_i32_30 = constant <i32: 0> : tile<i32>
    %5 = mulf %reshape_29, %4  : tile<32xf32>
    %6 = negf %5 : tile<32xf32>
    %7 = fma %reshape_24, %3, %6  : tile<32xf32>
    %reshape_31 = reshape %7 : tile<32xf32> -> tile<1x1x32xf32>
    %pview_32 = make_partition_view %tview_16 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %8 = store_view_tko weak %reshape_31, %pview_32[%blockId_x, %blockId_y_18, %cst_0_i32_30] token = %0 : tile<1x1x32xf32>, partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    %cst_1_i32_33 = constant <i32: 1> : tile<i32>
    %9 = mulf %reshape_24, %4  : tile<32xf32>
    %10 = fma %reshape_29, %3, %9  : tile<32xf32>
    %reshape_34 = reshape %10 : tile<32xf32> -> tile<1x1x32xf32>
    %pview_35 = make_partition_view %tview_16 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %11 = store_view_tko weak %reshape_34, %pview_35[%blockId_x, %blockId_y_18, %cst_1_i32_33] token = %8 : tile<1x1x32xf32>, partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
