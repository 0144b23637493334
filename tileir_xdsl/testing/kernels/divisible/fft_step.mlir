cuda_tile.module @kernels {
  entry @fft_step(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f32>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f32>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg4 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<i32>
    %assume_2 = assume div_by<16>, %arg7 : tile<ptr<f32>>
    %assume_3 = assume div_by<16>, %arg11 : tile<i32>
    %assume_4 = assume div_by<16>, %arg12 : tile<i32>
    %assume_5 = assume div_by<16>, %arg14 : tile<ptr<f32>>
    %assume_6 = assume div_by<16>, %arg18 : tile<i32>
    %assume_7 = assume div_by<16>, %arg19 : tile<i32>
    %assume_8 = assume div_by<16>, %arg21 : tile<ptr<f32>>
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
    %tview = make_tensor_view %assume, shape = [%assume_14, %assume_15, %assume_16], strides = [%assume_assume_assume, %assume_assume_assume_18, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_19 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_21 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_assume_22 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
    %assume_assume_24 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
    %tview_26 = make_tensor_view %assume_2, shape = [%assume_19, %assume_20, %assume_21], strides = [%assume_assume_assume_23, %assume_assume_assume_25, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_27 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_28 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_29 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_assume_30 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
    %assume_assume_32 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
    %tview_34 = make_tensor_view %assume_5, shape = [%assume_27, %assume_28, %assume_29], strides = [%assume_assume_assume_31, %assume_assume_assume_33, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %assume_35 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_36 = assume bounded<0, ?>, %arg23 : tile<i32>
    %assume_37 = assume bounded<0, ?>, %arg24 : tile<i32>
    %assume_assume_38 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
    %assume_assume_40 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32>
    %tview_42 = make_tensor_view %assume_8, shape = [%assume_35, %assume_36, %assume_37], strides = [%assume_assume_assume_39, %assume_assume_assume_41, 1] : tile<i32> -> tensor_view<?x?x?xf32, strides=[?,?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_43 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %blockId_x, %cst_0_i32_43] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape = reshape %tile : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_1_i32_44 = constant <i32: 1> : tile<i32>
    %cst_0_i32_45 = constant <i32: 0> : tile<i32>
    %pview_46 = make_partition_view %tview : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_47, %result_token_48 = load_view_tko weak %pview_46[%cst_1_i32_44, %blockId_x, %cst_0_i32_45] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_49 = reshape %tile_47 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_0_i32_50 = constant <i32: 0> : tile<i32>
    %cst_0_i32_51 = constant <i32: 0> : tile<i32>
    %cst_0_i32_52 = constant <i32: 0> : tile<i32>
    %pview_53 = make_partition_view %tview_26 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_54, %result_token_55 = load_view_tko weak %pview_53[%cst_0_i32_50, %cst_0_i32_51, %cst_0_i32_52] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_56 = reshape %tile_54 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_1_i32_57 = constant <i32: 1> : tile<i32>
    %cst_0_i32_58 = constant <i32: 0> : tile<i32>
    %cst_0_i32_59 = constant <i32: 0> : tile<i32>
    %pview_60 = make_partition_view %tview_26 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_61, %result_token_62 = load_view_tko weak %pview_60[%cst_1_i32_57, %cst_0_i32_58, %cst_0_i32_59] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_63 = reshape %tile_61 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %1 = mmaf %reshape, %reshape_56, %cst_0_f32 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %cst_0_f32_64 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %2 = mmaf %reshape_49, %reshape_63, %cst_0_f32_64 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %3 = subf %1, %2  : tile<16x16xf32>
    %cst_0_f32_65 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %4 = mmaf %reshape, %reshape_63, %cst_0_f32_65 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %cst_0_f32_66 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %5 = mmaf %reshape_49, %reshape_56, %cst_0_f32_66 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %6 = addf %4, %5  : tile<16x16xf32>
    %cst_0_i32_67 = constant <i32: 0> : tile<i32>
    %cst_0_i32_68 = constant <i32: 0> : tile<i32>
    %cst_0_i32_69 = constant <i32: 0> : tile<i32>
    %pview_70 = make_partition_view %tview_34 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_71, %result_token_72 = load_view_tko weak %pview_70[%cst_0_i32_67, %cst_0_i32_68, %cst_0_i32_69] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_73 = reshape %tile_71 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_1_i32_74 = constant <i32: 1> : tile<i32>
    %cst_0_i32_75 = constant <i32: 0> : tile<i32>
    %cst_0_i32_76 = constant <i32: 0> : tile<i32>
    %pview_77 = make_partition_view %tview_34 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_78, %result_token_79 = load_view_tko weak %pview_77[%cst_1_i32_74, %cst_0_i32_75, %cst_0_i32_76] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_80 = reshape %tile_78 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_0_i32_81 = constant <i32: 0> : tile<i32>
    %cst_0_i32_82 = constant <i32: 0> : tile<i32>
    %7 = mulf %6, %reshape_80  : tile<16x16xf32>
    %8 = negf %7 : tile<16x16xf32>
    %9 = fma %3, %reshape_73, %8  : tile<16x16xf32>
    %reshape_83 = reshape %9 : tile<16x16xf32> -> tile<1x16x16xf32>
    %pview_84 = make_partition_view %tview_42 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %10 = store_view_tko weak %reshape_83, %pview_84[%cst_0_i32_81, %blockId_x, %cst_0_i32_82] token = %0 : tile<1x16x16xf32>, partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    %cst_1_i32_85 = constant <i32: 1> : tile<i32>
    %cst_0_i32_86 = constant <i32: 0> : tile<i32>
    %11 = mulf %6, %reshape_73  : tile<16x16xf32>
    %12 = fma %3, %reshape_80, %11  : tile<16x16xf32>
    %reshape_87 = reshape %12 : tile<16x16xf32> -> tile<1x16x16xf32>
    %pview_88 = make_partition_view %tview_42 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %13 = store_view_tko weak %reshape_87, %pview_88[%cst_1_i32_85, %blockId_x, %cst_0_i32_86] token = %10 : tile<1x16x16xf32>, partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
