cuda_tile.module @kernels {
  entry @attention_128x128x128_causal(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<bf16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<bf16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<bf16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg4 : tile<i32>
    %assume_2 = assume div_by<16>, %arg5 : tile<i32>
    %assume_3 = assume div_by<16>, %arg7 : tile<ptr<bf16>>
    %assume_4 = assume div_by<16>, %arg10 : tile<i32>
    %assume_5 = assume div_by<16>, %arg11 : tile<i32>
    %assume_6 = assume div_by<16>, %arg12 : tile<i32>
    %assume_7 = assume div_by<16>, %arg14 : tile<ptr<bf16>>
    %assume_8 = assume div_by<16>, %arg17 : tile<i32>
    %assume_9 = assume div_by<16>, %arg18 : tile<i32>
    %assume_10 = assume div_by<16>, %arg19 : tile<i32>
    %assume_11 = assume div_by<16>, %arg21 : tile<ptr<bf16>>
    %assume_12 = assume div_by<16>, %arg24 : tile<i32>
    %assume_13 = assume div_by<16>, %arg25 : tile<i32>
    %assume_14 = assume div_by<16>, %arg26 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %cst_1_i32_16 = constant <i32: 1> : tile<i32>
    %cst_1_i32_17 = constant <i32: 1> : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_20 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
    %assume_assume_22 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_18, %assume_19, %assume_assume_assume], strides = [%assume_assume_assume_21, %assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_24 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_assume_26 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
    %assume_assume_28 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
    %assume_assume_30 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
    %tview_32 = make_tensor_view %assume_3, shape = [%assume_24, %assume_25, %assume_assume_assume_27], strides = [%assume_assume_assume_29, %assume_assume_assume_31, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_33 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_34 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_assume_35 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_36 = assume div_by<16>, %assume_assume_35 : tile<i32>
    %assume_assume_37 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_38 = assume div_by<16>, %assume_assume_37 : tile<i32>
    %assume_assume_39 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_40 = assume div_by<16>, %assume_assume_39 : tile<i32>
    %tview_41 = make_tensor_view %assume_7, shape = [%assume_33, %assume_34, %assume_assume_assume_36], strides = [%assume_assume_assume_38, %assume_assume_assume_40, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %assume_42 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_43 = assume bounded<0, ?>, %arg23 : tile<i32>
    %assume_assume_44 = assume bounded<0, ?>, %assume_12 : tile<i32>
    %assume_assume_assume_45 = assume div_by<16>, %assume_assume_44 : tile<i32>
    %assume_assume_46 = assume bounded<0, ?>, %assume_13 : tile<i32>
    %assume_assume_assume_47 = assume div_by<16>, %assume_assume_46 : tile<i32>
    %assume_assume_48 = assume bounded<0, ?>, %assume_14 : tile<i32>
    %assume_assume_assume_49 = assume div_by<16>, %assume_assume_48 : tile<i32>
    %tview_50 = make_tensor_view %assume_11, shape = [%assume_42, %assume_43, %assume_assume_assume_45], strides = [%assume_assume_assume_47, %assume_assume_assume_49, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
    %cst_128_i32 = constant <i32: 128> : tile<i32>
    %cst_128_i32_51 = constant <i32: 128> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_52, %blockId_y_53, %blockId_z_54 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_y_53, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xbf16>, token
    %reshape = reshape %tile : tile<1x128x128xbf16> -> tile<128x128xbf16>
    %1 = muli %blockId_x, %cst_128_i32 : tile<i32>
    %2 = iota : tile<128xi32>
    %reshape_55 = reshape %1 : tile<i32> -> tile<1xi32>
    %bcast = broadcast %reshape_55 : tile<1xi32> -> tile<128xi32>
    %3 = addi %bcast, %2 : tile<128xi32>
    %reshape_56 = reshape %3 : tile<128xi32> -> tile<128x1xi32>
    %cst_f32 = constant <f32: -1.000000e+30> : tile<128x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x1xf32>
    %cst_0_f32_57 = constant <f32: 0.000000e+00> : tile<128x128xf32>
    %4 = divi %assume_25, %cst_128_i32_51 signed rounding<positive_inf> : tile<i32>
    %cst_1_i32_58 = constant <i32: 1> : tile<i32>
    %5 = addi %blockId_x, %cst_1_i32_58 : tile<i32>
    %6 = muli %5, %cst_128_i32 : tile<i32>
    %7 = divi %6, %cst_128_i32_51 signed rounding<positive_inf> : tile<i32>
    %8 = mini %4, %7 signed : tile<i32>
    %cst_0_i32_59 = constant <i32: 0> : tile<i32>
    %cst_1_i32_60 = constant <i32: 1> : tile<i32>
    %cst_0_i32_61 = constant <i32: 0> : tile<i32>
    %pview_62 = make_partition_view %tview_32 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %cst_0_f32_63 = constant <f32: 0.000000e+00> : tile<128x128xf32>
    %reshape_64 = reshape %arg28 : tile<f32> -> tile<1x1xf32>
    %bcast_65 = broadcast %reshape_64 : tile<1x1xf32> -> tile<128x128xf32>
    %9 = iota : tile<128xi32>
    %reshape_66 = reshape %assume_25 : tile<i32> -> tile<1x1xi32>
    %bcast_67 = broadcast %reshape_66 : tile<1x1xi32> -> tile<1x128xi32>
    %bcast_68 = broadcast %reshape_56 : tile<128x1xi32> -> tile<128x128xi32>
    %cst_f32_69 = constant <f32: -1.000000e+30> : tile<f32>
    %reshape_70 = reshape %cst_f32_69 : tile<f32> -> tile<1x1xf32>
    %bcast_71 = broadcast %reshape_70 : tile<1x1xf32> -> tile<128x128xf32>
    %cst_0_i32_72 = constant <i32: 0> : tile<i32>
    %pview_73 = make_partition_view %tview_41 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %for:3 = for %loopIdx in (%cst_0_i32_59 to %8, step %cst_1_i32_60) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_57, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<128x128xf32>, tile<128x1xf32>, tile<128x1xf32>) {
      %tile_78, %result_token_79 = load_view_tko weak %pview_62[%blockId_y_53, %loopIdx, %cst_0_i32_61] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xbf16>, token
      %reshape_80 = reshape %tile_78 : tile<1x128x128xbf16> -> tile<128x128xbf16>
      %13 = permute %reshape_80 [1, 0] : tile<128x128xbf16> -> tile<128x128xbf16>
      %14 = mmaf %reshape, %13, %cst_0_f32_63 : tile<128x128xbf16>, tile<128x128xbf16>, tile<128x128xf32>
      %15 = mulf %14, %bcast_65  : tile<128x128xf32>
      %16 = muli %loopIdx, %cst_128_i32_51 : tile<i32>
      %reshape_81 = reshape %16 : tile<i32> -> tile<1xi32>
      %bcast_82 = broadcast %reshape_81 : tile<1xi32> -> tile<128xi32>
      %17 = addi %bcast_82, %9 : tile<128xi32>
      %reshape_83 = reshape %17 : tile<128xi32> -> tile<1x128xi32>
      %18 = cmpi less_than %reshape_83, %bcast_67, signed : tile<1x128xi32> -> tile<1x128xi1>
      %bcast_84 = broadcast %reshape_83 : tile<1x128xi32> -> tile<128x128xi32>
      %19 = cmpi less_than_or_equal %bcast_84, %bcast_68, signed : tile<128x128xi32> -> tile<128x128xi1>
      %bcast_85 = broadcast %18 : tile<1x128xi1> -> tile<128x128xi1>
      %20 = andi %bcast_85, %19 : tile<128x128xi1>
      %21 = select %20, %15, %bcast_71 : tile<128x128xi1>, tile<128x128xf32>
      %reduce = reduce %21 dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %31 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %31 : tile<f32>
      }
      %reshape_86 = reshape %reduce : tile<128xf32> -> tile<128x1xf32>
      %22 = maxf %iterArg1, %reshape_86 : tile<128x1xf32>
      %bcast_87 = broadcast %22 : tile<128x1xf32> -> tile<128x128xf32>
      %23 = subf %21, %bcast_87  : tile<128x128xf32>
      %24 = exp2 %23 : tile<128x128xf32>
      %25 = subf %iterArg1, %22  : tile<128x1xf32>
      %26 = exp2 %25 : tile<128x1xf32>
      %reduce_88 = reduce %24 dim=1 identities=[0.000000e+00 : f32] : tile<128x128xf32> -> tile<128xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %31 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %31 : tile<f32>
      }
      %reshape_89 = reshape %reduce_88 : tile<128xf32> -> tile<128x1xf32>
      %27 = fma %iterArg2, %26, %reshape_89  : tile<128x1xf32>
      %tile_90, %result_token_91 = load_view_tko weak %pview_73[%blockId_y_53, %loopIdx, %cst_0_i32_72] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xbf16>, token
      %reshape_92 = reshape %tile_90 : tile<1x128x128xbf16> -> tile<128x128xbf16>
      %28 = ftof %24  : tile<128x128xf32> -> tile<128x128xbf16>
      %bcast_93 = broadcast %26 : tile<128x1xf32> -> tile<128x128xf32>
      %29 = mulf %iterArg0, %bcast_93  : tile<128x128xf32>
      %30 = mmaf %28, %reshape_92, %29 : tile<128x128xbf16>, tile<128x128xbf16>, tile<128x128xf32>
      continue %30, %22, %27 : tile<128x128xf32>, tile<128x1xf32>, tile<128x1xf32>
    }
    %bcast_74 = broadcast %for#2 : tile<128x1xf32> -> tile<128x128xf32>
    %10 = divf %for#0, %bcast_74  : tile<128x128xf32>
    %11 = ftof %10  : tile<128x128xf32> -> tile<128x128xbf16>
    %reshape_75 = reshape %11 : tile<128x128xbf16> -> tile<1x128x128xbf16>
    %cst_0_i32_76 = constant <i32: 0> : tile<i32>
    %pview_77 = make_partition_view %tview_50 : partition_view<tile=(1x128x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %12 = store_view_tko weak %reshape_75, %pview_77[%blockId_y_53, %blockId_x, %cst_0_i32_76] token = %0 : tile<1x128x128xbf16>, partition_view<tile=(1x128x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
