cuda_tile.module @kernels {
  entry @memory_scopes(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<64xi32>
    %cst_1_i64 = constant <i64: 1> : tile<i64>
    %cst_1_i64_4 = constant <i64: 1> : tile<i64>
    %cst_1_i64_5 = constant <i64: 1> : tile<i64>
    %cst_1_i64_6 = constant <i64: 1> : tile<i64>
    %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_9 = make_tensor_view %assume_0, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_10 = assume bounded<0, ?>, %arg7 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko relaxed tl_blk %pview[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %1 = join_tokens %0, %result_token : token
    %pview_11 = make_partition_view %tview : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %tile_12, %result_token_13 = load_view_tko relaxed sys %pview_11[%blockId_x] token = %0 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %2 = join_tokens %1, %result_token_13 : token
    %3 = addi %tile, %tile_12 : tile<64xi32>
    %pview_14 = make_partition_view %tview_9 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %4 = join_tokens %0, %2 : token
    %5 = store_view_tko release sys %3, %pview_14[%blockId_x] token = %4 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %pview_15 = make_partition_view %tview_9 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %tile_16, %result_token_17 = load_view_tko relaxed device %pview_15[%blockId_x] token = %5 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %6 = join_tokens %5, %result_token_17 : token
    %7 = addi %tile_16, %cst_1_i32_3 : tile<64xi32>
    %pview_18 = make_partition_view %tview_9 : partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>
    %8 = store_view_tko relaxed tl_blk %7, %pview_18[%blockId_x] token = %6 : tile<64xi32>, partition_view<tile=(64), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %cst_1_i32_19 = constant <i32: 1> : tile<i32>
    %cst_0_i64 = constant <i64: 0> : tile<i64>
    %9 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %10 = cmpi less_than %cst_0_i64, %9, unsigned : tile<i64> -> tile<i1>
    %11 = muli %cst_0_i64, %cst_1_i64 : tile<i64>
    %12 = offset %assume_1, %11 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %result, %result_token_20 = atomic_rmw_tko relaxed sys %12, add, %cst_1_i32_19, %10 token=%0 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %cst_1_i64_21 = constant <i64: 1> : tile<i64>
    %13 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %14 = cmpi less_than %cst_1_i64_21, %13, unsigned : tile<i64> -> tile<i1>
    %15 = muli %cst_1_i64_21, %cst_1_i64_4 : tile<i64>
    %16 = offset %assume_1, %15 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %result_22, %result_token_23 = atomic_rmw_tko acquire device %16, max, %blockId_x, %14 token=%result_token_20 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %cst_1_i32_24 = constant <i32: 1> : tile<i32>
    %17 = shli %cst_1_i32_24, %blockId_x : tile<i32>
    %cst_2_i64 = constant <i64: 2> : tile<i64>
    %18 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %19 = cmpi less_than %cst_2_i64, %18, unsigned : tile<i64> -> tile<i1>
    %20 = muli %cst_2_i64, %cst_1_i64_5 : tile<i64>
    %21 = offset %assume_1, %20 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %22 = join_tokens %result_token_23, %2, %8 : token
    %result_25, %result_token_26 = atomic_rmw_tko release device %21, or, %17, %19 token=%22 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %cst_3_i64 = constant <i64: 3> : tile<i64>
    %23 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %24 = cmpi less_than %cst_3_i64, %23, unsigned : tile<i64> -> tile<i1>
    %25 = muli %cst_3_i64, %cst_1_i64_6 : tile<i64>
    %26 = offset %assume_1, %25 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %27 = join_tokens %result_token_26, %2, %8, %result_token_23 : token
    %result_27, %result_token_28 = atomic_rmw_tko acq_rel sys %26, min, %blockId_x, %24 token=%27 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    return
  }
}
