cuda_tile.module @kernels {
  entry @fft_step(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f32>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f32>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>) optimization_hints=<default = {}> {
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
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_29 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %blockId_x, %cst_0_i32_29] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape = reshape %tile : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_1_i32_30 = constant <i32: 1> : tile<i32>
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %pview_32 = make_partition_view %tview : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_33, %result_token_34 = load_view_tko weak %pview_32[%cst_1_i32_30, %blockId_x, %cst_0_i32_31] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_35 = reshape %tile_33 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_0_i32_36 = constant <i32: 0> : tile<i32>
    %cst_0_i32_37 = constant <i32: 0> : tile<i32>
    %cst_0_i32_38 = constant <i32: 0> : tile<i32>
    %pview_39 = make_partition_view %tview_16 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_40, %result_token_41 = load_view_tko weak %pview_39[%cst_0_i32_36, %cst_0_i32_37, %cst_0_i32_38] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_42 = reshape %tile_40 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_1_i32_43 = constant <i32: 1> : tile<i32>
    %cst_0_i32_44 = constant <i32: 0> : tile<i32>
    %cst_0_i32_45 = constant <i32: 0> : tile<i32>
    %pview_46 = make_partition_view %tview_16 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_47, %result_token_48 = load_view_tko weak %pview_46[%cst_1_i32_43, %cst_0_i32_44, %cst_0_i32_45] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_49 = reshape %tile_47 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %1 = mmaf %reshape, %reshape_42, %cst_0_f32 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %cst_0_f32_50 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %2 = mmaf %reshape_35, %reshape_49, %cst_0_f32_50 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %3 = subf %1, %2  : tile<16x16xf32>
    %cst_0_f32_51 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %4 = mmaf %reshape, %reshape_49, %cst_0_f32_51 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %cst_0_f32_52 = constant <f32: 0.000000e+00> : tile<16x16xf32>
    %5 = mmaf %reshape_35, %reshape_42, %cst_0_f32_52 : tile<16x16xf32>, tile<16x16xf32>, tile<16x16xf32>
    %6 = addf %4, %5  : tile<16x16xf32>
    %cst_0_i32_53 = constant <i32: 0> : tile<i32>
    %cst_0_i32_54 = constant <i32: 0> : tile<i32>
    %cst_0_i32_55 = constant <i32: 0> : tile<i32>
    %pview_56 = make_partition_view %tview_22 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_57, %result_token_58 = load_view_tko weak %pview_56[%cst_0_i32_53, %cst_0_i32_54, %cst_0_i32_55] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_59 = reshape %tile_57 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_1_i32_60 = constant <i32: 1> : tile<i32>
    %cst_0_i32_61 = constant <i32: 0> : tile<i32>
    %cst_0_i32_62 = constant <i32: 0> : tile<i32>
    %pview_63 = make_partition_view %tview_22 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %tile_64, %result_token_65 = load_view_tko weak %pview_63[%cst_1_i32_60, %cst_0_i32_61, %cst_0_i32_62] token = %0 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> tile<1x16x16xf32>, token
    %reshape_66 = reshape %tile_64 : tile<1x16x16xf32> -> tile<16x16xf32>
    %cst_0_i32_67 = constant <i32: 0> : tile<i32>
    %cst_0_i32_68 = constant <i32: 0> : tile<i32>
    %7 = mulf %6, %reshape_66  : tile<16x16xf32>
    %8 = negf %7 : tile<16x16xf32>
    %9 = fma %3, %reshape_59, %8  : tile<16x16xf32>
    %reshape_69 = reshape %9 : tile<16x16xf32> -> tile<1x16x16xf32>
    %pview_70 = make_partition_view %tview_28 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %10 = store_view_tko weak %reshape_69, %pview_70[%cst_0_i32_67, %blockId_x, %cst_0_i32_68] token = %0 : tile<1x16x16xf32>, partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    %cst_1_i32_71 = constant <i32: 1> : tile<i32>
    %cst_0_i32_72 = constant <i32: 0> : tile<i32>
    %11 = mulf %6, %reshape_59  : tile<16x16xf32>
    %12 = fma %3, %reshape_66, %11  : tile<16x16xf32>
    %reshape_73 = reshape %12 : tile<16x16xf32> -> tile<1x16x16xf32>
    %pview_74 = make_partition_view %tview_28 : partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>
    %13 = store_view_tko weak %reshape_73, %pview_74[%cst_1_i32_71, %blockId_x, %cst_0_i32_72] token = %10 : tile<1x16x16xf32>, partition_view<tile=(1x16x16), tensor_view<?x?x?xf32, strides=[?,?,1]>>, tile<i32> -> token
    return
  }
}
