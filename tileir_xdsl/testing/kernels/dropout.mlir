cuda_tile.module @kernels {
  entry @dropout(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %cst_16_i32 = constant <i32: 16> : tile<256xi32>
    %cst_2146121005_i32 = constant <i32: 2146121005> : tile<256xi32>
    %cst_15_i32 = constant <i32: 15> : tile<256xi32>
    %cst_-2073254261_i32 = constant <i32: -2073254261> : tile<256xi32>
    %cst_16_i32_2 = constant <i32: 16> : tile<256xi32>
    %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_4 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_5 = make_tensor_view %assume_0, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %cst_256_i32 = constant <i32: 256> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(256), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
    %1 = muli %blockId_x, %cst_256_i32 : tile<i32>
    %2 = iota : tile<256xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<256xi32>
    %3 = addi %bcast, %2 : tile<256xi32>
    %4 = bitcast %3 : tile<256xi32> -> tile<256xi32>
    %reshape_6 = reshape %arg6 : tile<i32> -> tile<1xi32>
    %bcast_7 = broadcast %reshape_6 : tile<1xi32> -> tile<256xi32>
    %5 = xori %4, %bcast_7 : tile<256xi32>
    %6 = shri %5, %cst_16_i32 unsigned : tile<256xi32>
    %7 = xori %5, %6 : tile<256xi32>
    %8 = muli %7, %cst_2146121005_i32 : tile<256xi32>
    %9 = shri %8, %cst_15_i32 unsigned : tile<256xi32>
    %10 = xori %8, %9 : tile<256xi32>
    %11 = muli %10, %cst_-2073254261_i32 : tile<256xi32>
    %12 = shri %11, %cst_16_i32_2 unsigned : tile<256xi32>
    %13 = xori %11, %12 : tile<256xi32>
    %reshape_8 = reshape %arg7 : tile<i32> -> tile<1xi32>
    %bcast_9 = broadcast %reshape_8 : tile<1xi32> -> tile<256xi32>
    %14 = cmpi less_than %13, %bcast_9, unsigned : tile<256xi32> -> tile<256xi1>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %cst_2_f32 = constant <f32: 2.000000e+00> : tile<f32>
    %reshape_10 = reshape %cst_2_f32 : tile<f32> -> tile<1xf32>
    %bcast_11 = broadcast %reshape_10 : tile<1xf32> -> tile<256xf32>
    %15 = mulf %tile, %bcast_11  : tile<256xf32>
    %reshape_12 = reshape %cst_0_f32 : tile<f32> -> tile<1xf32>
    %bcast_13 = broadcast %reshape_12 : tile<1xf32> -> tile<256xf32>
    %16 = select %14, %bcast_13, %15 : tile<256xi1>, tile<256xf32>
    %pview_14 = make_partition_view %tview_5 : partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>
    %17 = store_view_tko weak %16, %pview_14[%blockId_x] token = %0 : tile<256xf32>, partition_view<tile=(256), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
