cuda_tile.module @kernels {
  entry @rms_norm(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<bf16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
    %assume_2 = assume div_by<16>, %arg8 : tile<ptr<bf16>>
    %assume_3 = assume div_by<16>, %arg11 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
    %assume_8 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_9 = make_tensor_view %assume_1, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
    %assume_10 = assume bounded<0, ?>, %arg9 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg10 : tile<i32>
    %assume_assume_12 = assume bounded<0, ?>, %assume_3 : tile<i32>
    %assume_assume_assume_13 = assume div_by<16>, %assume_assume_12 : tile<i32>
    %tview_14 = make_tensor_view %assume_2, shape = [%assume_10, %assume_11], strides = [%assume_assume_assume_13, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
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
    %3 = itof %assume_7 signed  : tile<i32> -> tile<f32>
    %reshape_15 = reshape %3 : tile<f32> -> tile<1x1xf32>
    %4 = divf %reshape, %reshape_15  : tile<1x1xf32>
    %cst_0_i32_16 = constant <i32: 0> : tile<i32>
    %pview_17 = make_partition_view %tview_9 : partition_view<tile=(256), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
    %tile_18, %result_token_19 = load_view_tko weak %pview_17[%cst_0_i32_16] token = %0 : partition_view<tile=(256), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<256xbf16>, token
    %reshape_20 = reshape %arg13 : tile<f32> -> tile<1x1xf32>
    %5 = addf %4, %reshape_20  : tile<1x1xf32>
    %6 = rsqrt %5 : tile<1x1xf32>
    %bcast = broadcast %6 : tile<1x1xf32> -> tile<1x256xf32>
    %7 = mulf %1, %bcast  : tile<1x256xf32>
    %reshape_21 = reshape %tile_18 : tile<256xbf16> -> tile<1x256xbf16>
    %8 = ftof %reshape_21  : tile<1x256xbf16> -> tile<1x256xf32>
    %9 = mulf %7, %8  : tile<1x256xf32>
    %cst_0_i32_22 = constant <i32: 0> : tile<i32>
    %10 = ftof %9  : tile<1x256xf32> -> tile<1x256xbf16>
    %pview_23 = make_partition_view %tview_14 : partition_view<tile=(1x256), tensor_view<?x?xbf16, strides=[?,1]>>
    %11 = store_view_tko weak %10, %pview_23[%blockId_x, %cst_0_i32_22] token = %0 : tile<1x256xbf16>, partition_view<tile=(1x256), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
