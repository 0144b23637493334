cuda_tile.module @kernels {
  entry @four_bit_matmul(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f8E4M3FN>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i8>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f8E4M3FN>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<ptr<f32>>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<ptr<f32>>, %arg26: tile<i32>, %arg27: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f8E4M3FN>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<i8>>
    %assume_4 = assume div_by<16>, %arg13 : tile<i32>
    %assume_5 = assume div_by<16>, %arg15 : tile<ptr<f8E4M3FN>>
    %assume_6 = assume div_by<16>, %arg18 : tile<i32>
    %assume_7 = assume div_by<16>, %arg20 : tile<ptr<f32>>
    %assume_8 = assume div_by<16>, %arg23 : tile<i32>
    %assume_9 = assume div_by<16>, %arg25 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_10 = constant <i32: 1> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %cst_1_i32_13 = constant <i32: 1> : tile<i32>
    %cst_1_i32_14 = constant <i32: 1> : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_16 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_15, %assume_16], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_17 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_19 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_20 = assume div_by<16>, %assume_assume_19 : tile<i32>
    %tview_21 = make_tensor_view %assume_1, shape = [%assume_17, %assume_18], strides = [%assume_assume_assume_20, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_22 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_assume_24 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
    %tview_26 = make_tensor_view %assume_3, shape = [%assume_22, %assume_23], strides = [%assume_assume_assume_25, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_27 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_28 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_assume_29 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_30 = assume div_by<16>, %assume_assume_29 : tile<i32>
    %tview_31 = make_tensor_view %assume_5, shape = [%assume_27, %assume_28], strides = [%assume_assume_assume_30, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_32 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_33 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_assume_34 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_35 = assume div_by<16>, %assume_assume_34 : tile<i32>
    %tview_36 = make_tensor_view %assume_7, shape = [%assume_32, %assume_33], strides = [%assume_assume_assume_35, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_37 = assume bounded<0, ?>, %arg26 : tile<i32>
    %tview_38 = make_tensor_view %assume_9, shape = [%assume_37], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_39, %blockId_y_40, %blockId_z_41 = get_tile_block_id : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x32xf32>
    %pview = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_42 = constant <i32: 1> : tile<i32>
    %pview_43 = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>
    %pview_44 = make_partition_view %tview_26 : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>
    %pview_45 = make_partition_view %tview_21 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %pview_46 = make_partition_view %tview_31 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_42) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<32x32xf32>) {
      %tile_51, %result_token_52 = load_view_tko weak %pview_43[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<32x32xi8>, token
      %reshape_53 = reshape %tile_51 : tile<32x32xi8> -> tile<1024xi8>
      %tile_54, %result_token_55 = load_view_tko weak %pview_44[%blockId_y_40, %loopIdx] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<32x32xi8>, token
      %reshape_56 = reshape %tile_54 : tile<32x32xi8> -> tile<1024xi8>
      %4 = unpack %reshape_53 : tile<1024xi8> -> tile<2048xf4E2M1FN>
      %reshape_57 = reshape %4 : tile<2048xf4E2M1FN> -> tile<32x64xf4E2M1FN>
      %5 = unpack %reshape_56 : tile<1024xi8> -> tile<2048xf4E2M1FN>
      %reshape_58 = reshape %5 : tile<2048xf4E2M1FN> -> tile<32x64xf4E2M1FN>
      %tile_59, %result_token_60 = load_view_tko weak %pview_45[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<32x4xf8E4M3FN>, token
      %tile_61, %result_token_62 = load_view_tko weak %pview_46[%blockId_y_40, %loopIdx] token = %0 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<32x4xf8E4M3FN>, token
      %6 = permute %reshape_58 [1, 0] : tile<32x64xf4E2M1FN> -> tile<64x32xf4E2M1FN>
      %7 = permute %tile_61 [1, 0] : tile<32x4xf8E4M3FN> -> tile<4x32xf8E4M3FN>
      %8 = mmaf_scaled %reshape_57, %6, %iterArg0, %tile_59, %7 : tile<32x64xf4E2M1FN>, tile<64x32xf4E2M1FN>, tile<32x32xf32>, tile<32x4xf8E4M3FN>, tile<4x32xf8E4M3FN>
      continue %8 : tile<32x32xf32>
    }
    %cst_0_i32_47 = constant <i32: 0> : tile<i32>
    %pview_48 = make_partition_view %tview_38 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview_48[%cst_0_i32_47] token = %0 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %reshape = reshape %tile : tile<1xf32> -> tile<f32>
    %reshape_49 = reshape %reshape : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape_49 : tile<1x1xf32> -> tile<32x32xf32>
    %2 = mulf %for, %bcast  : tile<32x32xf32>
    %pview_50 = make_partition_view %tview_36 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %3 = store_view_tko weak %2, %pview_50[%blockId_x, %blockId_y_40] token = %0 : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
