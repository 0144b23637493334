cuda_tile.module @kernels {
  entry @scalar_parameters(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i64>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<f16>, %arg10: tile<f32>, %arg11: tile<f64>, %arg12: tile<i8>, %arg13: tile<i64>, %arg14: tile<i32>, %arg15: tile<i1>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f64>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i64>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_6 = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xf64, strides=[1]>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %tview_8 = make_tensor_view %assume_1, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi64, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %1 = if %arg15 -> (tile<128xf32>) {
      %9 = negf %tile : tile<128xf32>
      yield %9 : tile<128xf32>
    } else {
      yield %tile : tile<128xf32>
    }
    %2 = ftof %arg9  : tile<f16> -> tile<f32>
    %reshape = reshape %2 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape : tile<1xf32> -> tile<128xf32>
    %3 = mulf %1, %bcast  : tile<128xf32>
    %reshape_9 = reshape %arg10 : tile<f32> -> tile<1xf32>
    %bcast_10 = broadcast %reshape_9 : tile<1xf32> -> tile<128xf32>
    %4 = mulf %3, %bcast_10  : tile<128xf32>
    %5 = ftof %4  : tile<128xf32> -> tile<128xf64>
    %reshape_11 = reshape %arg11 : tile<f64> -> tile<1xf64>
    %bcast_12 = broadcast %reshape_11 : tile<1xf64> -> tile<128xf64>
    %6 = mulf %5, %bcast_12  : tile<128xf64>
    %pview_13 = make_partition_view %tview_6 : partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>
    %7 = store_view_tko weak %6, %pview_13[%blockId_x] token = %0 : tile<128xf64>, partition_view<tile=(128), tensor_view<?xf64, strides=[1]>>, tile<i32> -> token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %8 = cmpi equal %blockId_x, %cst_0_i32, signed : tile<i32> -> tile<i1>
    if %8 {
      %9 = exti %arg12 signed : tile<i8> -> tile<i64>
      %10 = addi %9, %arg13 : tile<i64>
      %cst_0_i32_14 = constant <i32: 0> : tile<i32>
      %cst_31_i32 = constant <i32: 31> : tile<i32>
      %11 = shri %arg14, %cst_31_i32 unsigned : tile<i32>
      %12 = exti %11 unsigned : tile<i32> -> tile<i64>
      %13 = addi %10, %12 : tile<i64>
      %reshape_15 = reshape %13 : tile<i64> -> tile<1xi64>
      %pview_16 = make_partition_view %tview_8 : partition_view<tile=(1), tensor_view<?xi64, strides=[1]>>
      %14 = store_view_tko weak %reshape_15, %pview_16[%cst_0_i32_14] token = %0 : tile<1xi64>, partition_view<tile=(1), tensor_view<?xi64, strides=[1]>>, tile<i32> -> token
    } else {
    }
    return
  }
}
