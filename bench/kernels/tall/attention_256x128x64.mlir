cuda_tile.module @kernels {
  entry @attention_256x128x64(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<bf16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<bf16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<bf16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
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
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_51, %blockId_y_52, %blockId_z_53 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x256x64), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_y_52, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x256x64), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x256x64xbf16>, token
    %reshape = reshape %tile : tile<1x256x64xbf16> -> tile<256x64xbf16>
    %cst_f32 = constant <f32: -1.000000e+30> : tile<256x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<256x1xf32>
    %cst_0_f32_54 = constant <f32: 0.000000e+00> : tile<256x64xf32>
    %1 = divi %assume_25, %cst_128_i32 signed rounding<positive_inf> : tile<i32>
    %cst_0_i32_55 = constant <i32: 0> : tile<i32>
    %cst_1_i32_56 = constant <i32: 1> : tile<i32>
    %cst_0_i32_57 = constant <i32: 0> : tile<i32>
    %pview_58 = make_partition_view %tview_32 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %cst_0_f32_59 = constant <f32: 0.000000e+00> : tile<256x128xf32>
    %reshape_60 = reshape %arg28 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape_60 : tile<1x1xf32> -> tile<256x128xf32>
    %2 = iota : tile<128xi32>
    %reshape_61 = reshape %assume_25 : tile<i32> -> tile<1x1xi32>
    %bcast_62 = broadcast %reshape_61 : tile<1x1xi32> -> tile<1x128xi32>
    %cst_f32_63 = constant <f32: -1.000000e+30> : tile<f32>
    %reshape_64 = reshape %cst_f32_63 : tile<f32> -> tile<1x1xf32>
    %bcast_65 = broadcast %reshape_64 : tile<1x1xf32> -> tile<256x128xf32>
    %cst_0_i32_66 = constant <i32: 0> : tile<i32>
    %pview_67 = make_partition_view %tview_41 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %for:3 = for %loopIdx in (%cst_0_i32_55 to %1, step %cst_1_i32_56) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_54, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<256x64xf32>, tile<256x1xf32>, tile<256x1xf32>) {
      %tile_72, %result_token_73 = load_view_tko weak %pview_58[%blockId_y_52, %loopIdx, %cst_0_i32_57] token = %0 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x64xbf16>, token
      %reshape_74 = reshape %tile_72 : tile<1x128x64xbf16> -> tile<128x64xbf16>
      %6 = permute %reshape_74 [1, 0] : tile<128x64xbf16> -> tile<64x128xbf16>
      %7 = mmaf %reshape, %6, %cst_0_f32_59 : tile<256x64xbf16>, tile<64x128xbf16>, tile<256x128xf32>
      %8 = mulf %7, %bcast  : tile<256x128xf32>
      %9 = muli %loopIdx, %cst_128_i32 : tile<i32>
      %reshape_75 = reshape %9 : tile<i32> -> tile<1xi32>
      %bcast_76 = broadcast %reshape_75 : tile<1xi32> -> tile<128xi32>
      %10 = addi %bcast_76, %2 : tile<128xi32>
      %reshape_77 = reshape %10 : tile<128xi32> -> tile<1x128xi32>
      %11 = cmpi less_than %reshape_77, %bcast_62, signed : tile<1x128xi32> -> tile<1x128xi1>
      %bcast_78 = broadcast %11 : tile<1x128xi1> -> tile<256x128xi1>
      %12 = select %bcast_78, %8, %bcast_65 : tile<256x128xi1>, tile<256x128xf32>
      %reduce = reduce %12 dim=1 identities=[0xFF800000 : f32] : tile<256x128xf32> -> tile<256xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_79 = reshape %reduce : tile<256xf32> -> tile<256x1xf32>
      %13 = maxf %iterArg1, %reshape_79 : tile<256x1xf32>
      %bcast_80 = broadcast %13 : tile<256x1xf32> -> tile<256x128xf32>
      %14 = subf %12, %bcast_80  : tile<256x128xf32>
      %15 = exp2 %14 : tile<256x128xf32>
      %16 = subf %iterArg1, %13  : tile<256x1xf32>
      %17 = exp2 %16 : tile<256x1xf32>
      %reduce_81 = reduce %15 dim=1 identities=[0.000000e+00 : f32] : tile<256x128xf32> -> tile<256xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_82 = reshape %reduce_81 : tile<256xf32> -> tile<256x1xf32>
      %18 = fma %iterArg2, %17, %reshape_82  : tile<256x1xf32>
      %tile_83, %result_token_84 = load_view_tko weak %pview_67[%blockId_y_52, %loopIdx, %cst_0_i32_66] token = %0 : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x64xbf16>, token
      %reshape_85 = reshape %tile_83 : tile<1x128x64xbf16> -> tile<128x64xbf16>
      %19 = ftof %15  : tile<256x128xf32> -> tile<256x128xbf16>
      %bcast_86 = broadcast %17 : tile<256x1xf32> -> tile<256x64xf32>
      %20 = mulf %iterArg0, %bcast_86  : tile<256x64xf32>
      %21 = mmaf %19, %reshape_85, %20 : tile<256x128xbf16>, tile<128x64xbf16>, tile<256x64xf32>
      continue %21, %13, %18 : tile<256x64xf32>, tile<256x1xf32>, tile<256x1xf32>
    }
    %bcast_68 = broadcast %for#2 : tile<256x1xf32> -> tile<256x64xf32>
    %3 = divf %for#0, %bcast_68  : tile<256x64xf32>
    %4 = ftof %3  : tile<256x64xf32> -> tile<256x64xbf16>
    %reshape_69 = reshape %4 : tile<256x64xbf16> -> tile<1x256x64xbf16>
    %cst_0_i32_70 = constant <i32: 0> : tile<i32>
    %pview_71 = make_partition_view %tview_50 : partition_view<tile=(1x256x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
    %5 = store_view_tko weak %reshape_69, %pview_71[%blockId_y_52, %blockId_x, %cst_0_i32_70] token = %0 : tile<1x256x64xbf16>, partition_view<tile=(1x256x64), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
