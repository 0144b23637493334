cuda_tile.module @kernels {
  entry @rope(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<f32>>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg12 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg17 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg5 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7, %assume_8], strides = [%assume_9, %assume_10, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_11 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg10 : tile<i32>
    %tview_14 = make_tensor_view %assume_0, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_15 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg15 : tile<i32>
    %tview_18 = make_tensor_view %assume_1, shape = [%assume_15, %assume_16], strides = [%assume_17, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_19 = assume bounded<0, ?>, %arg18 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg19 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_22 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg22 : tile<i32>
    %tview_24 = make_tensor_view %assume_2, shape = [%assume_19, %assume_20, %assume_21], strides = [%assume_22, %assume_23, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_25 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32, %cst_0_i32_25] token = %0 : partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x8x64xf32>, token
    %cst_0_i32_26 = constant <i32: 0> : tile<i32>
    %cst_1_i32_27 = constant <i32: 1> : tile<i32>
    %pview_28 = make_partition_view %tview : partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_29, %result_token_30 = load_view_tko weak %pview_28[%blockId_x, %cst_0_i32_26, %cst_1_i32_27] token = %0 : partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x8x64xf32>, token
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %pview_32 = make_partition_view %tview_14 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_33, %result_token_34 = load_view_tko weak %pview_32[%blockId_x, %cst_0_i32_31] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %reshape = reshape %tile_33 : tile<1x64xf32> -> tile<1x1x64xf32>
    %cst_0_i32_35 = constant <i32: 0> : tile<i32>
    %pview_36 = make_partition_view %tview_18 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
    %tile_37, %result_token_38 = load_view_tko weak %pview_36[%blockId_x, %cst_0_i32_35] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %reshape_39 = reshape %tile_37 : tile<1x64xf32> -> tile<1x1x64xf32>
    %cst_0_i32_40 = constant <i32: 0> : tile<i32>
    %cst_0_i32_41 = constant <i32: 0> : tile<i32>
    %bcast = broadcast %reshape : tile<1x1x64xf32> -> tile<1x8x64xf32>
    %bcast_42 = broadcast %reshape_39 : tile<1x1x64xf32> -> tile<1x8x64xf32>
    %1 = mulf %tile_29, %bcast_42  : tile<1x8x64xf32>
    %2 = negf %1 : tile<1x8x64xf32>
    %3 = fma %tile, %bcast, %2  : tile<1x8x64xf32>
    %pview_43 = make_partition_view %tview_24 : partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %4 = store_view_tko weak %3, %pview_43[%blockId_x, %cst_0_i32_40, %cst_0_i32_41] token = %0 : tile<1x8x64xf32>, partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    %cst_0_i32_44 = constant <i32: 0> : tile<i32>
    %cst_1_i32_45 = constant <i32: 1> : tile<i32>
    %bcast_46 = broadcast %reshape : tile<1x1x64xf32> -> tile<1x8x64xf32>
    %bcast_47 = broadcast %reshape_39 : tile<1x1x64xf32> -> tile<1x8x64xf32>
    %5 = mulf %tile, %bcast_47  : tile<1x8x64xf32>
    %6 = fma %tile_29, %bcast_46, %5  : tile<1x8x64xf32>
    %pview_48 = make_partition_view %tview_24 : partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %7 = store_view_tko weak %6, %pview_48[%blockId_x, %cst_0_i32_44, %cst_1_i32_45] token = %4 : tile<1x8x64xf32>, partition_view<tile=(1x8x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
