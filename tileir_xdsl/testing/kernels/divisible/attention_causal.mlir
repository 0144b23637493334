cuda_tile.module @kernels {
  entry @attention_causal(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
    %assume_0 = assume div_by<16>, %arg4 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<i32>
    %assume_2 = assume div_by<16>, %arg7 : tile<ptr<f16>>
    %assume_3 = assume div_by<16>, %arg11 : tile<i32>
    %assume_4 = assume div_by<16>, %arg12 : tile<i32>
    %assume_5 = assume div_by<16>, %arg14 : tile<ptr<f16>>
    %assume_6 = assume div_by<16>, %arg18 : tile<i32>
    %assume_7 = assume div_by<16>, %arg19 : tile<i32>
    %assume_8 = assume div_by<16>, %arg21 : tile<ptr<f16>>
    %assume_9 = assume div_by<16>, %arg25 : tile<i32>
    %assume_10 = assume div_by<16>, %arg26 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %cst_1_i32_13 = constant <i32: 1> : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_17 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_14, %assume_15, %assume_16], strides = [%assume_assume_assume, %assume_assume_assume_18, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %assume_19 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_assume_22 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
    %assume_assume_24 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
    %tview_26 = make_tensor_view %assume_2, shape = [%assume_19, %assume_20, %assume_21], strides = [%assume_assume_assume_23, %assume_assume_assume_25, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %assume_27 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_28 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_29 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_assume_30 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
    %assume_assume_32 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
    %tview_34 = make_tensor_view %assume_5, shape = [%assume_27, %assume_28, %assume_29], strides = [%assume_assume_assume_31, %assume_assume_assume_33, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %assume_35 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_36 = assume bounded<0, ?>, %arg23 : tile<i32>
    %assume_37 = assume bounded<0, ?>, %arg24 : tile<i32>
    %assume_assume_38 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
    %assume_assume_40 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32>
    %tview_42 = make_tensor_view %assume_8, shape = [%assume_35, %assume_36, %assume_37], strides = [%assume_assume_assume_39, %assume_assume_assume_41, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %cst_32_i32 = constant <i32: 32> : tile<i32>
    %cst_32_i32_43 = constant <i32: 32> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_44, %blockId_y_45, %blockId_z_46 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_y_45, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
    %reshape = reshape %tile : tile<1x32x64xf16> -> tile<32x64xf16>
    %1 = muli %blockId_x, %cst_32_i32 : tile<i32>
    %2 = iota : tile<32xi32>
    %reshape_47 = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape_47 : tile<1xi32> -> tile<32xi32>
    %3 = addi %bcast, %2 : tile<32xi32>
    %reshape_48 = reshape %3 : tile<32xi32> -> tile<32x1xi32>
    %cst_f32 = constant <f32: -1.000000e+30> : tile<32x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x1xf32>
    %cst_0_f32_49 = constant <f32: 0.000000e+00> : tile<32x64xf32>
    %4 = divi %assume_20, %cst_32_i32_43 signed rounding<positive_inf> : tile<i32>
    %cst_1_i32_50 = constant <i32: 1> : tile<i32>
    %5 = addi %blockId_x, %cst_1_i32_50 : tile<i32>
    %6 = muli %5, %cst_32_i32 : tile<i32>
    %7 = divi %6, %cst_32_i32_43 signed rounding<positive_inf> : tile<i32>
    %8 = mini %4, %7 signed : tile<i32>
    %cst_0_i32_51 = constant <i32: 0> : tile<i32>
    %cst_1_i32_52 = constant <i32: 1> : tile<i32>
    %cst_0_i32_53 = constant <i32: 0> : tile<i32>
    %pview_54 = make_partition_view %tview_26 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %cst_0_f32_55 = constant <f32: 0.000000e+00> : tile<32x32xf32>
    %reshape_56 = reshape %arg28 : tile<f32> -> tile<1x1xf32>
    %bcast_57 = broadcast %reshape_56 : tile<1x1xf32> -> tile<32x32xf32>
    %9 = iota : tile<32xi32>
    %reshape_58 = reshape %assume_20 : tile<i32> -> tile<1x1xi32>
    %bcast_59 = broadcast %reshape_58 : tile<1x1xi32> -> tile<1x32xi32>
    %bcast_60 = broadcast %reshape_48 : tile<32x1xi32> -> tile<32x32xi32>
    %cst_f32_61 = constant <f32: -1.000000e+30> : tile<f32>
    %reshape_62 = reshape %cst_f32_61 : tile<f32> -> tile<1x1xf32>
    %bcast_63 = broadcast %reshape_62 : tile<1x1xf32> -> tile<32x32xf32>
    %cst_0_i32_64 = constant <i32: 0> : tile<i32>
    %pview_65 = make_partition_view %tview_34 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %for:3 = for %loopIdx in (%cst_0_i32_51 to %8, step %cst_1_i32_52) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_49, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<32x64xf32>, tile<32x1xf32>, tile<32x1xf32>) {
      %tile_70, %result_token_71 = load_view_tko weak %pview_54[%blockId_y_45, %loopIdx, %cst_0_i32_53] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
      %reshape_72 = reshape %tile_70 : tile<1x32x64xf16> -> tile<32x64xf16>
      %13 = permute %reshape_72 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
      %14 = mmaf %reshape, %13, %cst_0_f32_55 : tile<32x64xf16>, tile<64x32xf16>, tile<32x32xf32>
      %15 = mulf %14, %bcast_57  : tile<32x32xf32>
      %16 = muli %loopIdx, %cst_32_i32_43 : tile<i32>
      %reshape_73 = reshape %16 : tile<i32> -> tile<1xi32>
      %bcast_74 = broadcast %reshape_73 : tile<1xi32> -> tile<32xi32>
      %17 = addi %bcast_74, %9 : tile<32xi32>
      %reshape_75 = reshape %17 : tile<32xi32> -> tile<1x32xi32>
      %18 = cmpi less_than %reshape_75, %bcast_59, signed : tile<1x32xi32> -> tile<1x32xi1>
      %bcast_76 = broadcast %reshape_75 : tile<1x32xi32> -> tile<32x32xi32>
      %19 = cmpi less_than_or_equal %bcast_76, %bcast_60, signed : tile<32x32xi32> -> tile<32x32xi1>
      %bcast_77 = broadcast %18 : tile<1x32xi1> -> tile<32x32xi1>
      %20 = andi %bcast_77, %19 : tile<32x32xi1>
      %21 = select %20, %15, %bcast_63 : tile<32x32xi1>, tile<32x32xf32>
      %reduce = reduce %21 dim=1 identities=[0xFF800000 : f32] : tile<32x32xf32> -> tile<32xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %31 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %31 : tile<f32>
      }
      %reshape_78 = reshape %reduce : tile<32xf32> -> tile<32x1xf32>
      %22 = maxf %iterArg1, %reshape_78 : tile<32x1xf32>
      %bcast_79 = broadcast %22 : tile<32x1xf32> -> tile<32x32xf32>
      %23 = subf %21, %bcast_79  : tile<32x32xf32>
      %24 = exp2 %23 : tile<32x32xf32>
      %25 = subf %iterArg1, %22  : tile<32x1xf32>
      %26 = exp2 %25 : tile<32x1xf32>
      %reduce_80 = reduce %24 dim=1 identities=[0.000000e+00 : f32] : tile<32x32xf32> -> tile<32xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %31 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %31 : tile<f32>
      }
      %reshape_81 = reshape %reduce_80 : tile<32xf32> -> tile<32x1xf32>
      %27 = fma %iterArg2, %26, %reshape_81  : tile<32x1xf32>
      %tile_82, %result_token_83 = load_view_tko weak %pview_65[%blockId_y_45, %loopIdx, %cst_0_i32_64] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
      %reshape_84 = reshape %tile_82 : tile<1x32x64xf16> -> tile<32x64xf16>
      %28 = ftof %24  : tile<32x32xf32> -> tile<32x32xf16>
      %bcast_85 = broadcast %26 : tile<32x1xf32> -> tile<32x64xf32>
      %29 = mulf %iterArg0, %bcast_85  : tile<32x64xf32>
      %30 = mmaf %28, %reshape_84, %29 : tile<32x32xf16>, tile<32x64xf16>, tile<32x64xf32>
      continue %30, %22, %27 : tile<32x64xf32>, tile<32x1xf32>, tile<32x1xf32>
    }
    %bcast_66 = broadcast %for#2 : tile<32x1xf32> -> tile<32x64xf32>
    %10 = divf %for#0, %bcast_66  : tile<32x64xf32>
    %11 = ftof %10  : tile<32x64xf32> -> tile<32x64xf16>
    %reshape_67 = reshape %11 : tile<32x64xf16> -> tile<1x32x64xf16>
    %cst_0_i32_68 = constant <i32: 0> : tile<i32>
    %pview_69 = make_partition_view %tview_42 : partition_view<tile=(1x32x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %12 = store_view_tko weak %reshape_67, %pview_69[%blockId_y_45, %blockId_x, %cst_0_i32_68] token = %0 : tile<1x32x64xf16>, partition_view<tile=(1x32x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
