cuda_tile.module @kernels {
  entry @conversion_rounding(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<bf16>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f32>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f64>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<i32>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<f16>>
    %assume_3 = assume div_by<16>, %arg11 : tile<ptr<bf16>>
    %assume_4 = assume div_by<16>, %arg14 : tile<ptr<f32>>
    %assume_5 = assume div_by<16>, %arg17 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
    %assume_11 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg5 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview_13 = make_tensor_view %assume_0, shape = [%assume_11, %assume_12], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_14 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_15 = make_tensor_view %assume_2, shape = [%assume_14], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
    %assume_16 = assume bounded<0, ?>, %arg12 : tile<i32>
    %tview_17 = make_tensor_view %assume_3, shape = [%assume_16], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
    %assume_18 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %tview_22 = make_tensor_view %assume_4, shape = [%assume_18, %assume_19], strides = [%assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %1 = ftof %tile  : tile<128xf64> -> tile<128xf32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %reshape = reshape %1 : tile<128xf32> -> tile<1x128xf32>
    %pview_23 = make_partition_view %tview_13 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %reshape, %pview_23[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %3 = ftof %tile rounding<zero> : tile<128xf64> -> tile<128xf32>
    %cst_1_i32_24 = constant <i32: 1> : tile<i32>
    %reshape_25 = reshape %3 : tile<128xf32> -> tile<1x128xf32>
    %pview_26 = make_partition_view %tview_13 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_25, %pview_26[%cst_1_i32_24, %blockId_x] token = %2 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %5 = ftof %tile rounding<negative_inf> : tile<128xf64> -> tile<128xf32>
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reshape_27 = reshape %5 : tile<128xf32> -> tile<1x128xf32>
    %pview_28 = make_partition_view %tview_13 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_27, %pview_28[%cst_2_i32, %blockId_x] token = %4 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %7 = ftof %tile rounding<positive_inf> : tile<128xf64> -> tile<128xf32>
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reshape_29 = reshape %7 : tile<128xf32> -> tile<1x128xf32>
    %pview_30 = make_partition_view %tview_13 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %8 = store_view_tko weak %reshape_29, %pview_30[%cst_3_i32, %blockId_x] token = %6 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %9 = ftof %1 rounding<zero> : tile<128xf32> -> tile<128xf16>
    %pview_31 = make_partition_view %tview_15 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>
    %10 = store_view_tko weak %9, %pview_31[%blockId_x] token = %0 : tile<128xf16>, partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
    %11 = ftof %1 rounding<zero> : tile<128xf32> -> tile<128xbf16>
    %pview_32 = make_partition_view %tview_17 : partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>>
    %12 = store_view_tko weak %11, %pview_32[%blockId_x] token = %0 : tile<128xbf16>, partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
    %13 = ftof %1  : tile<128xf32> -> tile<128xtf32>
    %cst_0_i32_33 = constant <i32: 0> : tile<i32>
    %14 = ftof %13  : tile<128xtf32> -> tile<128xf32>
    %reshape_34 = reshape %14 : tile<128xf32> -> tile<1x128xf32>
    %pview_35 = make_partition_view %tview_22 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %15 = store_view_tko weak %reshape_34, %pview_35[%cst_0_i32_33, %blockId_x] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %16 = ftof %1 rounding<zero> : tile<128xf32> -> tile<128xtf32>
    %cst_1_i32_36 = constant <i32: 1> : tile<i32>
    %17 = ftof %16  : tile<128xtf32> -> tile<128xf32>
    %reshape_37 = reshape %17 : tile<128xf32> -> tile<1x128xf32>
    %pview_38 = make_partition_view %tview_22 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %18 = store_view_tko weak %reshape_37, %pview_38[%cst_1_i32_36, %blockId_x] token = %15 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
