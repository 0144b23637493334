cuda_tile.module @kernels {
  entry @mixture_of_experts(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<f32>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<bf16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
    %assume_1 = assume div_by<16>, %arg12 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg15 : tile<ptr<i32>>
    %assume_3 = assume div_by<16>, %arg18 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg21 : tile<ptr<bf16>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<16x64xi64>
    %cst_1_i64_7 = constant <i64: 1> : tile<16xi64>
    %cst_1_i64_8 = constant <i64: 1> : tile<16x32xi64>
    %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg10 : tile<i32>
    %tview = make_tensor_view %assume_0, shape = [%assume_12, %assume_13, %assume_14], strides = [%assume_15, %assume_16, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_17 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_18 = make_tensor_view %assume_1, shape = [%assume_17], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_19 = assume bounded<0, ?>, %arg16 : tile<i32>
    %tview_20 = make_tensor_view %assume_2, shape = [%assume_19], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_21 = assume bounded<0, ?>, %arg19 : tile<i32>
    %assume_22 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg23 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg24 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview_20 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape = reshape %tile : tile<1xi32> -> tile<i32>
    %pview_25 = make_partition_view %tview_18 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
    %tile_26, %result_token_27 = load_view_tko weak %pview_25[%blockId_x] token = %0 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
    %1 = iota : tile<64xi32>
    %reshape_28 = reshape %tile_26 : tile<16xi32> -> tile<16x1xi32>
    %reshape_29 = reshape %1 : tile<64xi32> -> tile<1x64xi32>
    %2 = exti %reshape_28 signed : tile<16x1xi32> -> tile<16x1xi64>
    %bcast = broadcast %2 : tile<16x1xi64> -> tile<16x64xi64>
    %3 = exti %assume_9 signed : tile<i32> -> tile<i64>
    %reshape_30 = reshape %3 : tile<i64> -> tile<1x1xi64>
    %bcast_31 = broadcast %reshape_30 : tile<1x1xi64> -> tile<16x64xi64>
    %4 = cmpi less_than %bcast, %bcast_31, unsigned : tile<16x64xi64> -> tile<16x64xi1>
    %5 = exti %assume_11 signed : tile<i32> -> tile<i64>
    %reshape_32 = reshape %5 : tile<i64> -> tile<1x1xi64>
    %bcast_33 = broadcast %reshape_32 : tile<1x1xi64> -> tile<16x64xi64>
    %6 = muli %bcast, %bcast_33 : tile<16x64xi64>
    %7 = exti %reshape_29 signed : tile<1x64xi32> -> tile<1x64xi64>
    %bcast_34 = broadcast %7 : tile<1x64xi64> -> tile<16x64xi64>
    %8 = exti %assume_10 signed : tile<i32> -> tile<i64>
    %reshape_35 = reshape %8 : tile<i64> -> tile<1x1xi64>
    %bcast_36 = broadcast %reshape_35 : tile<1x1xi64> -> tile<16x64xi64>
    %9 = cmpi less_than %bcast_34, %bcast_36, unsigned : tile<16x64xi64> -> tile<16x64xi1>
    %10 = andi %4, %9 : tile<16x64xi1>
    %11 = muli %bcast_34, %cst_1_i64 : tile<16x64xi64>
    %12 = addi %6, %11 : tile<16x64xi64>
    %reshape_37 = reshape %assume : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
    %bcast_38 = broadcast %reshape_37 : tile<1x1xptr<bf16>> -> tile<16x64xptr<bf16>>
    %13 = offset %bcast_38, %12 : tile<16x64xptr<bf16>>, tile<16x64xi64> -> tile<16x64xptr<bf16>>
    %cst_0_bf16 = constant <bf16: 0.000000e+00> : tile<bf16>
    %reshape_39 = reshape %cst_0_bf16 : tile<bf16> -> tile<1x1xbf16>
    %bcast_40 = broadcast %reshape_39 : tile<1x1xbf16> -> tile<16x64xbf16>
    %result, %result_token_41 = load_ptr_tko weak %13, %10, %bcast_40 token=%0 : tile<16x64xptr<bf16>>, tile<16x64xi1>, tile<16x64xbf16> -> tile<16x64xbf16>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_42 = constant <i32: 0> : tile<i32>
    %pview_43 = make_partition_view %tview : partition_view<tile=(1x64x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %tile_44, %result_token_45 = load_view_tko weak %pview_43[%reshape, %cst_0_i32, %cst_0_i32_42] token = %0 : partition_view<tile=(1x64x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x32xbf16>, token
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x32xf32>
    %reshape_46 = reshape %tile_44 : tile<1x64x32xbf16> -> tile<64x32xbf16>
    %14 = mmaf %result, %reshape_46, %cst_0_f32 : tile<16x64xbf16>, tile<64x32xbf16>, tile<16x32xf32>
    %15 = exti %tile_26 signed : tile<16xi32> -> tile<16xi64>
    %16 = exti %assume_21 signed : tile<i32> -> tile<i64>
    %reshape_47 = reshape %16 : tile<i64> -> tile<1xi64>
    %bcast_48 = broadcast %reshape_47 : tile<1xi64> -> tile<16xi64>
    %17 = cmpi less_than %15, %bcast_48, unsigned : tile<16xi64> -> tile<16xi1>
    %18 = muli %15, %cst_1_i64_7 : tile<16xi64>
    %reshape_49 = reshape %assume_3 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_50 = broadcast %reshape_49 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %19 = offset %bcast_50, %18 : tile<16xptr<f32>>, tile<16xi64> -> tile<16xptr<f32>>
    %cst_0_f32_51 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_52 = reshape %cst_0_f32_51 : tile<f32> -> tile<1xf32>
    %bcast_53 = broadcast %reshape_52 : tile<1xf32> -> tile<16xf32>
    %result_54, %result_token_55 = load_ptr_tko weak %19, %17, %bcast_53 token=%0 : tile<16xptr<f32>>, tile<16xi1>, tile<16xf32> -> tile<16xf32>, token
    %reshape_56 = reshape %result_54 : tile<16xf32> -> tile<16x1xf32>
    %bcast_57 = broadcast %reshape_56 : tile<16x1xf32> -> tile<16x32xf32>
    %20 = mulf %14, %bcast_57  : tile<16x32xf32>
    %21 = iota : tile<32xi32>
    %reshape_58 = reshape %21 : tile<32xi32> -> tile<1x32xi32>
    %reshape_59 = reshape %tile_26 : tile<16xi32> -> tile<16x1xi32>
    %22 = ftof %20  : tile<16x32xf32> -> tile<16x32xbf16>
    %23 = exti %reshape_59 signed : tile<16x1xi32> -> tile<16x1xi64>
    %bcast_60 = broadcast %23 : tile<16x1xi64> -> tile<16x32xi64>
    %24 = exti %assume_22 signed : tile<i32> -> tile<i64>
    %reshape_61 = reshape %24 : tile<i64> -> tile<1x1xi64>
    %bcast_62 = broadcast %reshape_61 : tile<1x1xi64> -> tile<16x32xi64>
    %25 = cmpi less_than %bcast_60, %bcast_62, unsigned : tile<16x32xi64> -> tile<16x32xi1>
    %26 = exti %assume_24 signed : tile<i32> -> tile<i64>
    %reshape_63 = reshape %26 : tile<i64> -> tile<1x1xi64>
    %bcast_64 = broadcast %reshape_63 : tile<1x1xi64> -> tile<16x32xi64>
    %27 = muli %bcast_60, %bcast_64 : tile<16x32xi64>
    %28 = exti %reshape_58 signed : tile<1x32xi32> -> tile<1x32xi64>
    %bcast_65 = broadcast %28 : tile<1x32xi64> -> tile<16x32xi64>
    %29 = exti %assume_23 signed : tile<i32> -> tile<i64>
    %reshape_66 = reshape %29 : tile<i64> -> tile<1x1xi64>
    %bcast_67 = broadcast %reshape_66 : tile<1x1xi64> -> tile<16x32xi64>
    %30 = cmpi less_than %bcast_65, %bcast_67, unsigned : tile<16x32xi64> -> tile<16x32xi1>
    %31 = andi %25, %30 : tile<16x32xi1>
    %32 = muli %bcast_65, %cst_1_i64_8 : tile<16x32xi64>
    %33 = addi %27, %32 : tile<16x32xi64>
    %reshape_68 = reshape %assume_4 : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
    %bcast_69 = broadcast %reshape_68 : tile<1x1xptr<bf16>> -> tile<16x32xptr<bf16>>
    %34 = offset %bcast_69, %33 : tile<16x32xptr<bf16>>, tile<16x32xi64> -> tile<16x32xptr<bf16>>
    %35 = store_ptr_tko weak %34, %22, %31 token=%0 : tile<16x32xptr<bf16>>, tile<16x32xbf16>, tile<16x32xi1> -> token
    return
  }
}
