cuda_tile.module @kernels {
  entry @float_division_f16(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f16>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<f16>>
    %assume_2 = assume div_by<16>, %arg9 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf16, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf16, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<128xf16>, token
    %pview_11 = make_partition_view %tview_7 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf16, strides=[1]>>
    %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf16, strides=[1]>>, tile<i32> -> tile<128xf16>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %1 = divf %tile, %tile_12  : tile<128xf16>
    %reshape = reshape %1 : tile<128xf16> -> tile<1x128xf16>
    %pview_14 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf16, strides=[?,1]>>
    %2 = store_view_tko weak %reshape, %pview_14[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xf16>, partition_view<tile=(1x128), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %3 = divf %tile, %tile_12  : tile<128xf16>
    %4 = floor %3 : tile<128xf16>
    %reshape_16 = reshape %4 : tile<128xf16> -> tile<1x128xf16>
    %pview_17 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf16, strides=[?,1]>>
    %5 = store_view_tko weak %reshape_16, %pview_17[%cst_1_i32_15, %blockId_x] token = %2 : tile<1x128xf16>, partition_view<tile=(1x128), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %6 = remf %tile, %tile_12 : tile<128xf16>
    %cst_0_f16 = constant <f16: 0.000000e+00> : tile<128xf16>
    %7 = cmpf less_than ordered %6, %cst_0_f16 : tile<128xf16> -> tile<128xi1>
    %8 = cmpf less_than ordered %tile_12, %cst_0_f16 : tile<128xf16> -> tile<128xi1>
    %9 = xori %7, %8 : tile<128xi1>
    %10 = cmpf not_equal unordered %6, %cst_0_f16 : tile<128xf16> -> tile<128xi1>
    %11 = andi %9, %10 : tile<128xi1>
    %12 = addf %6, %tile_12  : tile<128xf16>
    %13 = select %11, %12, %6 : tile<128xi1>, tile<128xf16>
    %reshape_18 = reshape %13 : tile<128xf16> -> tile<1x128xf16>
    %pview_19 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xf16, strides=[?,1]>>
    %14 = store_view_tko weak %reshape_18, %pview_19[%cst_2_i32, %blockId_x] token = %5 : tile<1x128xf16>, partition_view<tile=(1x128), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
