cuda_tile.module @kernels {
  entry @segment_sums(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview = make_tensor_view %assume_0, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
    %tview_7 = make_tensor_view %assume_1, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape = reshape %tile : tile<1xi32> -> tile<i32>
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %1 = addi %blockId_x, %cst_1_i32_8 : tile<i32>
    %pview_9 = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %tile_10, %result_token_11 = load_view_tko weak %pview_9[%1] token = %0 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token
    %reshape_12 = reshape %tile_10 : tile<1xi32> -> tile<i32>
    %2 = muli %reshape, %cst_1_i32 : tile<i32>
    %3 = exti %2 signed : tile<i32> -> tile<i64>
    %4 = offset %assume, %3 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %assume_13 = assume div_by<4>, %4 : tile<ptr<i32>>
    %5 = subi %reshape_12, %reshape : tile<i32>
    %assume_14 = assume bounded<0, ?>, %5 : tile<i32>
    %tview_15 = make_tensor_view %assume_13, shape = [%assume_14], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %cst_0_i32 = constant <i32: 0> : tile<16xi32>
    %pview_16 = make_partition_view %tview_15 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
    %6 = get_index_space_shape %pview_16 : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>> -> tile<i32>
    %cst_0_i32_17 = constant <i32: 0> : tile<i32>
    %cst_1_i32_18 = constant <i32: 1> : tile<i32>
    %pview_19 = make_partition_view %tview_15 : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %for = for %loopIdx in (%cst_0_i32_17 to %6, step %cst_1_i32_18) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<16xi32>) {
      %tile_22, %result_token_23 = load_view_tko weak %pview_19[%loopIdx] token = %0 : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
      %8 = addi %iterArg0, %tile_22 : tile<16xi32>
      continue %8 : tile<16xi32>
    }
    %reduce = reduce %for dim=0 identities=[0 : i32] : tile<16xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %8 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %8 : tile<i32>
    }
    %reshape_20 = reshape %reduce : tile<i32> -> tile<1xi32>
    %pview_21 = make_partition_view %tview_7 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %7 = store_view_tko weak %reshape_20, %pview_21[%blockId_x] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
