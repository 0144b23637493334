cuda_tile.module @kernels {
  entry @attention(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f32>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f32>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg7 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg14 : tile<ptr<f32>>
    %assume_2 = assume div_by<16>, %arg21 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg3 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg4 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg5 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7, %assume_8], strides = [%assume_9, %assume_10, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_11 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg12 : tile<i32>
    %tview_16 = make_tensor_view %assume_0, shape = [%assume_11, %assume_12, %assume_13], strides = [%assume_14, %assume_15, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_17 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg18 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %arg19 : tile<i32>
    %tview_22 = make_tensor_view %assume_1, shape = [%assume_17, %assume_18, %assume_19], strides = [%assume_20, %assume_21, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_23 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg23 : tile<i32>
    %assume_25 = assume bounded<0, ?>, %arg24 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %arg25 : tile<i32>
    %assume_27 = assume bounded<0, ?>, %arg26 : tile<i32>
    %tview_28 = make_tensor_view %assume_2, shape = [%assume_23, %assume_24, %assume_25], strides = [%assume_26, %assume_27, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %cst_64_i32 = constant <i32: 64> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_29, %blockId_y_30, %blockId_z_31 = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_y_30, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf32>, token
    %reshape = reshape %tile : tile<1x64x64xf32> -> tile<64x64xf32>
    %cst_f32 = constant <f32: 0.180336878> : tile<f32>
    %reshape_32 = reshape %cst_f32 : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape_32 : tile<1x1xf32> -> tile<64x64xf32>
    %1 = mulf %reshape, %bcast  : tile<64x64xf32>
    %cst_f32_33 = constant <f32: -1.000000e+30> : tile<64x1xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x1xf32>
    %cst_0_f32_34 = constant <f32: 0.000000e+00> : tile<64x64xf32>
    %2 = divi %assume_12, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
    %cst_0_i32_35 = constant <i32: 0> : tile<i32>
    %cst_1_i32_36 = constant <i32: 1> : tile<i32>
    %cst_0_i32_37 = constant <i32: 0> : tile<i32>
    %pview_38 = make_partition_view %tview_16 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %cst_0_f32_39 = constant <f32: 0.000000e+00> : tile<64x64xf32>
    %cst_0_i32_40 = constant <i32: 0> : tile<i32>
    %pview_41 = make_partition_view %tview_22 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %for:3 = for %loopIdx in (%cst_0_i32_35 to %2, step %cst_1_i32_36) : tile<i32> iter_values(%iterArg0 = %cst_0_f32_34, %iterArg1 = %cst_f32_33, %iterArg2 = %cst_0_f32) -> (tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>) {
      %tile_46, %result_token_47 = load_view_tko weak %pview_38[%blockId_y_30, %loopIdx, %cst_0_i32_37] token = %0 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf32>, token
      %reshape_48 = reshape %tile_46 : tile<1x64x64xf32> -> tile<64x64xf32>
      %5 = permute %reshape_48 [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
      %6 = mmaf %1, %5, %cst_0_f32_39 : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      %reduce = reduce %6 dim=1 identities=[0xFF800000 : f32] : tile<64x64xf32> -> tile<64xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %15 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
        yield %15 : tile<f32>
      }
      %reshape_49 = reshape %reduce : tile<64xf32> -> tile<64x1xf32>
      %7 = maxf %iterArg1, %reshape_49 : tile<64x1xf32>
      %bcast_50 = broadcast %7 : tile<64x1xf32> -> tile<64x64xf32>
      %8 = subf %6, %bcast_50  : tile<64x64xf32>
      %9 = exp2 %8 : tile<64x64xf32>
      %10 = subf %iterArg1, %7  : tile<64x1xf32>
      %11 = exp2 %10 : tile<64x1xf32>
      %reduce_51 = reduce %9 dim=1 identities=[0.000000e+00 : f32] : tile<64x64xf32> -> tile<64xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %15 : tile<f32>
      }
      %reshape_52 = reshape %reduce_51 : tile<64xf32> -> tile<64x1xf32>
      %12 = fma %iterArg2, %11, %reshape_52  : tile<64x1xf32>
      %tile_53, %result_token_54 = load_view_tko weak %pview_41[%blockId_y_30, %loopIdx, %cst_0_i32_40] token = %0 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf32>, token
      %reshape_55 = reshape %tile_53 : tile<1x64x64xf32> -> tile<64x64xf32>
      %bcast_56 = broadcast %11 : tile<64x1xf32> -> tile<64x64xf32>
      %13 = mulf %iterArg0, %bcast_56  : tile<64x64xf32>
      %14 = mmaf %9, %reshape_55, %13 : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>
      continue %14, %7, %12 : tile<64x64xf32>, tile<64x1xf32>, tile<64x1xf32>
    }
    %cst_0_i32_42 = constant <i32: 0> : tile<i32>
    %bcast_43 = broadcast %for#2 : tile<64x1xf32> -> tile<64x64xf32>
    %3 = divf %for#0, %bcast_43  : tile<64x64xf32>
    %reshape_44 = reshape %3 : tile<64x64xf32> -> tile<1x64x64xf32>
    %pview_45 = make_partition_view %tview_28 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %4 = store_view_tko weak %reshape_44, %pview_45[%blockId_y_30, %blockId_x, %cst_0_i32_42] token = %0 : tile<1x64x64xf32>, partition_view<tile=(1x64x64), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
