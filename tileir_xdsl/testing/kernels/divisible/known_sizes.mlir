cuda_tile.module @kernels {
  entry @known_sizes(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
    %assume_0 = assume div_by<8>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg3 : tile<i32>
    %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f16>>
    %assume_3 = assume div_by<16>, %arg8 : tile<ptr<f16>>
    %assume_4 = assume div_by<8>, %arg9 : tile<i32>
    %assume_5 = assume div_by<16>, %arg11 : tile<i32>
    %cst_64_i32 = constant <i32: 64> : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_64_i32_6 = constant <i32: 64> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %cst_64_i32_8 = constant <i32: 64> : tile<i32>
    %cst_1_i32_9 = constant <i32: 1> : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<8>, %assume_assume : tile<i32>
    %assume_assume_10 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_assume_assume, 64], strides = [%assume_assume_assume_11, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[?,1]>
    %tview_12 = make_tensor_view %assume_2, shape = [64], strides = [1] : tensor_view<64xf16, strides=[1]>
    %assume_assume_13 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_14 = assume div_by<8>, %assume_assume_13 : tile<i32>
    %assume_assume_15 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_16 = assume div_by<16>, %assume_assume_15 : tile<i32>
    %tview_17 = make_tensor_view %assume_3, shape = [%assume_assume_assume_14, 64], strides = [%assume_assume_assume_16, 1] : tile<i32> -> tensor_view<?x64xf16, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview_12 : partition_view<tile=(64), tensor_view<64xf16, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] token = %0 : partition_view<tile=(64), tensor_view<64xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
    %cst_0_i32_18 = constant <i32: 0> : tile<i32>
    %cst_0_i32_19 = constant <i32: 0> : tile<i32>
    %pview_20 = make_partition_view %tview : partition_view<tile=(8x64), tensor_view<?x64xf16, strides=[?,1]>>
    %tile_21, %result_token_22 = load_view_tko weak %pview_20[%blockId_x, %cst_0_i32_19] token = %0 : partition_view<tile=(8x64), tensor_view<?x64xf16, strides=[?,1]>>, tile<i32> -> tile<8x64xf16>, token
    %reshape = reshape %tile : tile<64xf16> -> tile<1x64xf16>
    %bcast = broadcast %reshape : tile<1x64xf16> -> tile<8x64xf16>
    %1 = mulf %tile_21, %bcast  : tile<8x64xf16>
    %pview_23 = make_partition_view %tview_17 : partition_view<tile=(8x64), tensor_view<?x64xf16, strides=[?,1]>>
    %2 = store_view_tko weak %1, %pview_23[%blockId_x, %cst_0_i32_18] token = %0 : tile<8x64xf16>, partition_view<tile=(8x64), tensor_view<?x64xf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
