cuda_tile.module @kernels {
  entry @attention(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
    %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f16>>
    %assume_1 = assume div_by<16>, %arg14 : tile<ptr<f16>>
    %assume_2 = assume div_by<16>, %arg21 : tile<ptr<f16>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg5 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7, %assume_8], strides = [%assume_9, %assume_10, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %assume_11 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg12 : tile<i32>
    %tview_16 = make_tensor_view %assume_0, shape = [%assume_11, %assume_12, %assume_13], strides = [%assume_14, %assume_15, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %assume_17 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg18 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %arg19 : tile<i32>
    %tview_22 = make_tensor_view %assume_1, shape = [%assume_17, %assume_18, %assume_19], strides = [%assume_20, %assume_21, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %assume_23 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg23 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %arg24 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %arg25 : tile<i32>
    %assume_27 = assume bounded<0, ?>, %arg26 : tile<i32>
    %tview_28 = make_tensor_view %assume_2, shape = [%assume_23, %assume_24, %assume_25], strides = [%assume_26, %assume_27, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
    %cst_32_i32 = constant <i32: 32> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_29, %blockId_y_30, %blockId_z_31 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_y_30, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
    %reshape = reshape %tile : tile<1x32x64xf16> -> tile<32x64xf16>
    %cst_f32 = constant <f32: -1.000000e+30> : tile<32x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x1xf32>
    %cst_0_f32_32 = constant <f32: 0.000000e+00> : tile<32x64xf32>
    %1 = divi %assume_12, %cst_32_i32 signed rounding<positive_inf> : tile<i32>
    %cst_0_i32_33 = constant <i32: 0> : tile<i32>
    %cst_1_i32_34 = constant <i32: 1> : tile<i32>
    %cst_0_i32_35 = constant <i32: 0> : tile<i32>
    %pview_36 = make_partition_view %tview_16 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %cst_0_f32_37 = constant <f32: 0.000000e+00> : tile<32x32xf32>
    %reshape_38 = reshape %arg28 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape_38 : tile<1x1xf32> -> tile<32x32xf32>
    %2 = iota : tile<32xi32>
    %reshape_39 = reshape %assume_12 : tile<i32> -> tile<1x1xi32>
    %bcast_40 = broadcast %reshape_39 : tile<1x1xi32> -> tile<1x32xi32>
    %cst_f32_41 = constant <f32: -1.000000e+30> : tile<f32>
    %reshape_42 = reshape %cst_f32_41 : tile<f32> -> tile<1x1xf32>
    %bcast_43 = broadcast %reshape_42 : tile<1x1xf32> -> tile<32x32xf32>
    %cst_0_i32_44 = constant <i32: 0> : tile<i32>
    %pview_45 = make_partition_view %tview_22 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %for:3 = for %loopIdx in (%cst_0_i32_33 to %1, step %cst_1_i32_34) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_32, %iterArg1 = %cst_f32, %iterArg2 = %cst_0_f32) -> (tile<32x64xf32>, tile<32x1xf32>, tile<32x1xf32>) {
      %tile_50, %result_token_51 = load_view_tko weak %pview_36[%blockId_y_30, %loopIdx, %cst_0_i32_35] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
      %reshape_52 = reshape %tile_50 : tile<1x32x64xf16> -> tile<32x64xf16>
      %6 = permute %reshape_52 [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
      %7 = mmaf %reshape, %6, %cst_0_f32_37 : tile<32x64xf16>, tile<64x32xf16>, tile<32x32xf32>
      %8 = mulf %7, %bcast  : tile<32x32xf32>
      %9 = muli %loopIdx, %cst_32_i32 : tile<i32>
      %reshape_53 = reshape %9 : tile<i32> -> tile<1xi32>
      %bcast_54 = broadcast %reshape_53 : tile<1xi32> -> tile<32xi32>
      %10 = addi %bcast_54, %2 : tile<32xi32>
      %reshape_55 = reshape %10 : tile<32xi32> -> tile<1x32xi32>
      %11 = cmpi less_than %reshape_55, %bcast_40, signed : tile<1x32xi32> -> tile<1x32xi1>
      %bcast_56 = broadcast %11 : tile<1x32xi1> -> tile<32x32xi1>
      %12 = select %bcast_56, %8, %bcast_43 : tile<32x32xi1>, tile<32x32xf32>
      %reduce = reduce %12 dim=1 identities=[0xFF800000 : f32] : tile<32x32xf32> -> tile<32xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_57 = reshape %reduce : tile<32xf32> -> tile<32x1xf32>
      %13 = maxf %iterArg1, %reshape_57 : tile<32x1xf32>
      %bcast_58 = broadcast %13 : tile<32x1xf32> -> tile<32x32xf32>
      %14 = subf %12, %bcast_58  : tile<32x32xf32>
      %15 = exp2 %14 : tile<32x32xf32>
      %16 = subf %iterArg1, %13  : tile<32x1xf32>
      %17 = exp2 %16 : tile<32x1xf32>
      %reduce_59 = reduce %15 dim=1 identities=[0.000000e+00 : f32] : tile<32x32xf32> -> tile<32xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %22 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %22 : tile<f32>
      }
      %reshape_60 = reshape %reduce_59 : tile<32xf32> -> tile<32x1xf32>
      %18 = fma %iterArg2, %17, %reshape_60  : tile<32x1xf32>
      %tile_61, %result_token_62 = load_view_tko weak %pview_45[%blockId_y_30, %loopIdx, %cst_0_i32_44] token = %0 : partition_view<tile=(1x32x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x32x64xf16>, token
      %reshape_63 = reshape %tile_61 : tile<1x32x64xf16> -> tile<32x64xf16>
      %19 = ftof %15  : tile<32x32xf32> -> tile<32x32xf16>
      %bcast_64 = broadcast %17 : tile<32x1xf32> -> tile<32x64xf32>
      %20 = mulf %iterArg0, %bcast_64  : tile<32x64xf32>
      %21 = mmaf %19, %reshape_63, %20 : tile<32x32xf16>, tile<32x64xf16>, tile<32x64xf32>
      continue %21, %13, %18 : tile<32x64xf32>, tile<32x1xf32>, tile<32x1xf32>
    }
    %bcast_46 = broadcast %for#2 : tile<32x1xf32> -> tile<32x64xf32>
    %3 = divf %for#0, %bcast_46  : tile<32x64xf32>
    %4 = ftof %3  : tile<32x64xf32> -> tile<32x64xf16>
    %reshape_47 = reshape %4 : tile<32x64xf16> -> tile<1x32x64xf16>
    %cst_0_i32_48 = constant <i32: 0> : tile<i32>
    %pview_49 = make_partition_view %tview_28 : partition_view<tile=(1x32x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
    %5 = store_view_tko weak %reshape_47, %pview_49[%blockId_y_30, %blockId_x, %cst_0_i32_48] token = %0 : tile<1x32x64xf16>, partition_view<tile=(1x32x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
