cuda_tile.module @kernels {
  entry @first_long_segment(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<i32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i32>>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg7 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg10 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_9 = make_tensor_view %assume_1, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_10 = assume bounded<0, ?>, %arg11 : tile<i32>
    %tview_11 = make_tensor_view %assume_2, shape = [%assume_10], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %pview_13 = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %cst_1_i32_14 = constant <i32: 1> : tile<i32>
    %cst_0_i64 = constant <i64: 0> : tile<i64>
    %1 = int_to_ptr %cst_0_i64 : tile<i64> -> tile<ptr<i32>>
    %cst_0_i32_15 = constant <i32: 0> : tile<i32>
    %2:3 = loop iter_values(%arg13 = %cst_0_i32, %arg14 = %1, %arg15 = %cst_0_i32_15) : tile<i32>, tile<ptr<i32>>, tile<i32> -> tile<i32>, tile<ptr<i32>>, tile<i32> {
      %tile_24, %result_token_25 = load_view_tko weak %pview[%arg13] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
      %reshape_26 = reshape %tile_24 : tile<1xi32> -> tile<i32>
      %5 = addi %arg13, %cst_1_i32_12 : tile<i32>
      %tile_27, %result_token_28 = load_view_tko weak %pview_13[%5] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
      %reshape_29 = reshape %tile_27 : tile<1xi32> -> tile<i32>
      %6 = muli %reshape_26, %cst_1_i32 : tile<i32>
      %7 = exti %6 signed : tile<i32> -> tile<i64>
      %8 = offset %assume, %7 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
      %9 = subi %reshape_29, %reshape_26 : tile<i32>
      %assume_30 = assume bounded<0, ?>, %9 : tile<i32>
      %10 = subi %reshape_29, %reshape_26 : tile<i32>
      %11 = cmpi greater_than_or_equal %10, %arg6, signed : tile<i32> -> tile<i1>
      if %11 {
        break %arg13, %8, %assume_30 : tile<i32>, tile<ptr<i32>>, tile<i32>
      } else {
      }
      %12 = addi %arg13, %cst_1_i32_14 : tile<i32>
      continue %12, %8, %assume_30 : tile<i32>, tile<ptr<i32>>, tile<i32>
    }
    %assume_ = assume div_by<4>, %2#1 : tile<ptr<i32>>
    %assume__16 = assume bounded<0, ?>, %2#2 : tile<i32>
    %tview_17 = make_tensor_view %assume_, shape = [%assume__16], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %cst_0_i32_18 = constant <i32: 0> : tile<i32>
    %reshape = reshape %2#0 : tile<i32> -> tile<1xi32>
    %pview_19 = make_partition_view %tview_11 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %3 = store_view_tko weak %reshape, %pview_19[%cst_0_i32_18] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %cst_0_i32_20 = constant <i32: 0> : tile<i32>
    %pview_21 = make_partition_view %tview_17 : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview_21[%cst_0_i32_20] token = %0 : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
    %cst_0_i32_22 = constant <i32: 0> : tile<i32>
    %pview_23 = make_partition_view %tview_9 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
    %4 = store_view_tko weak %tile, %pview_23[%cst_0_i32_22] token = %0 : tile<16xi32>, partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
