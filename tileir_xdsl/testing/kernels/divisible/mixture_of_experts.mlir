cuda_tile.module @kernels {
  entry @mixture_of_experts(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<f32>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<bf16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
    %assume_2 = assume div_by<16>, %arg9 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<i32>
    %assume_4 = assume div_by<16>, %arg12 : tile<ptr<i32>>
    %assume_5 = assume div_by<16>, %arg15 : tile<ptr<i32>>
    %assume_6 = assume div_by<16>, %arg18 : tile<ptr<f32>>
    %assume_7 = assume div_by<16>, %arg21 : tile<ptr<bf16>>
    %assume_8 = assume div_by<16>, %arg24 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<16x64xi64>
    %cst_1_i64_11 = constant <i64: 1> : tile<16xi64>
    %cst_1_i64_12 = constant <i64: 1> : tile<16x32xi64>
    %assume_13 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_17 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_assume_18 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume_18 : tile<i32>
    %assume_assume_19 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_20 = assume div_by<16>, %assume_assume_19 : tile<i32>
    %tview = make_tensor_view %assume_1, shape = [%assume_15, %assume_16, %assume_17], strides = [%assume_assume_assume, %assume_assume_assume_20, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_21 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_22 = make_tensor_view %assume_4, shape = [%assume_21], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_23 = assume bounded<0, ?>, %arg16 : tile<i32>
    %tview_24 = make_tensor_view %assume_5, shape = [%assume_23], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_25 = assume bounded<0, ?>, %arg19 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_27 = assume bounded<0, ?>, %arg23 : tile<i32>
    %assume_assume_28 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview_24 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape = reshape %tile : tile<1xi32> -> tile<i32>
    %pview_29 = make_partition_view %tview_22 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
    %tile_30, %result_token_31 = load_view_tko weak %pview_29[%blockId_x] token = %0 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
    %1 = iota : tile<64xi32>
    %reshape_32 = reshape %tile_30 : tile<16xi32> -> tile<16x1xi32>
    %reshape_33 = reshape %1 : tile<64xi32> -> tile<1x64xi32>
    %2 = exti %reshape_32 signed : tile<16x1xi32> -> tile<16x1xi64>
    %bcast = broadcast %2 : tile<16x1xi64> -> tile<16x64xi64>
    %3 = exti %assume_13 signed : tile<i32> -> tile<i64>
    %reshape_34 = reshape %3 : tile<i64> -> tile<1x1xi64>
    %bcast_35 = broadcast %reshape_34 : tile<1x1xi64> -> tile<16x64xi64>
    %4 = cmpi less_than %bcast, %bcast_35, unsigned : tile<16x64xi64> -> tile<16x64xi1>
    %5 = exti %assume_assume signed : tile<i32> -> tile<i64>
    %reshape_36 = reshape %5 : tile<i64> -> tile<1x1xi64>
    %bcast_37 = broadcast %reshape_36 : tile<1x1xi64> -> tile<16x64xi64>
    %6 = muli %bcast, %bcast_37 : tile<16x64xi64>
    %7 = exti %reshape_33 signed : tile<1x64xi32> -> tile<1x64xi64>
    %bcast_38 = broadcast %7 : tile<1x64xi64> -> tile<16x64xi64>
    %8 = exti %assume_14 signed : tile<i32> -> tile<i64>
    %reshape_39 = reshape %8 : tile<i64> -> tile<1x1xi64>
    %bcast_40 = broadcast %reshape_39 : tile<1x1xi64> -> tile<16x64xi64>
    %9 = cmpi less_than %bcast_38, %bcast_40, unsigned : tile<16x64xi64> -> tile<16x64xi1>
    %10 = andi %4, %9 : tile<16x64xi1>
    %11 = muli %bcast_38, %cst_1_i64 : tile<16x64xi64>
    %12 = addi %6, %11 : tile<16x64xi64>
    %reshape_41 = reshape %assume : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
    %bcast_42 = broadcast %reshape_41 : tile<1x1xptr<bf16>> -> tile<16x64xptr<bf16>>
    %13 = offset %bcast_42, %12 : tile<16x64xptr<bf16>>, tile<16x64xi64> -> tile<16x64xptr<bf16>>
    %cst_0_bf16 = constant <bf16: 0.000000e+00> : tile<bf16>
    %reshape_43 = reshape %cst_0_bf16 : tile<bf16> -> tile<1x1xbf16>
    %bcast_44 = broadcast %reshape_43 : tile<1x1xbf16> -> tile<16x64xbf16>
    %result, %result_token_45 = load_ptr_tko weak %13, %10, %bcast_44 token=%0 : tile<16x64xptr<bf16>>, tile<16x64xi1>, tile<16x64xbf16> -> tile<16x64xbf16>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_46 = constant <i32: 0> : tile<i32>
    %pview_47 = make_partition_view %tview : partition_view<tile=(1x64x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %tile_48, %result_token_49 = load_view_tko weak %pview_47[%reshape, %cst_0_i32, %cst_0_i32_46] token = %0 : partition_view<tile=(1x64x32), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x32xbf16>, token
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x32xf32>
    %reshape_50 = reshape %tile_48 : tile<1x64x32xbf16> -> tile<64x32xbf16>
    %14 = mmaf %result, %reshape_50, %cst_0_f32 : tile<16x64xbf16>, tile<64x32xbf16>, tile<16x32xf32>
    %15 = exti %tile_30 signed : tile<16xi32> -> tile<16xi64>
    %16 = exti %assume_25 signed : tile<i32> -> tile<i64>
    %reshape_51 = reshape %16 : tile<i64> -> tile<1xi64>
    %bcast_52 = broadcast %reshape_51 : tile<1xi64> -> tile<16xi64>
    %17 = cmpi less_than %15, %bcast_52, unsigned : tile<16xi64> -> tile<16xi1>
    %18 = muli %15, %cst_1_i64_11 : tile<16xi64>
    %reshape_53 = reshape %assume_6 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bcast_54 = broadcast %reshape_53 : tile<1xptr<f32>> -> tile<16xptr<f32>>
    %19 = offset %bcast_54, %18 : tile<16xptr<f32>>, tile<16xi64> -> tile<16xptr<f32>>
    %cst_0_f32_55 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_56 = reshape %cst_0_f32_55 : tile<f32> -> tile<1xf32>
    %bcast_57 = broadcast %reshape_56 : tile<1xf32> -> tile<16xf32>
    %result_58, %result_token_59 = load_ptr_tko weak %19, %17, %bcast_57 token=%0 : tile<16xptr<f32>>, tile<16xi1>, tile<16xf32> -> tile<16xf32>, token
    %reshape_60 = reshape %result_58 : tile<16xf32> -> tile<16x1xf32>
    %bcast_61 = broadcast %reshape_60 : tile<16x1xf32> -> tile<16x32xf32>
    %20 = mulf %14, %bcast_61  : tile<16x32xf32>
    %21 = iota : tile<32xi32>
    %reshape_62 = reshape %21 : tile<32xi32> -> tile<1x32xi32>
    %reshape_63 = reshape %tile_30 : tile<16xi32> -> tile<16x1xi32>
    %22 = ftof %20  : tile<16x32xf32> -> tile<16x32xbf16>
    %23 = exti %reshape_63 signed : tile<16x1xi32> -> tile<16x1xi64>
    %bcast_64 = broadcast %23 : tile<16x1xi64> -> tile<16x32xi64>
    %24 = exti %assume_26 signed : tile<i32> -> tile<i64>
    %reshape_65 = reshape %24 : tile<i64> -> tile<1x1xi64>
    %bcast_66 = broadcast %reshape_65 : tile<1x1xi64> -> tile<16x32xi64>
    %25 = cmpi less_than %bcast_64, %bcast_66, unsigned : tile<16x32xi64> -> tile<16x32xi1>
    %26 = exti %assume_assume_28 signed : tile<i32> -> tile<i64>
    %reshape_67 = reshape %26 : tile<i64> -> tile<1x1xi64>
    %bcast_68 = broadcast %reshape_67 : tile<1x1xi64> -> tile<16x32xi64>
    %27 = muli %bcast_64, %bcast_68 : tile<16x32xi64>
    %28 = exti %reshape_62 signed : tile<1x32xi32> -> tile<1x32xi64>
    %bcast_69 = broadcast %28 : tile<1x32xi64> -> tile<16x32xi64>
    %29 = exti %assume_27 signed : tile<i32> -> tile<i64>
    %reshape_70 = reshape %29 : tile<i64> -> tile<1x1xi64>
    %bcast_71 = broadcast %reshape_70 : tile<1x1xi64> -> tile<16x32xi64>
    %30 = cmpi less_than %bcast_69, %bcast_71, unsigned : tile<16x32xi64> -> tile<16x32xi1>
    %31 = andi %25, %30 : tile<16x32xi1>
    %32 = muli %bcast_69, %cst_1_i64_12 : tile<16x32xi64>
    %33 = addi %27, %32 : tile<16x32xi64>
    %reshape_72 = reshape %assume_7 : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
    %bcast_73 = broadcast %reshape_72 : tile<1x1xptr<bf16>> -> tile<16x32xptr<bf16>>
    %34 = offset %bcast_73, %33 : tile<16x32xptr<bf16>>, tile<16x32xi64> -> tile<16x32xptr<bf16>>
    %35 = store_ptr_tko weak %34, %22, %31 token=%0 : tile<16x32xptr<bf16>>, tile<16x32xbf16>, tile<16x32xi1> -> token
    return
  }
}
