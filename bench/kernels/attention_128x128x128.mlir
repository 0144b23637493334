cuda_tile.module @kernels {
  entry @attention_128x128x128(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<bf16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<bf16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<bf16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg2 : tile<i32>
    %assume_2 = assume div_by<16>, %arg3 : tile<i32>
    %assume_3 = assume div_by<16>, %arg4 : tile<i32>
    %assume_4 = assume div_by<16>, %arg5 : tile<i32>
    %assume_5 = assume div_by<16>, %arg7 : tile<ptr<bf16>>
    %assume_6 = assume div_by<16>, %arg8 : tile<i32>
    %assume_7 = assume div_by<16>, %arg9 : tile<i32>
    %assume_8 = assume div_by<16>, %arg10 : tile<i32>
    %assume_9 = assume div_by<16>, %arg11 : tile<i32>
    %assume_10 = assume div_by<16>, %arg12 : tile<i32>
    %assume_11 = assume div_by<16>, %arg14 : tile<ptr<bf16>>
    %assume_12 = assume div_by<16>, %arg15 : tile<i32>
    %assume_13 = assume div_by<16>, %arg16 : tile<i32>
    %assume_14 = assume div_by<16>, %arg17 : tile<i32>
    %assume_15 = assume div_by<16>, %arg18 : tile<i32>
    %assume_16 = assume div_by<16>, %arg19 : tile<i32>
    %assume_17 = assume div_by<16>, %arg21 : tile<ptr<bf16>>
    %assume_18 = assume div_by<16>, %arg22 : tile<i32>
    %assume_19 = assume div_by<16>, %arg23 : tile<i32>
    %assume_20 = assume div_by<16>, %arg24 : tile<i32>
    %assume_21 = assume div_by<16>, %arg25 : tile<i32>
    %assume_22 = assume div_by<16>, %arg26 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_23 = constant <i32: 1> : tile<i32>
    %cst_1_i32_24 = constant <i32: 1> : tile<i32>
    %cst_1_i32_25 = constant <i32: 1> : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_26 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
    %assume_assume_28 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
    %assume_assume_30 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
    %assume_assume_32 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_assume_assume, %assume_assume_assume_27, %assume_assume_assume_29], strides = [%assume_assume_assume_31, %assume_assume_assume_33, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_assume_34 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_35 = assume div_by<16>, %assume_assume_34 : tile<i32>
    %assume_assume_36 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32>
    %assume_assume_38 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
    %assume_assume_40 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32>
    %assume_assume_42 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_43 = assume div_by<16>, %assume_assume_42 : tile<i32>
    %tview_44 = make_tensor_view %assume_5, shape = [%assume_assume_assume_35, %assume_assume_assume_37, %assume_assume_assume_39], strides = [%assume_assume_assume_41, %assume_assume_assume_43, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_assume_45 = assume bounded<0, ?>, %assume_12 : tile<i32>
    %assume_assume_assume_46 = assume div_by<16>, %assume_assume_45 : tile<i32>
    %assume_assume_47 = assume bounded<0, ?>, %assume_13 : tile<i32>
    %assume_assume_assume_48 = assume div_by<16>, %assume_assume_47 : tile<i32>
    %assume_assume_49 = assume bounded<0, ?>, %assume_14 : tile<i32>
    %assume_assume_assume_50 = assume div_by<16>, %assume_assume_49 : tile<i32>
    %assume_assume_51 = assume bounded<0, ?>, %assume_15 : tile<i32>
    %assume_assume_assume_52 = assume div_by<16>, %assume_assume_51 : tile<i32>
    %assume_assume_53 = assume bounded<0, ?>, %assume_16 : tile<i32>
    %assume_assume_assume_54 = assume div_by<16>, %assume_assume_53 : tile<i32>
    %tview_55 = make_tensor_view %assume_11, shape = [%assume_assume_assume_46, %assume_assume_assume_48, %assume_assume_assume_50], strides = [%assume_assume_assume_52, %assume_assume_assume_54, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_assume_56 = assume bounded<0, ?>, %assume_18 : tile<i32>
    %assume_assume_assume_57 = assume div_by<16>, %assume_assume_56 : tile<i32>
    %assume_assume_58 = assume bounded<0, ?>, %assume_19 : tile<i32>
    %assume_assume_assume_59 = assume div_by<16>, %assume_assume_58 : tile<i32>
    %assume_assume_60 = assume bounded<0, ?>, %assume_20 : tile<i32>
    %assume_assume_assume_61 = assume div_by<16>, %assume_assume_60 : tile<i32>
    %assume_assume_62 = assume bounded<0, ?>, %assume_21 : tile<i32>
    %assume_assume_assume_63 = assume div_by<16>, %assume_assume_62 : tile<i32>
    %assume_assume_64 = assume bounded<0, ?>, %assume_22 : tile<i32>
    %assume_assume_assume_65 = assume div_by<16>, %assume_assume_64 : tile<i32>
    %tview_66 = make_tensor_view %assume_17, shape = [%assume_assume_assume_57, %assume_assume_assume_59, %assume_assume_assume_61], strides = [%assume_assume_assume_63, %assume_assume_assume_65, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %cst_128_i32 = constant <i32: 128> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_67, %blockId_y_68, %blockId_z_69 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_y_68, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xbf16>, token
    %reshape = reshape %tile : tile<1x128x128xbf16> -> tile<128x128xbf16>
    %cst_f32 = constant <f32: -1.000000e+30> : tile<128x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x1xf32>
    %cst_0_f32_70 = constant <f32: 0.000000e+00> : tile<128x128xf32>
    %1 = divi %assume_assume_assume_37, %cst_128_i32 signed rounding<positive_inf> : tile<i32>
    %cst_0_i32_71 = constant <i32: 0> : tile<i32>
    %cst_1_i32_72 = constant <i32: 1> : tile<i32>
    %cst_0_i32_73 = constant <i32: 0> : tile<i32>
    %pview_74 = make_partition_view %tview_44 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %cst_0_f32_75 = constant <f32: 0.000000e+00> : tile<128x128xf32>
    %reshape_76 = reshape %arg28 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape_76 : tile<1x1xf32> -> tile<128x128xf32>
    %2 = iota : tile<128xi32>
    %reshape_77 = reshape %assume_assume_assume_37 : tile<i32> -> tile<1x1xi32>
    %bcast_78 = broadcast %reshape_77 : tile<1x1xi32> -> tile<1x128xi32>
    %cst_f32_79 = constant <f32: -1.000000e+30> : tile<f32>
    %reshape_80 = reshape %cst_f32_79 : tile<f32> -> tile<1x1xf32>
    %bcast_81 = broadcast %reshape_80 : tile<1x1xf32> -> tile<128x128xf32>
    %cst_0_i32_82 = constant <i32: 0> : tile<i32>
    %pview_83 = make_partition_view %tview_55 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %for:3 = for %loopIdx in (%cst_0_i32_71 to %1, step %cst_1_i32_72) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_70, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<128x128xf32>, tile<128x1xf32>, tile<128x1xf32>) {
      %tile_88, %result_token_89 = load_view_tko weak %pview_74[%blockId_y_68, %loopIdx, %cst_0_i32_73] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xbf16>, token
      %reshape_90 = reshape %tile_88 : tile<1x128x128xbf16> -> tile<128x128xbf16>
      %6 = permute %reshape_90 [1, 0] : tile<128x128xbf16> -> tile<128x128xbf16>
      %7 = mmaf %reshape, %6, %cst_0_f32_75 : tile<128x128xbf16>, tile<128x128xbf16>, tile<128x128xf32>
      %8 = mulf %7, %bcast  : tile<128x128xf32>
      %9 = muli %loopIdx, %cst_128_i32 : tile<i32>
      %reshape_91 = reshape %9 : tile<i32> -> tile<1xi32>
      %bcast_92 = broadcast %reshape_91 : tile<1xi32> -> tile<128xi32>
      %10 = addi %bcast_92, %2 : tile<128xi32>
      %reshape_93 = reshape %10 : tile<128xi32> -> tile<1x128xi32>
      %11 = cmpi less_than %reshape_93, %bcast_78, signed : tile<1x128xi32> -> tile<1x128xi1>
      %bcast_94 = broadcast %11 : tile<1x128xi1> -> tile<128x128xi1>
      %12 = select %bcast_94, %8, %bcast_81 : tile<128x128xi1>, tile<128x128xf32>
      %reduce = reduce %12 dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_95 = reshape %reduce : tile<128xf32> -> tile<128x1xf32>
      %13 = maxf %iterArg1, %reshape_95 : tile<128x1xf32>
      %bcast_96 = broadcast %13 : tile<128x1xf32> -> tile<128x128xf32>
      %14 = subf %12, %bcast_96  : tile<128x128xf32>
      %15 = exp2 %14 : tile<128x128xf32>
      %16 = subf %iterArg1, %13  : tile<128x1xf32>
      %17 = exp2 %16 : tile<128x1xf32>
      %reduce_97 = reduce %15 dim=1 identities=[0.000000e+00 : f32] : tile<128x128xf32> -> tile<128xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_98 = reshape %reduce_97 : tile<128xf32> -> tile<128x1xf32>
      %18 = fma %iterArg2, %17, %reshape_98  : tile<128x1xf32>
      %tile_99, %result_token_100 = load_view_tko weak %pview_83[%blockId_y_68, %loopIdx, %cst_0_i32_82] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xbf16>, token
      %reshape_101 = reshape %tile_99 : tile<1x128x128xbf16> -> tile<128x128xbf16>
      %19 = ftof %15  : tile<128x128xf32> -> tile<128x128xbf16>
      %bcast_102 = broadcast %17 : tile<128x1xf32> -> tile<128x128xf32>
      %20 = mulf %iterArg0, %bcast_102  : tile<128x128xf32>
      %21 = mmaf %19, %reshape_101, %20 : tile<128x128xbf16>, tile<128x128xbf16>, tile<128x128xf32>
      continue %21, %13, %18 : tile<128x128xf32>, tile<128x1xf32>, tile<128x1xf32>
    }
    %bcast_84 = broadcast %for#2 : tile<128x1xf32> -> tile<128x128xf32>
    %3 = divf %for#0, %bcast_84  : tile<128x128xf32>
    %4 = ftof %3  : tile<128x128xf32> -> tile<128x128xbf16>
    %reshape_85 = reshape %4 : tile<128x128xbf16> -> tile<1x128x128xbf16>
    %cst_0_i32_86 = constant <i32: 0> : tile<i32>
    %pview_87 = make_partition_view %tview_66 : partition_view<tile=(1x128x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %5 = store_view_tko weak %reshape_85, %pview_87[%blockId_y_68, %blockId_x, %cst_0_i32_86] token = %0 : tile<1x128x128xbf16>, partition_view<tile=(1x128x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
