cuda_tile.module @kernels {
  entry @mxfp8_256x128x128(%arg0: tile<ptr<f8E4M3FN>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f8E8M0FNU>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f8E4M3FN>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f8E8M0FNU>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<ptr<f32>>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f8E4M3FN>>
    %assume_0 = assume div_by<16>, %arg2 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<i32>
    %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f8E8M0FNU>>
    %assume_3 = assume div_by<16>, %arg8 : tile<i32>
    %assume_4 = assume div_by<16>, %arg10 : tile<ptr<f8E4M3FN>>
    %assume_5 = assume div_by<16>, %arg12 : tile<i32>
    %assume_6 = assume div_by<16>, %arg13 : tile<i32>
    %assume_7 = assume div_by<16>, %arg15 : tile<ptr<f8E8M0FNU>>
    %assume_8 = assume div_by<16>, %arg18 : tile<i32>
    %assume_9 = assume div_by<16>, %arg20 : tile<ptr<f32>>
    %assume_10 = assume div_by<16>, %arg22 : tile<i32>
    %assume_11 = assume div_by<16>, %arg23 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %cst_1_i32_13 = constant <i32: 1> : tile<i32>
    %cst_1_i32_14 = constant <i32: 1> : tile<i32>
    %cst_1_i32_15 = constant <i32: 1> : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_17 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_16, %assume_assume_assume], strides = [%assume_assume_assume_18, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_19 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_20 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_21 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_22 = assume div_by<16>, %assume_assume_21 : tile<i32>
    %tview_23 = make_tensor_view %assume_2, shape = [%assume_19, %assume_20], strides = [%assume_assume_assume_22, 1] : tile<i32> -> tensor_view<?x?xf8E8M0FNU, strides=[?,1]>
    %assume_24 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_assume_25 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_26 = assume div_by<16>, %assume_assume_25 : tile<i32>
    %assume_assume_27 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_28 = assume div_by<16>, %assume_assume_27 : tile<i32>
    %tview_29 = make_tensor_view %assume_4, shape = [%assume_24, %assume_assume_assume_26], strides = [%assume_assume_assume_28, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_30 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_31 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_assume_32 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
    %tview_34 = make_tensor_view %assume_7, shape = [%assume_30, %assume_31], strides = [%assume_assume_assume_33, 1] : tile<i32> -> tensor_view<?x?xf8E8M0FNU, strides=[?,1]>
    %assume_35 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_assume_36 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32>
    %assume_assume_38 = assume bounded<0, ?>, %assume_11 : tile<i32>
    %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
    %tview_40 = make_tensor_view %assume_9, shape = [%assume_35, %assume_assume_assume_37], strides = [%assume_assume_assume_39, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_41, %blockId_y_42, %blockId_z_43 = get_tile_block_id : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<256x128xf32>
    %pview = make_partition_view %tview : partition_view<tile=(256x128), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(256x128), tensor_view<?x?xf8E4M3FN, strides=[?,1]>> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_44 = constant <i32: 1> : tile<i32>
    %pview_45 = make_partition_view %tview : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %pview_46 = make_partition_view %tview_29 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %pview_47 = make_partition_view %tview_23 : partition_view<tile=(256x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>
    %pview_48 = make_partition_view %tview_34 : partition_view<tile=(128x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>
    %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_44) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<256x128xf32>) {
      %tile, %result_token = load_view_tko weak %pview_45[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(256x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<256x128xf8E4M3FN>, token
      %tile_50, %result_token_51 = load_view_tko weak %pview_46[%blockId_y_42, %loopIdx] token = %0 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<128x128xf8E4M3FN>, token
      %tile_52, %result_token_53 = load_view_tko weak %pview_47[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(256x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>, tile<i32> -> tile<256x4xf8E8M0FNU>, token
      %tile_54, %result_token_55 = load_view_tko weak %pview_48[%blockId_y_42, %loopIdx] token = %0 : partition_view<tile=(128x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>, tile<i32> -> tile<128x4xf8E8M0FNU>, token
      %3 = permute %tile_50 [1, 0] : tile<128x128xf8E4M3FN> -> tile<128x128xf8E4M3FN>
      %4 = permute %tile_54 [1, 0] : tile<128x4xf8E8M0FNU> -> tile<4x128xf8E8M0FNU>
      %5 = mmaf_scaled %tile, %3, %iterArg0, %tile_52, %4 : tile<256x128xf8E4M3FN>, tile<128x128xf8E4M3FN>, tile<256x128xf32>, tile<256x4xf8E8M0FNU>, tile<4x128xf8E8M0FNU>
      continue %5 : tile<256x128xf32>
    }
    %pview_49 = make_partition_view %tview_40 : partition_view<tile=(256x128), tensor_view<?x?xf32, strides=[?,1]>>
    %2 = store_view_tko weak %for, %pview_49[%blockId_x, %blockId_y_42] token = %0 : tile<256x128xf32>, partition_view<tile=(256x128), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
