cuda_tile.module @kernels {
  entry @elementwise_f32(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %pview_11 = make_partition_view %tview_6 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %1 = addf %tile, %tile_12  : tile<128xf32>
    %reshape = reshape %1 : tile<128xf32> -> tile<1x128xf32>
    %pview_14 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %reshape, %pview_14[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %3 = subf %tile, %tile_12  : tile<128xf32>
    %reshape_16 = reshape %3 : tile<128xf32> -> tile<1x128xf32>
    %pview_17 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_16, %pview_17[%cst_1_i32_15, %blockId_x] token = %2 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %5 = mulf %tile, %tile_12  : tile<128xf32>
    %reshape_18 = reshape %5 : tile<128xf32> -> tile<1x128xf32>
    %pview_19 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_18, %pview_19[%cst_2_i32, %blockId_x] token = %4 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %7 = divf %tile, %tile_12  : tile<128xf32>
    %reshape_20 = reshape %7 : tile<128xf32> -> tile<1x128xf32>
    %pview_21 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %8 = store_view_tko weak %reshape_20, %pview_21[%cst_3_i32, %blockId_x] token = %6 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %9 = maxf %tile, %tile_12 : tile<128xf32>
    %reshape_22 = reshape %9 : tile<128xf32> -> tile<1x128xf32>
    %pview_23 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %10 = store_view_tko weak %reshape_22, %pview_23[%cst_4_i32, %blockId_x] token = %8 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_5_i32 = constant <i32: 5> : tile<i32>
    %11 = minf %tile, %tile_12 : tile<128xf32>
    %reshape_24 = reshape %11 : tile<128xf32> -> tile<1x128xf32>
    %pview_25 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %12 = store_view_tko weak %reshape_24, %pview_25[%cst_5_i32, %blockId_x] token = %10 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_6_i32 = constant <i32: 6> : tile<i32>
    %13 = negf %tile : tile<128xf32>
    %reshape_26 = reshape %13 : tile<128xf32> -> tile<1x128xf32>
    %pview_27 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %14 = store_view_tko weak %reshape_26, %pview_27[%cst_6_i32, %blockId_x] token = %12 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_7_i32 = constant <i32: 7> : tile<i32>
    %15 = absf %tile : tile<128xf32>
    %reshape_28 = reshape %15 : tile<128xf32> -> tile<1x128xf32>
    %pview_29 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %16 = store_view_tko weak %reshape_28, %pview_29[%cst_7_i32, %blockId_x] token = %14 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_8_i32 = constant <i32: 8> : tile<i32>
    %17 = floor %tile : tile<128xf32>
    %reshape_30 = reshape %17 : tile<128xf32> -> tile<1x128xf32>
    %pview_31 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %18 = store_view_tko weak %reshape_30, %pview_31[%cst_8_i32, %blockId_x] token = %16 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_9_i32 = constant <i32: 9> : tile<i32>
    %19 = ceil %tile : tile<128xf32>
    %reshape_32 = reshape %19 : tile<128xf32> -> tile<1x128xf32>
    %pview_33 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %20 = store_view_tko weak %reshape_32, %pview_33[%cst_9_i32, %blockId_x] token = %18 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_10_i32 = constant <i32: 10> : tile<i32>
    %21 = cmpf less_than ordered %tile, %tile_12 : tile<128xf32> -> tile<128xi1>
    %22 = select %21, %tile, %tile_12 : tile<128xi1>, tile<128xf32>
    %reshape_34 = reshape %22 : tile<128xf32> -> tile<1x128xf32>
    %pview_35 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %23 = store_view_tko weak %reshape_34, %pview_35[%cst_10_i32, %blockId_x] token = %20 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %cst_11_i32 = constant <i32: 11> : tile<i32>
    %24 = cmpf greater_than_or_equal ordered %tile, %tile_12 : tile<128xf32> -> tile<128xi1>
    %25 = cmpf not_equal unordered %tile, %tile : tile<128xf32> -> tile<128xi1>
    %26 = ori %24, %25 : tile<128xi1>
    %27 = select %26, %tile_12, %tile : tile<128xi1>, tile<128xf32>
    %reshape_36 = reshape %27 : tile<128xf32> -> tile<1x128xf32>
    %pview_37 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>
    %28 = store_view_tko weak %reshape_36, %pview_37[%cst_11_i32, %blockId_x] token = %23 : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
