cuda_tile.module @kernels {
  entry @attention(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
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
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_43, %blockId_y_44, %blockId_z_45 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_y_44, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
    %reshape = reshape %tile : tile<1x32x64xf16> -> tile<32x64xf16>
    %cst_f32 = constant <f32: -1.000000e+30> : tile<32x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x1xf32>
    %cst_0_f32_46 = constant <f32: 0.000000e+00> : tile<32x64xf32>
    %1 = divi %assume_20, %cst_32_i32 signed rounding<positive_inf> : tile<i32>
    %cst_0_i32_47 = constant <i32: 0> : tile<i32>
    %cst_1_i32_48 = constant <i32: 1> : tile<i32>
    %cst_0_i32_49 = constant <i32: 0> : tile<i32>
    %pview_50 = make_partition_view %tview_26 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %cst_0_f32_51 = constant <f32: 0.000000e+00> : tile<32x32xf32>
    %reshape_52 = reshape %arg28 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape_52 : tile<1x1xf32> -> tile<32x32xf32>
    %2 = iota : tile<32xi32>
    %reshape_53 = reshape %assume_20 : tile<i32> -> tile<1x1xi32>
    %bcast_54 = broadcast %reshape_53 : tile<1x1xi32> -> tile<1x32xi32>
    %cst_f32_55 = constant <f32: -1.000000e+30> : tile<f32>
    %reshape_56 = reshape %cst_f32_55 : tile<f32> -> tile<1x1xf32>
    %bcast_57 = broadcast %reshape_56 : tile<1x1xf32> -> tile<32x32xf32>
    %cst_0_i32_58 = constant <i32: 0> : tile<i32>
    %pview_59 = make_partition_view %tview_34 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %for:3 = for %loopIdx in (%cst_0_i32_47 to %1, step %cst_1_i32_48) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_46, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<32x64xf32>, tile<32x1xf32>, tile<32x1xf32>) {
      %tile_64, %result_token_65 = load_view_tko weak %pview_50[%blockId_y_44, %loopIdx, %cst_0_i32_49] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
      %reshape_66 = reshape %tile_64 : tile<1x32x64xf16> -> tile<32x64xf16>
      %6 = permute %reshape_66 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
      %7 = mmaf %reshape, %6, %cst_0_f32_51 : tile<32x64xf16>, tile<64x32xf16>, tile<32x32xf32>
      %8 = mulf %7, %bcast  : tile<32x32xf32>
      %9 = muli %loopIdx, %cst_32_i32 : tile<i32>
      %reshape_67 = reshape %9 : tile<i32> -> tile<1xi32>
      %bcast_68 = broadcast %reshape_67 : tile<1xi32> -> tile<32xi32>
      %10 = addi %bcast_68, %2 : tile<32xi32>
      %reshape_69 = reshape %10 : tile<32xi32> -> tile<1x32xi32>
      %11 = cmpi less_than %reshape_69, %bcast_54, signed : tile<1x32xi32> -> tile<1x32xi1>
      %bcast_70 = broadcast %11 : tile<1x32xi1> -> tile<32x32xi1>
      %12 = select %bcast_70, %8, %bcast_57 : tile<32x32xi1>, tile<32x32xf32>
      %reduce = reduce %12 dim=1 identities=[0xFF800000 : f32] : tile<32x32xf32> -> tile<32xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_71 = reshape %reduce : tile<32xf32> -> tile<32x1xf32>
      %13 = maxf %iterArg1, %reshape_71 : tile<32x1xf32>
      %bcast_72 = broadcast %13 : tile<32x1xf32> -> tile<32x32xf32>
      %14 = subf %12, %bcast_72  : tile<32x32xf32>
      %15 = exp2 %14 : tile<32x32xf32>
      %16 = subf %iterArg1, %13  : tile<32x1xf32>
      %17 = exp2 %16 : tile<32x1xf32>
      %reduce_73 = reduce %15 dim=1 identities=[0.000000e+00 : f32] : tile<32x32xf32> -> tile<32xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_74 = reshape %reduce_73 : tile<32xf32> -> tile<32x1xf32>
      %18 = fma %iterArg2, %17, %reshape_74  : tile<32x1xf32>
      %tile_75, %result_token_76 = load_view_tko weak %pview_59[%blockId_y_44, %loopIdx, %cst_0_i32_58] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
      %reshape_77 = reshape %tile_75 : tile<1x32x64xf16> -> tile<32x64xf16>
      %19 = ftof %15  : tile<32x32xf32> -> tile<32x32xf16>
      %bcast_78 = broadcast %17 : tile<32x1xf32> -> tile<32x64xf32>
      %20 = mulf %iterArg0, %bcast_78  : tile<32x64xf32>
      %21 = mmaf %19, %reshape_77, %20 : tile<32x32xf16>, tile<32x64xf16>, tile<32x64xf32>
      continue %21, %13, %18 : tile<32x64xf32>, tile<32x1xf32>, tile<32x1xf32>
    }
    %bcast_60 = broadcast %for#2 : tile<32x1xf32> -> tile<32x64xf32>
    %3 = divf %for#0, %bcast_60  : tile<32x64xf32>
    %4 = ftof %3  : tile<32x64xf32> -> tile<32x64xf16>
    %reshape_61 = reshape %4 : tile<32x64xf16> -> tile<1x32x64xf16>
    %cst_0_i32_62 = constant <i32: 0> : tile<i32>
    %pview_63 = make_partition_view %tview_42 : partition_view<tile=(1x32x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %5 = store_view_tko weak %reshape_61, %pview_63[%blockId_y_44, %blockId_x, %cst_0_i32_62] token = %0 : tile<1x32x64xf16>, partition_view<tile=(1x32x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
