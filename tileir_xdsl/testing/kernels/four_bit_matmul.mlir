cuda_tile.module @kernels {
  entry @four_bit_matmul(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f8E4M3FN>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i8>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f8E4M3FN>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<ptr<f32>>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<ptr<f32>>, %arg26: tile<i32>, %arg27: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f8E4M3FN>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<i8>>
    %assume_2 = assume div_by<16>, %arg15 : tile<ptr<f8E4M3FN>>
    %assume_3 = assume div_by<16>, %arg20 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg25 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %cst_1_i32_6 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_10, %assume_11], strides = [%assume_12, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_14 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_15 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_16 = make_tensor_view %assume_0, shape = [%assume_13, %assume_14], strides = [%assume_15, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_17 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_18 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_19 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_20 = make_tensor_view %assume_1, shape = [%assume_17, %assume_18], strides = [%assume_19, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
    %assume_21 = assume bounded<0, ?>, %arg16 : tile<i32>
    %assume_22 = assume bounded<0, ?>, %arg17 : tile<i32>
    %assume_23 = assume bounded<0, ?>, %arg18 : tile<i32>
    %tview_24 = make_tensor_view %assume_2, shape = [%assume_21, %assume_22], strides = [%assume_23, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_25 = assume bounded<0, ?>, %arg21 : tile<i32>
    %assume_26 = assume bounded<0, ?>, %arg22 : tile<i32>
    %assume_27 = assume bounded<0, ?>, %arg23 : tile<i32>
    %tview_28 = make_tensor_view %assume_3, shape = [%assume_25, %assume_26], strides = [%assume_27, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_29 = assume bounded<0, ?>, %arg26 : tile<i32>
    %tview_30 = make_tensor_view %assume_4, shape = [%assume_29], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x32xf32>
    %pview = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>> -> tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_34 = constant <i32: 1> : tile<i32>
    %pview_35 = make_partition_view %tview : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>
    %pview_36 = make_partition_view %tview_20 : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>
    %pview_37 = make_partition_view %tview_16 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %pview_38 = make_partition_view %tview_24 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_34) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<32x32xf32>) {
      %tile_43, %result_token_44 = load_view_tko weak %pview_35[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<32x32xi8>, token
      %reshape_45 = reshape %tile_43 : tile<32x32xi8> -> tile<1024xi8>
      %tile_46, %result_token_47 = load_view_tko weak %pview_36[%blockId_y_32, %loopIdx] token = %0 : partition_view<tile=(32x32), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<32x32xi8>, token
      %reshape_48 = reshape %tile_46 : tile<32x32xi8> -> tile<1024xi8>
      %4 = unpack %reshape_45 : tile<1024xi8> -> tile<2048xf4E2M1FN>
      %reshape_49 = reshape %4 : tile<2048xf4E2M1FN> -> tile<32x64xf4E2M1FN>
      %5 = unpack %reshape_48 : tile<1024xi8> -> tile<2048xf4E2M1FN>
      %reshape_50 = reshape %5 : tile<2048xf4E2M1FN> -> tile<32x64xf4E2M1FN>
      %tile_51, %result_token_52 = load_view_tko weak %pview_37[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<32x4xf8E4M3FN>, token
      %tile_53, %result_token_54 = load_view_tko weak %pview_38[%blockId_y_32, %loopIdx] token = %0 : partition_view<tile=(32x4), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<32x4xf8E4M3FN>, token
      %6 = permute %reshape_50 [1, 0] : tile<32x64xf4E2M1FN> -> tile<64x32xf4E2M1FN>
      %7 = permute %tile_53 [1, 0] : tile<32x4xf8E4M3FN> -> tile<4x32xf8E4M3FN>
      %8 = mmaf_scaled %reshape_49, %6, %iterArg0, %tile_51, %7 : tile<32x64xf4E2M1FN>, tile<64x32xf4E2M1FN>, tile<32x32xf32>, tile<32x4xf8E4M3FN>, tile<4x32xf8E4M3FN>
      continue %8 : tile<32x32xf32>
    }
    %cst_0_i32_39 = constant <i32: 0> : tile<i32>
    %pview_40 = make_partition_view %tview_30 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview_40[%cst_0_i32_39] token = %0 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %reshape = reshape %tile : tile<1xf32> -> tile<f32>
    %reshape_41 = reshape %reshape : tile<f32> -> tile<1x1xf32>
    %bcast = broadcast %reshape_41 : tile<1x1xf32> -> tile<32x32xf32>
    %2 = mulf %for, %bcast  : tile<32x32xf32>
    %pview_42 = make_partition_view %tview_28 : partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>
    %3 = store_view_tko weak %2, %pview_42[%blockId_x, %blockId_y_32] token = %0 : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
