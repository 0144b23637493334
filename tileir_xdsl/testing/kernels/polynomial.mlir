cuda_tile.module @kernels {
  entry @polynomial(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128xf32>
    %cst_f32 = constant <f32: 2.500000e-01> : tile<f32>
    %cst_f32_5 = constant <f32: -1.500000e+00> : tile<f32>
    %cst_3_f32 = constant <f32: 3.000000e+00> : tile<f32>
    %cst_f32_6 = constant <f32: 1.250000e-01> : tile<f32>
    %cst_f32_7 = constant <f32: -2.000000e+00> : tile<f32>
    %reshape = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32>
    %1 = fma %cst_0_f32, %tile, %bcast  : tile<128xf32>
    %reshape_8 = reshape %cst_f32_5 : tile<f32> -> tile<1xf32>
    %bcast_9 = broadcast %reshape_8 : tile<1xf32> -> tile<128xf32>
    %2 = fma %1, %tile, %bcast_9  : tile<128xf32>
    %reshape_10 = reshape %cst_3_f32 : tile<f32> -> tile<1xf32>
    %bcast_11 = broadcast %reshape_10 : tile<1xf32> -> tile<128xf32>
    %3 = fma %2, %tile, %bcast_11  : tile<128xf32>
    %reshape_12 = reshape %cst_f32_6 : tile<f32> -> tile<1xf32>
    %bcast_13 = broadcast %reshape_12 : tile<1xf32> -> tile<128xf32>
    %4 = fma %3, %tile, %bcast_13  : tile<128xf32>
    %reshape_14 = reshape %cst_f32_7 : tile<f32> -> tile<1xf32>
    %bcast_15 = broadcast %reshape_14 : tile<1xf32> -> tile<128xf32>
    %5 = fma %4, %tile, %bcast_15  : tile<128xf32>
    %pview_16 = make_partition_view %tview_4 : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %6 = store_view_tko weak %5, %pview_16[%blockId_x] token = %0 : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
