cuda_tile.module @kernels {
  entry @rope(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg4 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<i32>
    %assume_2 = assume div_by<16>, %arg7 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg14 : tile<i32>
    %assume_5 = assume div_by<16>, %arg15 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_11 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_12 = assume div_by<16>, %assume_assume_11 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_8, %assume_9, %assume_10], strides = [%assume_assume_assume, %assume_assume_assume_12, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_13 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_14 = make_tensor_view %assume_2, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_15 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_assume_18 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %tview_22 = make_tensor_view %assume_3, shape = [%assume_15, %assume_16, %assume_17], strides = [%assume_assume_assume_19, %assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_23, %blockId_y_24, %blockId_z_25 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview_14 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<32xf32>, token
    %1 = itof %blockId_x signed  : tile<i32> -> tile<f32>
    %reshape = reshape %1 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<32xf32>
    %2 = mulf %tile, %bcast  : tile<32xf32>
    %3 = cos %2 : tile<32xf32>
    %4 = sin %2 : tile<32xf32>
    %cst_0_i32_26 = constant <i32: 0> : tile<i32>
    %pview_27 = make_partition_view %tview : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_28, %result_token_29 = load_view_tko weak %pview_27[%blockId_x, %blockId_y_24, %cst_0_i32_26] token = %0 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x1x32xf32>, token
    %reshape_30 = reshape %tile_28 : tile<1x1x32xf32> -> tile<32xf32>
    %cst_1_i32_31 = constant <i32: 1> : tile<i32>
    %pview_32 = make_partition_view %tview : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_33, %result_token_34 = load_view_tko weak %pview_32[%blockId_x, %blockId_y_24, %cst_1_i32_31] token = %0 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x1x32xf32>, token
    %reshape_35 = reshape %tile_33 : tile<1x1x32xf32> -> tile<32xf32>
    %cst_0_i32_36 = constant <i32: 0> : tile<i32>
    %5 = mulf %reshape_35, %4  : tile<32xf32>
    %6 = negf %5 : tile<32xf32>
    %7 = fma %reshape_30, %3, %6  : tile<32xf32>
    %reshape_37 = reshape %7 : tile<32xf32> -> tile<1x1x32xf32>
    %pview_38 = make_partition_view %tview_22 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %8 = store_view_tko weak %reshape_37, %pview_38[%blockId_x, %blockId_y_24, %cst_0_i32_36] token = %0 : tile<1x1x32xf32>, partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    %cst_1_i32_39 = constant <i32: 1> : tile<i32>
    %9 = mulf %reshape_30, %4  : tile<32xf32>
    %10 = fma %reshape_35, %3, %9  : tile<32xf32>
    %reshape_40 = reshape %10 : tile<32xf32> -> tile<1x1x32xf32>
    %pview_41 = make_partition_view %tview_22 : partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %11 = store_view_tko weak %reshape_40, %pview_41[%blockId_x, %blockId_y_24, %cst_1_i32_39] token = %8 : tile<1x1x32xf32>, partition_view<tile=(1x1x32), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
