cuda_tile.module @kernels {
  entry @atomic_sums_f16(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<f16>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<f16>>
    %cst_-1_i32 = constant <i32: -1> : tile<128xi32>
    %cst_1_i64 = constant <i64: 1> : tile<128xi64>
    %cst_1_i64_1 = constant <i64: 1> : tile<128xi64>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %cst_128_i32 = constant <i32: 128> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %1 = muli %blockId_x, %cst_128_i32 : tile<i32>
    %2 = iota : tile<128xi32>
    %reshape = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32>
    %3 = addi %bcast, %2 : tile<128xi32>
    %reshape_4 = reshape %assume_2 : tile<i32> -> tile<1xi32>
    %bcast_5 = broadcast %reshape_4 : tile<1xi32> -> tile<128xi32>
    %4 = cmpi less_than %3, %bcast_5, signed : tile<128xi32> -> tile<128xi1>
    %reshape_6 = reshape %assume_3 : tile<i32> -> tile<1xi32>
    %bcast_7 = broadcast %reshape_6 : tile<1xi32> -> tile<128xi32>
    %5 = remi %3, %bcast_7 signed : tile<128xi32>
    %cst_0_i32 = constant <i32: 0> : tile<128xi32>
    %6 = cmpi less_than %5, %cst_0_i32, signed : tile<128xi32> -> tile<128xi1>
    %7 = cmpi less_than %bcast_7, %cst_0_i32, signed : tile<128xi32> -> tile<128xi1>
    %8 = xori %6, %7 : tile<128xi1>
    %9 = cmpi not_equal %5, %cst_0_i32, signed : tile<128xi32> -> tile<128xi1>
    %10 = andi %8, %9 : tile<128xi1>
    %11 = addi %5, %bcast_7 : tile<128xi32>
    %12 = select %10, %11, %5 : tile<128xi1>, tile<128xi32>
    %13 = select %4, %12, %cst_-1_i32 : tile<128xi1>, tile<128xi32>
    %14 = exti %3 signed : tile<128xi32> -> tile<128xi64>
    %15 = exti %assume_2 signed : tile<i32> -> tile<i64>
    %reshape_8 = reshape %15 : tile<i64> -> tile<1xi64>
    %bcast_9 = broadcast %reshape_8 : tile<1xi64> -> tile<128xi64>
    %16 = cmpi less_than %14, %bcast_9, unsigned : tile<128xi64> -> tile<128xi1>
    %17 = muli %14, %cst_1_i64 : tile<128xi64>
    %reshape_10 = reshape %assume : tile<ptr<f16>> -> tile<1xptr<f16>>
    %bcast_11 = broadcast %reshape_10 : tile<1xptr<f16>> -> tile<128xptr<f16>>
    %18 = offset %bcast_11, %17 : tile<128xptr<f16>>, tile<128xi64> -> tile<128xptr<f16>>
    %cst_0_f16 = constant <f16: 0.000000e+00> : tile<f16>
    %reshape_12 = reshape %cst_0_f16 : tile<f16> -> tile<1xf16>
    %bcast_13 = broadcast %reshape_12 : tile<1xf16> -> tile<128xf16>
    %result, %result_token = load_ptr_tko weak %18, %16, %bcast_13 token=%0 : tile<128xptr<f16>>, tile<128xi1>, tile<128xf16> -> tile<128xf16>, token
    %19 = exti %13 signed : tile<128xi32> -> tile<128xi64>
    %20 = exti %assume_3 signed : tile<i32> -> tile<i64>
    %reshape_14 = reshape %20 : tile<i64> -> tile<1xi64>
    %bcast_15 = broadcast %reshape_14 : tile<1xi64> -> tile<128xi64>
    %21 = cmpi less_than %19, %bcast_15, unsigned : tile<128xi64> -> tile<128xi1>
    %22 = muli %19, %cst_1_i64_1 : tile<128xi64>
    %reshape_16 = reshape %assume_0 : tile<ptr<f16>> -> tile<1xptr<f16>>
    %bcast_17 = broadcast %reshape_16 : tile<1xptr<f16>> -> tile<128xptr<f16>>
    %23 = offset %bcast_17, %22 : tile<128xptr<f16>>, tile<128xi64> -> tile<128xptr<f16>>
    %result_18, %result_token_19 = atomic_rmw_tko relaxed device %23, addf, %result, %21 token=%0 : tile<128xptr<f16>>, tile<128xf16>, tile<128xi1> -> tile<128xf16>, token
    return
  }
}
