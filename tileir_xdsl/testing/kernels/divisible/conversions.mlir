cuda_tile.module @kernels {
  entry @conversions(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
    %assume_3 = assume div_by<16>, %arg12 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg15 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1000003_i64 = constant <i64: 1000003> : tile<128xi64>
    %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_10 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_11 = make_tensor_view %assume_0, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
    %assume_12 = assume bounded<0, ?>, %arg7 : tile<i32>
    %tview_13 = make_tensor_view %assume_1, shape = [%assume_12], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_14 = assume bounded<0, ?>, %arg10 : tile<i32>
    %tview_15 = make_tensor_view %assume_2, shape = [%assume_14], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
    %assume_16 = assume bounded<0, ?>, %arg13 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg14 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview_18 = make_tensor_view %assume_3, shape = [%assume_16, %assume_17], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %1 = ftof %tile  : tile<128xf32> -> tile<128xf16>
    %2 = ftoi %tile signed  : tile<128xf32> -> tile<128xi32>
    %3 = exti %2 signed : tile<128xi32> -> tile<128xi64>
    %4 = muli %3, %cst_1000003_i64 : tile<128xi64>
    %pview_19 = make_partition_view %tview_11 : partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>
    %5 = store_view_tko weak %1, %pview_19[%blockId_x] token = %0 : tile<128xf16>, partition_view<tile=(128), tensor_view<?xf16, strides=[1]>>, tile<i32> -> token
    %pview_20 = make_partition_view %tview_13 : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
    %6 = store_view_tko weak %2, %pview_20[%blockId_x] token = %0 : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %pview_21 = make_partition_view %tview_15 : partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>
    %7 = store_view_tko weak %4, %pview_21[%blockId_x] token = %0 : tile<128xi64>, partition_view<tile=(128), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %8 = ftof %1  : tile<128xf16> -> tile<128xf32>
    %reshape = reshape %8 : tile<128xf32> -> tile<1x128xf32>
    %pview_22 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %9 = store_view_tko weak %reshape, %pview_22[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %10 = ftof %tile  : tile<128xf32> -> tile<128xbf16>
    %11 = ftof %10  : tile<128xbf16> -> tile<128xf32>
    %cst_1_i32_23 = constant <i32: 1> : tile<i32>
    %reshape_24 = reshape %11 : tile<128xf32> -> tile<1x128xf32>
    %pview_25 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %12 = store_view_tko weak %reshape_24, %pview_25[%cst_1_i32_23, %blockId_x] token = %9 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %13 = ftof %tile  : tile<128xf32> -> tile<128xtf32>
    %14 = ftof %13  : tile<128xtf32> -> tile<128xf32>
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reshape_26 = reshape %14 : tile<128xf32> -> tile<1x128xf32>
    %pview_27 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %15 = store_view_tko weak %reshape_26, %pview_27[%cst_2_i32, %blockId_x] token = %12 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %16 = ftof %tile  : tile<128xf32> -> tile<128xf8E4M3FN>
    %17 = ftof %16  : tile<128xf8E4M3FN> -> tile<128xf32>
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reshape_28 = reshape %17 : tile<128xf32> -> tile<1x128xf32>
    %pview_29 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %18 = store_view_tko weak %reshape_28, %pview_29[%cst_3_i32, %blockId_x] token = %15 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %19 = ftof %tile  : tile<128xf32> -> tile<128xf8E5M2>
    %20 = ftof %19  : tile<128xf8E5M2> -> tile<128xf32>
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %reshape_30 = reshape %20 : tile<128xf32> -> tile<1x128xf32>
    %pview_31 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %21 = store_view_tko weak %reshape_30, %pview_31[%cst_4_i32, %blockId_x] token = %18 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_5_i32 = constant <i32: 5> : tile<i32>
    %22 = itof %4 signed  : tile<128xi64> -> tile<128xf32>
    %reshape_32 = reshape %22 : tile<128xf32> -> tile<1x128xf32>
    %pview_33 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %23 = store_view_tko weak %reshape_32, %pview_33[%cst_5_i32, %blockId_x] token = %21 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %24 = trunci %2 : tile<128xi32> -> tile<128xi8>
    %25 = itof %24 signed  : tile<128xi8> -> tile<128xf32>
    %cst_6_i32 = constant <i32: 6> : tile<i32>
    %reshape_34 = reshape %25 : tile<128xf32> -> tile<1x128xf32>
    %pview_35 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %26 = store_view_tko weak %reshape_34, %pview_35[%cst_6_i32, %blockId_x] token = %23 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %27 = bitcast %2 : tile<128xi32> -> tile<128xi32>
    %28 = itof %27 unsigned  : tile<128xi32> -> tile<128xf32>
    %cst_7_i32 = constant <i32: 7> : tile<i32>
    %reshape_36 = reshape %28 : tile<128xf32> -> tile<1x128xf32>
    %pview_37 = make_partition_view %tview_18 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %29 = store_view_tko weak %reshape_36, %pview_37[%cst_7_i32, %blockId_x] token = %26 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
