cuda_tile.module @kernels {
  entry @padding_modes_f64(%arg0: tile<ptr<f64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f64>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg5 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_6 = make_tensor_view %assume_0, shape = [%assume_3, %assume_4], strides = [%assume_5, 1] : tile<i32> -> tensor_view<?x?xf64, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %pview_7 = make_partition_view %tview : partition_view<tile=(128), padding_value = neg_zero, tensor_view<?xf64, strides=[1]>>
    %tile_8, %result_token_9 = load_view_tko weak %pview_7[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = neg_zero, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %pview_10 = make_partition_view %tview : partition_view<tile=(128), padding_value = nan, tensor_view<?xf64, strides=[1]>>
    %tile_11, %result_token_12 = load_view_tko weak %pview_10[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = nan, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %pview_13 = make_partition_view %tview : partition_view<tile=(128), padding_value = pos_inf, tensor_view<?xf64, strides=[1]>>
    %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = pos_inf, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %pview_16 = make_partition_view %tview : partition_view<tile=(128), padding_value = neg_inf, tensor_view<?xf64, strides=[1]>>
    %tile_17, %result_token_18 = load_view_tko weak %pview_16[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = neg_inf, tensor_view<?xf64, strides=[1]>>, tile<i32> -> tile<128xf64>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %reshape = reshape %tile : tile<128xf64> -> tile<1x128xf64>
    %pview_19 = make_partition_view %tview_6 : partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>
    %1 = store_view_tko weak %reshape, %pview_19[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xf64>, partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_20 = constant <i32: 1> : tile<i32>
    %reshape_21 = reshape %tile_8 : tile<128xf64> -> tile<1x128xf64>
    %pview_22 = make_partition_view %tview_6 : partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>
    %2 = store_view_tko weak %reshape_21, %pview_22[%cst_1_i32_20, %blockId_x] token = %1 : tile<1x128xf64>, partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %reshape_23 = reshape %tile_11 : tile<128xf64> -> tile<1x128xf64>
    %pview_24 = make_partition_view %tview_6 : partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>
    %3 = store_view_tko weak %reshape_23, %pview_24[%cst_2_i32, %blockId_x] token = %2 : tile<1x128xf64>, partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %reshape_25 = reshape %tile_14 : tile<128xf64> -> tile<1x128xf64>
    %pview_26 = make_partition_view %tview_6 : partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_25, %pview_26[%cst_3_i32, %blockId_x] token = %3 : tile<1x128xf64>, partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %reshape_27 = reshape %tile_17 : tile<128xf64> -> tile<1x128xf64>
    %pview_28 = make_partition_view %tview_6 : partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>
    %5 = store_view_tko weak %reshape_27, %pview_28[%cst_4_i32, %blockId_x] token = %4 : tile<1x128xf64>, partition_view<tile=(1x128), tensor_view<?x?xf64, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
