cuda_tile.module @kernels {
  entry @last_block_sum(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<i32>>, %arg10: tile<i32>, %arg11: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i32>>
    %assume_2 = assume div_by<16>, %arg9 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i64 = constant <i64: 1> : tile<i64>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_9 = assume bounded<0, ?>, %arg10 : tile<i32>
    %tview_10 = make_tensor_view %assume_2, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(64), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(64), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %1 = join_tokens %0, %result_token : token
    %reduce = reduce %tile dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %11 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %11 : tile<i32>
    }
    %reshape = reshape %reduce : tile<i32> -> tile<1xi32>
    %pview_11 = make_partition_view %tview_7 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %2 = join_tokens %0, %1 : token
    %3 = store_view_tko release device %reshape, %pview_11[%blockId_x] token = %2 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %cst_0_i64 = constant <i64: 0> : tile<i64>
    %4 = exti %assume_8 signed : tile<i32> -> tile<i64>
    %5 = cmpi less_than %cst_0_i64, %4, unsigned : tile<i64> -> tile<i1>
    %6 = muli %cst_0_i64, %cst_1_i64 : tile<i64>
    %7 = offset %assume_1, %6 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %8 = join_tokens %0, %1, %3 : token
    %result, %result_token_13 = atomic_rmw_tko acq_rel device %7, add, %cst_1_i32_12, %5 token=%8 : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
    %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %cst_1_i32_14 = constant <i32: 1> : tile<i32>
    %9 = subi %gridSize_x, %cst_1_i32_14 : tile<i32>
    %10 = cmpi equal %result, %9, signed : tile<i32> -> tile<i1>
    if %10 {
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %pview_15 = make_partition_view %tview_7 : partition_view<tile=(8), padding_value = zero, tensor_view<?xi32, strides=[1]>>
      %11 = join_tokens %3, %result_token_13 : token
      %tile_16, %result_token_17 = load_view_tko acquire device %pview_15[%cst_0_i32] token = %11 : partition_view<tile=(8), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
      %cst_0_i32_18 = constant <i32: 0> : tile<i32>
      %reduce_19 = reduce %tile_16 dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> 
      (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
        %14 = addi %reduce_lhs, %reduce_rhs : tile<i32>
        yield %14 : tile<i32>
      }
      %reshape_20 = reshape %reduce_19 : tile<i32> -> tile<1xi32>
      %pview_21 = make_partition_view %tview_10 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
      %12 = join_tokens %0, %result_token_17 : token
      %13 = store_view_tko weak %reshape_20, %pview_21[%cst_0_i32_18] token = %12 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    } else {
    }
    return
  }
}
