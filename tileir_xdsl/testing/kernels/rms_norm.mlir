cuda_tile.module @kernels {
  entry @rms_norm(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<bf16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
    %assume_1 = assume div_by<16>, %arg8 : tile<ptr<bf16>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
    %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
    %tview_12 = make_tensor_view %assume_1, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x256xbf16>, token
    %1 = ftof %tile  : tile<1x256xbf16> -> tile<1x256xf32>
    %2 = mulf %1, %1  : tile<1x256xf32>
    %reduce = reduce %2 dim=1 identities=[0.000000e+00 : f32] : tile<1x256xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %12 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %12 : tile<f32>
    }
    %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %3 = itof %assume_5 signed  : tile<i32> -> tile<f32>
    %reshape_13 = reshape %3 : tile<f32> -> tile<1x1xf32>
    %4 = divf %reshape, %reshape_13  : tile<1x1xf32>
    %cst_0_i32_14 = constant <i32: 0> : tile<i32>
    %pview_15 = make_partition_view %tview_8 : partition_view<tile=(256), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
    %tile_16, %result_token_17 = load_view_tko weak %pview_15[%cst_0_i32_14] token = %0 : partition_view<tile=(256), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<256xbf16>, token
    %reshape_18 = reshape %arg13 : tile<f32> -> tile<1x1xf32>
    %5 = addf %4, %reshape_18  : tile<1x1xf32>
    %6 = rsqrt %5 : tile<1x1xf32>
    %bcast = broadcast %6 : tile<1x1xf32> -> tile<1x256xf32>
    %7 = mulf %1, %bcast  : tile<1x256xf32>
    %reshape_19 = reshape %tile_16 : tile<256xbf16> -> tile<1x256xbf16>
    %8 = ftof %reshape_19  : tile<1x256xbf16> -> tile<1x256xf32>
    %9 = mulf %7, %8  : tile<1x256xf32>
    %cst_0_i32_20 = constant <i32: 0> : tile<i32>
    %10 = ftof %9  : tile<1x256xf32> -> tile<1x256xbf16>
    %pview_21 = make_partition_view %tview_12 : partition_view<tile=(1x256), tensor_view<?x?xbf16, strides=[?,1]>>
    %11 = store_view_tko weak %10, %pview_21[%blockId_x, %cst_0_i32_20] token = %0 : tile<1x256xbf16>, partition_view<tile=(1x256), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
