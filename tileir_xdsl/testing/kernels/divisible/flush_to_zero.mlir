cuda_tile.module @kernels {
  entry @flush_to_zero(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg9 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %pview_11 = make_partition_view %tview_7 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %1 = addf %tile, %tile_12  flush_to_zero : tile<128xf32>
    %reshape = reshape %1 : tile<128xf32> -> tile<1x128xf32>
    %pview_14 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %reshape, %pview_14[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %3 = subf %tile, %tile_12  flush_to_zero : tile<128xf32>
    %reshape_16 = reshape %3 : tile<128xf32> -> tile<1x128xf32>
    %pview_17 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_16, %pview_17[%cst_1_i32_15, %blockId_x] token = %2 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %cst_f32 = constant <f32: 5.000000e-01> : tile<f32>
    %reshape_18 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape_18 : tile<1xf32> -> tile<128xf32>
    %5 = mulf %tile, %bcast  flush_to_zero : tile<128xf32>
    %reshape_19 = reshape %5 : tile<128xf32> -> tile<1x128xf32>
    %pview_20 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_19, %pview_20[%cst_2_i32, %blockId_x] token = %4 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
    %reshape_21 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
    %bcast_22 = broadcast %reshape_21 : tile<1xf32> -> tile<128xf32>
    %7 = divf %tile, %bcast_22  flush_to_zero : tile<128xf32>
    %reshape_23 = reshape %7 : tile<128xf32> -> tile<1x128xf32>
    %pview_24 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %8 = store_view_tko weak %reshape_23, %pview_24[%cst_3_i32, %blockId_x] token = %6 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %9 = maxf %tile, %tile_12 flush_to_zero : tile<128xf32>
    %reshape_25 = reshape %9 : tile<128xf32> -> tile<1x128xf32>
    %pview_26 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %10 = store_view_tko weak %reshape_25, %pview_26[%cst_4_i32, %blockId_x] token = %8 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_5_i32 = constant <i32: 5> : tile<i32>
    %11 = minf %tile, %tile_12 flush_to_zero : tile<128xf32>
    %reshape_27 = reshape %11 : tile<128xf32> -> tile<1x128xf32>
    %pview_28 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %12 = store_view_tko weak %reshape_27, %pview_28[%cst_5_i32, %blockId_x] token = %10 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_6_i32 = constant <i32: 6> : tile<i32>
    %13 = mulf %tile, %tile  : tile<128xf32>
    %14 = sqrt %13  flush_to_zero : tile<128xf32>
    %reshape_29 = reshape %14 : tile<128xf32> -> tile<1x128xf32>
    %pview_30 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %15 = store_view_tko weak %reshape_29, %pview_30[%cst_6_i32, %blockId_x] token = %12 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_7_i32 = constant <i32: 7> : tile<i32>
    %16 = exp2 %tile flush_to_zero : tile<128xf32>
    %reshape_31 = reshape %16 : tile<128xf32> -> tile<1x128xf32>
    %pview_32 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %17 = store_view_tko weak %reshape_31, %pview_32[%cst_7_i32, %blockId_x] token = %15 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_f32_33 = constant <f32: 5.000000e-01> : tile<f32>
    %reshape_34 = reshape %cst_f32_33 : tile<f32> -> tile<1xf32>
    %bcast_35 = broadcast %reshape_34 : tile<1xf32> -> tile<128xf32>
    %18 = fma %tile, %bcast_35, %tile_12  flush_to_zero : tile<128xf32>
    %cst_8_i32 = constant <i32: 8> : tile<i32>
    %reshape_36 = reshape %18 : tile<128xf32> -> tile<1x128xf32>
    %pview_37 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %19 = store_view_tko weak %reshape_36, %pview_37[%cst_8_i32, %blockId_x] token = %17 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
