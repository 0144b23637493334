cuda_tile.module @kernels {
  entry @cross_entropy(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg8 : tile<ptr<f32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_9 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_10 = make_tensor_view %assume_1, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x1024), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x1024), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x1024xf32>, token
    %reduce = reduce %tile dim=1 identities=[0xFF800000 : f32] : tile<1x1024xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %10 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %10 : tile<f32>
    }
    %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %bcast = broadcast %reshape : tile<1x1xf32> -> tile<1x1024xf32>
    %1 = subf %tile, %bcast  : tile<1x1024xf32>
    %2 = exp %1  : tile<1x1024xf32>
    %reduce_11 = reduce %2 dim=1 identities=[0.000000e+00 : f32] : tile<1x1024xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %10 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %10 : tile<f32>
    }
    %reshape_12 = reshape %reduce_11 : tile<1xf32> -> tile<1x1xf32>
    %pview_13 = make_partition_view %tview_8 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile_14, %result_token_15 = load_view_tko weak %pview_13[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape_16 = reshape %tile_14 : tile<1xi32> -> tile<1x1xi32>
    %3 = iota : tile<1024xi32>
    %reshape_17 = reshape %3 : tile<1024xi32> -> tile<1x1024xi32>
    %bcast_18 = broadcast %reshape_16 : tile<1x1xi32> -> tile<1x1024xi32>
    %4 = cmpi equal %reshape_17, %bcast_18, signed : tile<1x1024xi32> -> tile<1x1024xi1>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    %reshape_19 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
    %bcast_20 = broadcast %reshape_19 : tile<1x1xf32> -> tile<1x1024xf32>
    %5 = select %4, %tile, %bcast_20 : tile<1x1024xi1>, tile<1x1024xf32>
    %reduce_21 = reduce %5 dim=1 identities=[0.000000e+00 : f32] : tile<1x1024xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %10 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %10 : tile<f32>
    }
    %reshape_22 = reshape %reduce_21 : tile<1xf32> -> tile<1x1xf32>
    %6 = log %reshape_12 : tile<1x1xf32>
    %7 = addf %6, %reshape  : tile<1x1xf32>
    %8 = subf %7, %reshape_22  : tile<1x1xf32>
    %reshape_23 = reshape %8 : tile<1x1xf32> -> tile<1xf32>
    %pview_24 = make_partition_view %tview_10 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %9 = store_view_tko weak %reshape_23, %pview_24[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
