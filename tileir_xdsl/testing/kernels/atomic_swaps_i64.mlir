cuda_tile.module @kernels {
  entry @atomic_swaps_i64(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i64>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i64>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i64>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i64>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i64>>
    %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i64>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<128xi64>
    %cst_0_i64 = constant <i64: 0> : tile<128xi64>
    %cst_1_i64_3 = constant <i64: 1> : tile<128xi64>
    %cst_1_i64_4 = constant <i64: 1> : tile<128xi64>
    %cst_7_i64 = constant <i64: 7> : tile<128xi64>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg12 : tile<i32>
    %tview = make_tensor_view %assume_2, shape = [%assume_8, %assume_9], strides = [%assume_10, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
    %cst_128_i32 = constant <i32: 128> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_128_i32 : tile<i32>
    %2 = iota : tile<128xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32>
    %3 = addi %bcast, %2 : tile<128xi32>
    %4 = exti %3 signed : tile<128xi32> -> tile<128xi64>
    %5 = exti %assume_5 signed : tile<i32> -> tile<i64>
    %reshape_11 = reshape %5 : tile<i64> -> tile<1xi64>
    %bcast_12 = broadcast %reshape_11 : tile<1xi64> -> tile<128xi64>
    %6 = cmpi less_than %4, %bcast_12, unsigned : tile<128xi64> -> tile<128xi1>
    %7 = muli %4, %cst_1_i64 : tile<128xi64>
    %reshape_13 = reshape %assume : tile<ptr<i64>> -> tile<1xptr<i64>>
    %bcast_14 = broadcast %reshape_13 : tile<1xptr<i64>> -> tile<128xptr<i64>>
    %8 = offset %bcast_14, %7 : tile<128xptr<i64>>, tile<128xi64> -> tile<128xptr<i64>>
    %result, %result_token = load_ptr_tko weak %8, %6, %cst_0_i64 token=%0 : tile<128xptr<i64>>, tile<128xi1>, tile<128xi64> -> tile<128xi64>, token
    %9 = join_tokens %0, %result_token : token
    %10 = exti %3 signed : tile<128xi32> -> tile<128xi64>
    %11 = exti %assume_6 signed : tile<i32> -> tile<i64>
    %reshape_15 = reshape %11 : tile<i64> -> tile<1xi64>
    %bcast_16 = broadcast %reshape_15 : tile<1xi64> -> tile<128xi64>
    %12 = cmpi less_than %10, %bcast_16, unsigned : tile<128xi64> -> tile<128xi1>
    %13 = muli %10, %cst_1_i64_3 : tile<128xi64>
    %reshape_17 = reshape %assume_0 : tile<ptr<i64>> -> tile<1xptr<i64>>
    %bcast_18 = broadcast %reshape_17 : tile<1xptr<i64>> -> tile<128xptr<i64>>
    %14 = offset %bcast_18, %13 : tile<128xptr<i64>>, tile<128xi64> -> tile<128xptr<i64>>
    %15 = join_tokens %0, %9 : token
    %result_19, %result_token_20 = atomic_rmw_tko acq_rel device %14, xchg, %result, %12 token=%15 : tile<128xptr<i64>>, tile<128xi64>, tile<128xi1> -> tile<128xi64>, token
    %16 = exti %3 signed : tile<128xi32> -> tile<128xi64>
    %17 = exti %assume_7 signed : tile<i32> -> tile<i64>
    %reshape_21 = reshape %17 : tile<i64> -> tile<1xi64>
    %bcast_22 = broadcast %reshape_21 : tile<1xi64> -> tile<128xi64>
    %18 = cmpi less_than %16, %bcast_22, unsigned : tile<128xi64> -> tile<128xi1>
    %19 = muli %16, %cst_1_i64_4 : tile<128xi64>
    %reshape_23 = reshape %assume_1 : tile<ptr<i64>> -> tile<1xptr<i64>>
    %bcast_24 = broadcast %reshape_23 : tile<1xptr<i64>> -> tile<128xptr<i64>>
    %20 = offset %bcast_24, %19 : tile<128xptr<i64>>, tile<128xi64> -> tile<128xptr<i64>>
    %21 = join_tokens %0, %9, %result_token_20 : token
    %result_25, %result_token_26 = atomic_cas_tko acq_rel device %20, %cst_7_i64, %result, %18 token=%21 : tile<128xptr<i64>>, tile<128xi64>, tile<128xi1> -> tile<128xi64>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %reshape_27 = reshape %result_19 : tile<128xi64> -> tile<1x128xi64>
    %pview = make_partition_view %tview : partition_view<tile=(1x128), tensor_view<?x?xi64, strides=[?,1]>>
    %22 = join_tokens %0, %result_token_26 : token
    %23 = store_view_tko weak %reshape_27, %pview[%cst_0_i32, %blockId_x] token = %22 : tile<1x128xi64>, partition_view<tile=(1x128), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_28 = constant <i32: 1> : tile<i32>
    %reshape_29 = reshape %result_25 : tile<128xi64> -> tile<1x128xi64>
    %pview_30 = make_partition_view %tview : partition_view<tile=(1x128), tensor_view<?x?xi64, strides=[?,1]>>
    %24 = join_tokens %23, %result_token_26 : token
    %25 = store_view_tko weak %reshape_29, %pview_30[%cst_1_i32_28, %blockId_x] token = %24 : tile<1x128xi64>, partition_view<tile=(1x128), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
