cuda_tile.module @kernels {
  entry @spin_lock(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<i32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg8 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<i64>
    %cst_1_i64_3 = constant <i64: 1> : tile<i64>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg11 : tile<i32>
    %tview_11 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_10, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<1x16xi32>, token
    %1 = join_tokens %0, %result_token : token
    %cst_0_i32_12 = constant <i32: 0> : tile<i32>
    %cst_1_i32_13 = constant <i32: 1> : tile<i32>
    %cst_0_i64 = constant <i64: 0> : tile<i64>
    %2 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %3 = cmpi less_than %cst_0_i64, %2, unsigned : tile<i64> -> tile<i1>
    %4 = muli %cst_0_i64, %cst_1_i64 : tile<i64>
    %5 = offset %assume_0, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %cst_0_i32_14 = constant <i32: 0> : tile<i32>
    %6:2 = loop iter_values(%arg13 = %0, %arg14 = %0) : token, token -> token, token {
      %22 = join_tokens %arg13, %arg14 : token
      %result_34, %result_token_35 = atomic_cas_tko acquire device %5, %cst_0_i32_12, %cst_1_i32_13, %3 token=%22 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
      %23 = cmpi not_equal %result_34, %cst_0_i32_14, signed : tile<i32> -> tile<i1>
      if %23 {
      } else {
        break %result_token_35, %result_token_35 : token, token
      }
      continue %result_token_35, %result_token_35 : token, token
    }
    %cst_0_i32_15 = constant <i32: 0> : tile<i32>
    %cst_0_i32_16 = constant <i32: 0> : tile<i32>
    %pview_17 = make_partition_view %tview_11 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %7 = join_tokens %0, %6#1 : token
    %tile_18, %result_token_19 = load_view_tko weak %pview_17[%cst_0_i32_15, %cst_0_i32_16] token = %7 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<1x16xi32>, token
    %8 = join_tokens %0, %result_token_19 : token
    %cst_0_i32_20 = constant <i32: 0> : tile<i32>
    %cst_0_i32_21 = constant <i32: 0> : tile<i32>
    %9 = maxi %tile_18, %tile signed : tile<1x16xi32>
    %pview_22 = make_partition_view %tview_11 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %10 = join_tokens %8, %6#1 : token
    %11 = store_view_tko weak %9, %pview_22[%cst_0_i32_20, %cst_0_i32_21] token = %10 : tile<1x16xi32>, partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_23 = constant <i32: 1> : tile<i32>
    %cst_0_i32_24 = constant <i32: 0> : tile<i32>
    %pview_25 = make_partition_view %tview_11 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %12 = join_tokens %11, %6#1 : token
    %tile_26, %result_token_27 = load_view_tko weak %pview_25[%cst_1_i32_23, %cst_0_i32_24] token = %12 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<1x16xi32>, token
    %13 = join_tokens %11, %result_token_27 : token
    %cst_1_i32_28 = constant <i32: 1> : tile<i32>
    %cst_0_i32_29 = constant <i32: 0> : tile<i32>
    %14 = addi %tile_26, %tile : tile<1x16xi32>
    %pview_30 = make_partition_view %tview_11 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %15 = join_tokens %13, %6#1 : token
    %16 = store_view_tko weak %14, %pview_30[%cst_1_i32_28, %cst_0_i32_29] token = %15 : tile<1x16xi32>, partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %cst_0_i64_32 = constant <i64: 0> : tile<i64>
    %17 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %18 = cmpi less_than %cst_0_i64_32, %17, unsigned : tile<i64> -> tile<i1>
    %19 = muli %cst_0_i64_32, %cst_1_i64_3 : tile<i64>
    %20 = offset %assume_0, %19 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %21 = join_tokens %6#0, %1, %6#1, %16 : token
    %result, %result_token_33 = atomic_rmw_tko release device %20, xchg, %cst_0_i32_31, %18 token=%21 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    return
  }
}
