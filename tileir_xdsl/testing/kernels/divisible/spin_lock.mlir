cuda_tile.module @kernels {
  entry @spin_lock(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<i32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<i32>>
    %assume_3 = assume div_by<16>, %arg11 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<i64>
    %cst_1_i64_5 = constant <i64: 1> : tile<i64>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %assume_8 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_assume_11 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_12 = assume div_by<16>, %assume_assume_11 : tile<i32>
    %tview_13 = make_tensor_view %assume_2, shape = [%assume_9, %assume_10], strides = [%assume_assume_assume_12, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<1x16xi32>, token
    %1 = join_tokens %0, %result_token : token
    %cst_0_i32_14 = constant <i32: 0> : tile<i32>
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %cst_0_i64 = constant <i64: 0> : tile<i64>
    %2 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %3 = cmpi less_than %cst_0_i64, %2, unsigned : tile<i64> -> tile<i1>
    %4 = muli %cst_0_i64, %cst_1_i64 : tile<i64>
    %5 = offset %assume_1, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %cst_0_i32_16 = constant <i32: 0> : tile<i32>
    %6:2 = loop iter_values(%arg13 = %0, %arg14 = %0) : token, token -> token, token {
      %22 = join_tokens %arg13, %arg14 : token
      %result_36, %result_token_37 = atomic_cas_tko acquire device %5, %cst_0_i32_14, %cst_1_i32_15, %3 token=%22 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
      %23 = cmpi not_equal %result_36, %cst_0_i32_16, signed : tile<i32> -> tile<i1>
      if %23 {
      } else {
        break %result_token_37, %result_token_37 : token, token
      }
      continue %result_token_37, %result_token_37 : token, token
    }
    %cst_0_i32_17 = constant <i32: 0> : tile<i32>
    %cst_0_i32_18 = constant <i32: 0> : tile<i32>
    %pview_19 = make_partition_view %tview_13 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %7 = join_tokens %0, %6#1 : token
    %tile_20, %result_token_21 = load_view_tko weak %pview_19[%cst_0_i32_17, %cst_0_i32_18] token = %7 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<1x16xi32>, token
    %8 = join_tokens %0, %result_token_21 : token
    %cst_0_i32_22 = constant <i32: 0> : tile<i32>
    %cst_0_i32_23 = constant <i32: 0> : tile<i32>
    %9 = maxi %tile_20, %tile signed : tile<1x16xi32>
    %pview_24 = make_partition_view %tview_13 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %10 = join_tokens %8, %6#1 : token
    %11 = store_view_tko weak %9, %pview_24[%cst_0_i32_22, %cst_0_i32_23] token = %10 : tile<1x16xi32>, partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_25 = constant <i32: 1> : tile<i32>
    %cst_0_i32_26 = constant <i32: 0> : tile<i32>
    %pview_27 = make_partition_view %tview_13 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %12 = join_tokens %11, %6#1 : token
    %tile_28, %result_token_29 = load_view_tko weak %pview_27[%cst_1_i32_25, %cst_0_i32_26] token = %12 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> tile<1x16xi32>, token
    %13 = join_tokens %11, %result_token_29 : token
    %cst_1_i32_30 = constant <i32: 1> : tile<i32>
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %14 = addi %tile_28, %tile : tile<1x16xi32>
    %pview_32 = make_partition_view %tview_13 : partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>
    %15 = join_tokens %13, %6#1 : token
    %16 = store_view_tko weak %14, %pview_32[%cst_1_i32_30, %cst_0_i32_31] token = %15 : tile<1x16xi32>, partition_view<tile=(1x16), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
    %cst_0_i32_33 = constant <i32: 0> : tile<i32>
    %cst_0_i64_34 = constant <i64: 0> : tile<i64>
    %17 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %18 = cmpi less_than %cst_0_i64_34, %17, unsigned : tile<i64> -> tile<i1>
    %19 = muli %cst_0_i64_34, %cst_1_i64_5 : tile<i64>
    %20 = offset %assume_1, %19 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %21 = join_tokens %6#0, %1, %6#1, %16 : token
    %result, %result_token_35 = atomic_rmw_tko release device %20, xchg, %cst_0_i32_33, %18 token=%21 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    return
  }
}
