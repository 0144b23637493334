cuda_tile.module @kernels {
  entry @split_k_matmul(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg13 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<32x32xi64>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %assume_8 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_10 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
    %tview_12 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_assume_assume_11, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_assume_15 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %cst_32_i32 = constant <i32: 32> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_16, %blockId_y_17, %blockId_z_18 = get_tile_block_id : tile<i32>
    %blockId_x_19, %blockId_y_20, %blockId_z_21 = get_tile_block_id : tile<i32>
    %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x32xf32>
    %pview = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xbf16, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(32x32), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
    %pview_22 = make_partition_view %tview : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %pview_23 = make_partition_view %tview_12 : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %for:3 = for %loopIdx in (%blockId_z_21 to %1#1, step %gridSize_z) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %0, %iterArg2 = %0) -> (tile<32x32xf32>, token, token) {
      %tile, %result_token_38 = load_view_tko weak %pview_22[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<32x32xbf16>, token
      %21 = join_tokens %iterArg1, %result_token_38 : token
      %tile_39, %result_token_40 = load_view_tko weak %pview_23[%loopIdx, %blockId_y_17] token = %0 : partition_view<tile=(32x32), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<32x32xbf16>, token
      %22 = join_tokens %iterArg2, %result_token_40 : token
      %23 = mmaf %tile, %tile_39, %iterArg0 : tile<32x32xbf16>, tile<32x32xbf16>, tile<32x32xf32>
      continue %23, %21, %22 : tile<32x32xf32>, token, token
    }
    %2 = muli %blockId_x, %cst_32_i32 : tile<i32>
    %3 = iota : tile<32xi32>
    %reshape = reshape %2 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<32xi32>
    %4 = addi %bcast, %3 : tile<32xi32>
    %reshape_24 = reshape %4 : tile<32xi32> -> tile<32x1xi32>
    %5 = muli %blockId_y_17, %cst_32_i32 : tile<i32>
    %6 = iota : tile<32xi32>
    %reshape_25 = reshape %5 : tile<i32> -> tile<1xi32>
    %bcast_26 = broadcast %reshape_25 : tile<1xi32> -> tile<32xi32>
    %7 = addi %bcast_26, %6 : tile<32xi32>
    %reshape_27 = reshape %7 : tile<32xi32> -> tile<1x32xi32>
    %8 = exti %reshape_24 signed : tile<32x1xi32> -> tile<32x1xi64>
    %bcast_28 = broadcast %8 : tile<32x1xi64> -> tile<32x32xi64>
    %9 = exti %assume_13 signed : tile<i32> -> tile<i64>
    %reshape_29 = reshape %9 : tile<i64> -> tile<1x1xi64>
    %bcast_30 = broadcast %reshape_29 : tile<1x1xi64> -> tile<32x32xi64>
    %10 = cmpi less_than %bcast_28, %bcast_30, unsigned : tile<32x32xi64> -> tile<32x32xi1>
    %11 = exti %assume_assume_15 signed : tile<i32> -> tile<i64>
    %reshape_31 = reshape %11 : tile<i64> -> tile<1x1xi64>
    %bcast_32 = broadcast %reshape_31 : tile<1x1xi64> -> tile<32x32xi64>
    %12 = muli %bcast_28, %bcast_32 : tile<32x32xi64>
    %13 = exti %reshape_27 signed : tile<1x32xi32> -> tile<1x32xi64>
    %bcast_33 = broadcast %13 : tile<1x32xi64> -> tile<32x32xi64>
    %14 = exti %assume_14 signed : tile<i32> -> tile<i64>
    %reshape_34 = reshape %14 : tile<i64> -> tile<1x1xi64>
    %bcast_35 = broadcast %reshape_34 : tile<1x1xi64> -> tile<32x32xi64>
    %15 = cmpi less_than %bcast_33, %bcast_35, unsigned : tile<32x32xi64> -> tile<32x32xi1>
    %16 = andi %10, %15 : tile<32x32xi1>
    %17 = muli %bcast_33, %cst_1_i64 : tile<32x32xi64>
    %18 = addi %12, %17 : tile<32x32xi64>
    %reshape_36 = reshape %assume_3 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %bcast_37 = broadcast %reshape_36 : tile<1x1xptr<f32>> -> tile<32x32xptr<f32>>
    %19 = offset %bcast_37, %18 : tile<32x32xptr<f32>>, tile<32x32xi64> -> tile<32x32xptr<f32>>
    %20 = join_tokens %0, %for#1, %for#2 : token
    %result, %result_token = atomic_rmw_tko acq_rel device %19, addf, %for#0, %16 token=%20 : tile<32x32xptr<f32>>, tile<32x32xf32>, tile<32x32xi1> -> tile<32x32xf32>, token
    return
  }
}
