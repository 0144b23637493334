cuda_tile.module @kernels {
  entry @comparisons_f64(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i1>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f64>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i1>>
    %assume_2 = assume div_by<16>, %arg9 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xi1, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %pview_11 = make_partition_view %tview_7 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>
    %tile_12, %result_token_13 = load_view_tko weak %pview_11[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %1 = cmpf equal ordered %tile, %tile_12 : tile<128xf64> -> tile<128xi1>
    %reshape = reshape %1 : tile<128xi1> -> tile<1x128xi1>
    %pview_14 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %2 = store_view_tko weak %reshape, %pview_14[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %3 = cmpf not_equal unordered %tile, %tile_12 : tile<128xf64> -> tile<128xi1>
    %reshape_16 = reshape %3 : tile<128xi1> -> tile<1x128xi1>
    %pview_17 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_16, %pview_17[%cst_1_i32_15, %blockId_x] token = %2 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %5 = cmpf less_than ordered %tile, %tile_12 : tile<128xf64> -> tile<128xi1>
    %reshape_18 = reshape %5 : tile<128xi1> -> tile<1x128xi1>
    %pview_19 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_18, %pview_19[%cst_2_i32, %blockId_x] token = %4 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %7 = cmpf less_than_or_equal ordered %tile, %tile_12 : tile<128xf64> -> tile<128xi1>
    %reshape_20 = reshape %7 : tile<128xi1> -> tile<1x128xi1>
    %pview_21 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %8 = store_view_tko weak %reshape_20, %pview_21[%cst_3_i32, %blockId_x] token = %6 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %9 = cmpf greater_than ordered %tile, %tile_12 : tile<128xf64> -> tile<128xi1>
    %reshape_22 = reshape %9 : tile<128xi1> -> tile<1x128xi1>
    %pview_23 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %10 = store_view_tko weak %reshape_22, %pview_23[%cst_4_i32, %blockId_x] token = %8 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_5_i32 = constant <i32: 5> : tile<i32>
    %11 = cmpf greater_than_or_equal ordered %tile, %tile_12 : tile<128xf64> -> tile<128xi1>
    %reshape_24 = reshape %11 : tile<128xi1> -> tile<1x128xi1>
    %pview_25 = make_partition_view %tview_10 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %12 = store_view_tko weak %reshape_24, %pview_25[%cst_5_i32, %blockId_x] token = %10 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
