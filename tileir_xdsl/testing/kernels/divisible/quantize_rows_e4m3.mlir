cuda_tile.module @kernels {
  entry @quantize_rows_e4m3(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f8E4M3FN>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<f32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<f8E4M3FN>>
    %assume_2 = assume div_by<16>, %arg8 : tile<i32>
    %assume_3 = assume div_by<16>, %arg10 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6, %assume_7], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_8 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_assume_10 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
    %tview_12 = make_tensor_view %assume_1, shape = [%assume_8, %assume_9], strides = [%assume_assume_assume_11, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg11 : tile<i32>
    %tview_14 = make_tensor_view %assume_3, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %1 = absf %tile : tile<1x64xf32>
    %reduce = reduce %1 dim=1 identities=[0xFF800000 : f32] : tile<1x64xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %7 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %7 : tile<f32>
    }
    %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %reshape_15 = reshape %arg13 : tile<f32> -> tile<1x1xf32>
    %2 = divf %reshape, %reshape_15  : tile<1x1xf32>
    %cst_0_i32_16 = constant <i32: 0> : tile<i32>
    %bcast = broadcast %2 : tile<1x1xf32> -> tile<1x64xf32>
    %3 = divf %tile, %bcast  : tile<1x64xf32>
    %4 = ftof %3  : tile<1x64xf32> -> tile<1x64xf8E4M3FN>
    %pview_17 = make_partition_view %tview_12 : partition_view<tile=(1x64), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
    %5 = store_view_tko weak %4, %pview_17[%blockId_x, %cst_0_i32_16] token = %0 : tile<1x64xf8E4M3FN>, partition_view<tile=(1x64), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> token
    %reshape_18 = reshape %2 : tile<1x1xf32> -> tile<1xf32>
    %pview_19 = make_partition_view %tview_14 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %6 = store_view_tko weak %reshape_18, %pview_19[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
