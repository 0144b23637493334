cuda_tile.module @kernels {
  entry @nvfp4_ordered_256x128x256(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f8E4M3FN>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<i8>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<f8E4M3FN>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<ptr<f32>>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<i32>, %arg32: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg2 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<i32>
    %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f8E4M3FN>>
    %assume_3 = assume div_by<16>, %arg8 : tile<i32>
    %assume_4 = assume div_by<16>, %arg9 : tile<i32>
    %assume_5 = assume div_by<16>, %arg10 : tile<i32>
    %assume_6 = assume div_by<16>, %arg11 : tile<i32>
    %assume_7 = assume div_by<16>, %arg12 : tile<i32>
    %assume_8 = assume div_by<16>, %arg14 : tile<ptr<i8>>
    %assume_9 = assume div_by<16>, %arg16 : tile<i32>
    %assume_10 = assume div_by<16>, %arg17 : tile<i32>
    %assume_11 = assume div_by<16>, %arg19 : tile<ptr<f8E4M3FN>>
    %assume_12 = assume div_by<16>, %arg22 : tile<i32>
    %assume_13 = assume div_by<16>, %arg23 : tile<i32>
    %assume_14 = assume div_by<16>, %arg24 : tile<i32>
    %assume_15 = assume div_by<16>, %arg25 : tile<i32>
    %assume_16 = assume div_by<16>, %arg26 : tile<i32>
    %assume_17 = assume div_by<16>, %arg28 : tile<ptr<f32>>
    %assume_18 = assume div_by<16>, %arg30 : tile<i32>
    %assume_19 = assume div_by<16>, %arg31 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_20 = constant <i32: 1> : tile<i32>
    %cst_1_i32_21 = constant <i32: 1> : tile<i32>
    %cst_1_i32_22 = constant <i32: 1> : tile<i32>
    %cst_1_i32_23 = constant <i32: 1> : tile<i32>
    %assume_24 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_25 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_26 = assume div_by<16>, %assume_assume_25 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_24, %assume_assume_assume], strides = [%assume_assume_assume_26, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_27 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_28 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_29 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_30 = assume div_by<16>, %assume_assume_29 : tile<i32>
    %assume_assume_31 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_32 = assume div_by<16>, %assume_assume_31 : tile<i32>
    %assume_assume_33 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_34 = assume div_by<16>, %assume_assume_33 : tile<i32>
    %assume_assume_35 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_36 = assume div_by<16>, %assume_assume_35 : tile<i32>
    %assume_assume_37 = assume bounded<0, ?>, %assume_7 : tile<i32>
    %assume_assume_assume_38 = assume div_by<16>, %assume_assume_37 : tile<i32>
    %tview_39 = make_tensor_view %assume_2, shape = [%assume_27, %assume_28, %assume_assume_assume_30, %assume_assume_assume_32], strides = [%assume_assume_assume_34, %assume_assume_assume_36, %assume_assume_assume_38, 1] : tile<i32> -> tensor_view<?x?x?x?xf8E4M3FN, strides=[?,?,?,1]>
    %assume_40 = assume bounded<0, ?>, %arg15 : tile<i32>
    %assume_assume_41 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_42 = assume div_by<16>, %assume_assume_41 : tile<i32>
    %assume_assume_43 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_44 = assume div_by<16>, %assume_assume_43 : tile<i32>
    %tview_45 = make_tensor_view %assume_8, shape = [%assume_40, %assume_assume_assume_42], strides = [%assume_assume_assume_44, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_46 = assume bounded<0, ?>, %arg20 : tile<i32>
    %assume_47 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_assume_48 = assume bounded<0, ?>, %assume_12 : tile<i32>
    %assume_assume_assume_49 = assume div_by<16>, %assume_assume_48 : tile<i32>
    %assume_assume_50 = assume bounded<0, ?>, %assume_13 : tile<i32>
    %assume_assume_assume_51 = assume div_by<16>, %assume_assume_50 : tile<i32>
    %assume_assume_52 = assume bounded<0, ?>, %assume_14 : tile<i32>
    %assume_assume_assume_53 = assume div_by<16>, %assume_assume_52 : tile<i32>
    %assume_assume_54 = assume bounded<0, ?>, %assume_15 : tile<i32>
    %assume_assume_assume_55 = assume div_by<16>, %assume_assume_54 : tile<i32>
    %assume_assume_56 = assume bounded<0, ?>, %assume_16 : tile<i32>
    %assume_assume_assume_57 = assume div_by<16>, %assume_assume_56 : tile<i32>
    %tview_58 = make_tensor_view %assume_11, shape = [%assume_46, %assume_47, %assume_assume_assume_49, %assume_assume_assume_51], strides = [%assume_assume_assume_53, %assume_assume_assume_55, %assume_assume_assume_57, 1] : tile<i32> -> tensor_view<?x?x?x?xf8E4M3FN, strides=[?,?,?,1]>
    %assume_59 = assume bounded<0, ?>, %arg29 : tile<i32>
    %assume_assume_60 = assume bounded<0, ?>, %assume_18 : tile<i32>
    %assume_assume_assume_61 = assume div_by<16>, %assume_assume_60 : tile<i32>
    %assume_assume_62 = assume bounded<0, ?>, %assume_19 : tile<i32>
    %assume_assume_assume_63 = assume div_by<16>, %assume_assume_62 : tile<i32>
    %tview_64 = make_tensor_view %assume_17, shape = [%assume_59, %assume_assume_assume_61], strides = [%assume_assume_assume_63, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_65, %blockId_y_66, %blockId_z_67 = get_tile_block_id : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<256x128xf32>
    %pview = make_partition_view %tview : partition_view<tile=(256x128), tensor_view<?x?xi8, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(256x128), tensor_view<?x?xi8, strides=[?,1]>> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_68 = constant <i32: 1> : tile<i32>
    %pview_69 = make_partition_view %tview : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %pview_70 = make_partition_view %tview_45 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
    %cst_0_i32_71 = constant <i32: 0> : tile<i32>
    %cst_0_i32_72 = constant <i32: 0> : tile<i32>
    %pview_73 = make_partition_view %tview_39 : partition_view<tile=(2x4x32x16), padding_value = zero, tensor_view<?x?x?x?xf8E4M3FN, strides=[?,?,?,1]>>
    %cst_0_i32_74 = constant <i32: 0> : tile<i32>
    %cst_0_i32_75 = constant <i32: 0> : tile<i32>
    %pview_76 = make_partition_view %tview_58 : partition_view<tile=(1x4x32x16), padding_value = zero, tensor_view<?x?x?x?xf8E4M3FN, strides=[?,?,?,1]>>
    %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_68) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<256x128xf32>) {
      %tile, %result_token = load_view_tko weak %pview_69[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<256x128xi8>, token
      %tile_78, %result_token_79 = load_view_tko weak %pview_70[%blockId_y_66, %loopIdx] token = %0 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<128x128xi8>, token
      %reshape = reshape %tile : tile<256x128xi8> -> tile<32768xi8>
      %3 = unpack %reshape : tile<32768xi8> -> tile<65536xf4E2M1FN>
      %reshape_80 = reshape %tile_78 : tile<128x128xi8> -> tile<16384xi8>
      %4 = unpack %reshape_80 : tile<16384xi8> -> tile<32768xf4E2M1FN>
      %tile_81, %result_token_82 = load_view_tko weak %pview_73[%blockId_x, %loopIdx, %cst_0_i32_71, %cst_0_i32_72] token = %0 : partition_view<tile=(2x4x32x16), padding_value = zero, tensor_view<?x?x?x?xf8E4M3FN, strides=[?,?,?,1]>>, tile<i32> -> tile<2x4x32x16xf8E4M3FN>, token
      %tile_83, %result_token_84 = load_view_tko weak %pview_76[%blockId_y_66, %loopIdx, %cst_0_i32_74, %cst_0_i32_75] token = %0 : partition_view<tile=(1x4x32x16), padding_value = zero, tensor_view<?x?x?x?xf8E4M3FN, strides=[?,?,?,1]>>, tile<i32> -> tile<1x4x32x16xf8E4M3FN>, token
      %reshape_85 = reshape %tile_81 : tile<2x4x32x16xf8E4M3FN> -> tile<2x4x32x4x4xf8E4M3FN>
      %5 = permute %reshape_85 [0, 3, 2, 1, 4] : tile<2x4x32x4x4xf8E4M3FN> -> tile<2x4x32x4x4xf8E4M3FN>
      %reshape_86 = reshape %tile_83 : tile<1x4x32x16xf8E4M3FN> -> tile<1x4x32x4x4xf8E4M3FN>
      %6 = permute %reshape_86 [0, 3, 2, 1, 4] : tile<1x4x32x4x4xf8E4M3FN> -> tile<1x4x32x4x4xf8E4M3FN>
      %reshape_87 = reshape %5 : tile<2x4x32x4x4xf8E4M3FN> -> tile<256x16xf8E4M3FN>
      %reshape_88 = reshape %6 : tile<1x4x32x4x4xf8E4M3FN> -> tile<128x16xf8E4M3FN>
      %reshape_89 = reshape %3 : tile<65536xf4E2M1FN> -> tile<256x256xf4E2M1FN>
      %reshape_90 = reshape %4 : tile<32768xf4E2M1FN> -> tile<128x256xf4E2M1FN>
      %7 = permute %reshape_90 [1, 0] : tile<128x256xf4E2M1FN> -> tile<256x128xf4E2M1FN>
      %8 = permute %reshape_88 [1, 0] : tile<128x16xf8E4M3FN> -> tile<16x128xf8E4M3FN>
      %9 = mmaf_scaled %reshape_89, %7, %iterArg0, %reshape_87, %8 : tile<256x256xf4E2M1FN>, tile<256x128xf4E2M1FN>, tile<256x128xf32>, tile<256x16xf8E4M3FN>, tile<16x128xf8E4M3FN>
      continue %9 : tile<256x128xf32>
    }
    %pview_77 = make_partition_view %tview_64 : partition_view<tile=(256x128), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %for, %pview_77[%blockId_x, %blockId_y_66] token = %0 : tile<256x128xf32>, partition_view<tile=(256x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
