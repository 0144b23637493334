cuda_tile.module @kernels {
  entry @top_k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<f32>>
    %assume_1 = assume div_by<16>, %arg10 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_4, %assume_5], strides = [%assume_6, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_7 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_10 = make_tensor_view %assume_0, shape = [%assume_7, %assume_8], strides = [%assume_9, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_11 = assume bounded<0, ?>, %arg11 : tile<i32>
    %assume_12 = assume bounded<0, ?>, %arg12 : tile<i32>
    %assume_13 = assume bounded<0, ?>, %arg13 : tile<i32>
    %tview_14 = make_tensor_view %assume_1, shape = [%assume_11, %assume_12], strides = [%assume_13, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x64), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x64), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %reshape = reshape %tile : tile<1x64xf32> -> tile<64xf32>
    %1 = iota : tile<64xi32>
    %cst_0_i32_15 = constant <i32: 0> : tile<i32>
    %cst_1_i32_16 = constant <i32: 1> : tile<i32>
    %pview_17 = make_partition_view %tview_10 : partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>
    %pview_18 = make_partition_view %tview_14 : partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>
    %cst_f32 = constant <f32: 0xFF800000> : tile<f32>
    %reshape_19 = reshape %cst_f32 : tile<f32> -> tile<1xf32>
    %bcast = broadcast %reshape_19 : tile<1xf32> -> tile<64xf32>
    %for = for %loopIdx in (%cst_0_i32_15 to %cst_4_i32, step %cst_1_i32_16) : tile<i32> iter_values(%iterArg0 = %reshape) -> (tile<64xf32>) {
      %reduce:2 = reduce %iterArg0, %1 dim=0 identities=[0xFF800000 : f32, 2147483647 : i32] : tile<64xf32>, tile<64xi32> -> tile<f32>, tile<i32> 
      (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
        %6 = cmpf greater_than ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
        %7 = cmpf equal ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
        %8 = cmpi less_than %reduce_lhs1, %reduce_rhs1, signed : tile<i32> -> tile<i1>
        %9 = andi %7, %8 : tile<i1>
        %10 = ori %6, %9 : tile<i1>
        %11 = select %10, %reduce_lhs0, %reduce_rhs0 : tile<i1>, tile<f32>
        %12 = select %10, %reduce_lhs1, %reduce_rhs1 : tile<i1>, tile<i32>
        yield %11, %12 : tile<f32>, tile<i32>
      }
      %reshape_20 = reshape %reduce#0 : tile<f32> -> tile<1x1xf32>
      %2 = store_view_tko weak %reshape_20, %pview_17[%blockId_x, %loopIdx] token = %0 : tile<1x1xf32>, partition_view<tile=(1x1), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
      %reshape_21 = reshape %reduce#1 : tile<i32> -> tile<1x1xi32>
      %3 = store_view_tko weak %reshape_21, %pview_18[%blockId_x, %loopIdx] token = %0 : tile<1x1xi32>, partition_view<tile=(1x1), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
      %reshape_22 = reshape %reduce#1 : tile<i32> -> tile<1xi32>
      %bcast_23 = broadcast %reshape_22 : tile<1xi32> -> tile<64xi32>
      %4 = cmpi equal %1, %bcast_23, signed : tile<64xi32> -> tile<64xi1>
      %5 = select %4, %bcast, %iterArg0 : tile<64xi1>, tile<64xf32>
      continue %5 : tile<64xf32>
    }
    return
  }
}
