cuda_tile.module @kernels {
  entry @raw_offsets(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %cst_-1_i32 = constant <i32: -1> : tile<128xi32>
    %cst_2_i32 = constant <i32: 2> : tile<128xi32>
    %cst_3_i32 = constant <i32: 3> : tile<128xi32>
    %cst_1_i32 = constant <i32: 1> : tile<128xi32>
    %cst_3_i32_2 = constant <i32: 3> : tile<128xi32>
    %cst_4_i32 = constant <i32: 4> : tile<128xi32>
    %cst_128_i32 = constant <i32: 128> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_128_i32 : tile<i32>
    %2 = iota : tile<128xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32>
    %3 = addi %bcast, %2 : tile<128xi32>
    %reshape_3 = reshape %arg9 : tile<i32> -> tile<1xi32>
    %bcast_4 = broadcast %reshape_3 : tile<1xi32> -> tile<128xi32>
    %4 = cmpi less_than %3, %bcast_4, signed : tile<128xi32> -> tile<128xi1>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %5 = subi %arg9, %cst_1_i32_5 : tile<i32>
    %reshape_6 = reshape %5 : tile<i32> -> tile<1xi32>
    %bcast_7 = broadcast %reshape_6 : tile<1xi32> -> tile<128xi32>
    %6 = subi %bcast_7, %3 : tile<128xi32>
    %7 = exti %6 signed : tile<128xi32> -> tile<128xi64>
    %reshape_8 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_9 = broadcast %reshape_8 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %8 = offset %bcast_9, %7 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
    %result, %result_token = load_ptr_tko weak %8, %4, %cst_-1_i32 token=%0 : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
    %9 = join_tokens %0, %result_token : token
    %10 = muli %result, %cst_2_i32 : tile<128xi32>
    %assume_10 = assume div_by<2>, %10 : tile<128xi32>
    %11 = exti %3 signed : tile<128xi32> -> tile<128xi64>
    %reshape_11 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_12 = broadcast %reshape_11 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %12 = offset %bcast_12, %11 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
    %13 = store_ptr_tko weak %12, %assume_10, %4 token=%0 : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> token
    %14 = andi %result, %cst_3_i32 : tile<128xi32>
    %15 = exti %14 signed : tile<128xi32> -> tile<128xi64>
    %reshape_13 = reshape %assume_1 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_14 = broadcast %reshape_13 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %16 = offset %bcast_14, %15 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
    %17 = join_tokens %0, %9, %13 : token
    %result_15, %result_token_16 = atomic_rmw_tko acq_rel device %16, add, %cst_1_i32, %4 token=%17 : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token
    %18 = andi %result, %cst_3_i32_2 : tile<128xi32>
    %19 = addi %18, %cst_4_i32 : tile<128xi32>
    %20 = exti %19 signed : tile<128xi32> -> tile<128xi64>
    %reshape_17 = reshape %assume_1 : tile<ptr<i32>> -> tile<1xptr<i32>>
    %bcast_18 = broadcast %reshape_17 : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %21 = offset %bcast_18, %20 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
    %22 = join_tokens %result_token_16, %9, %13 : token
    %result_19, %result_token_20 = atomic_rmw_tko acq_rel device %21, max, %result, %4 token=%22 : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_8_i64 = constant <i64: 8> : tile<i64>
    %23 = offset %assume_1, %cst_8_i64 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %24 = join_tokens %result_token_20, %9, %13 : token
    %result_21, %result_token_22 = atomic_cas_tko acq_rel device %23, %cst_0_i32, %arg9 token=%24 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
