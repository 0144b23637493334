cuda_tile.module @kernels {
  entry @row_of_softmax(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg2 : tile<i32>
    %assume_2 = assume div_by<16>, %arg3 : tile<i32>
    %assume_3 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_4 = assume div_by<16>, %arg1 : tile<i32>
    %assume_5 = assume div_by<16>, %arg2 : tile<i32>
    %assume_6 = assume div_by<16>, %arg3 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_7 = constant <i32: 1> : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_8 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_9 = assume div_by<16>, %assume_assume_8 : tile<i32>
    %assume_assume_10 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_assume_assume, %assume_assume_assume_9], strides = [%assume_assume_assume_11, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_assume_12 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_13 = assume div_by<16>, %assume_assume_12 : tile<i32>
    %assume_assume_14 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
    %assume_assume_16 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_17 = assume div_by<16>, %assume_assume_16 : tile<i32>
    %tview_18 = make_tensor_view %assume_3, shape = [%assume_assume_assume_13, %assume_assume_assume_15], strides = [%assume_assume_assume_17, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x1024), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x1024), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x1024xf32>, token
    %reduce = reduce %tile dim=1 identities=[0xFF800000 : f32] : tile<1x1024xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %5 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %5 : tile<f32>
    }
    %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<1x1024xf32>
    %1 = subf %tile, %bcast  : tile<1x1024xf32>
    %2 = exp %1 rounding<approx> : tile<1x1024xf32>
    %reduce_19 = reduce %2 dim=1 identities=[0.000000e+00 : f32] : tile<1x1024xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %5 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %5 : tile<f32>
    }
    %reshape_20 = reshape %reduce_19 : tile<1xf32> -> tile<1x1xf32>
    %bcast_21 = broadcast %reshape_20 : tile<1x1xf32> -> tile<1x1024xf32>
    %3 = divf %2, %bcast_21 rounding<full> : tile<1x1024xf32>
    %blockId_x_22, %blockId_y_23, %blockId_z_24 = get_tile_block_id : tile<i32>
    %cst_0_i32_25 = constant <i32: 0> : tile<i32>
    %pview_26 = make_partition_view %tview_18 : partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>
    %4 = store_view_tko weak %3, %pview_26[%blockId_x_22, %cst_0_i32_25] token = %0 : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
