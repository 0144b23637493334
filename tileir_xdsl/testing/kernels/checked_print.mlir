cuda_tile.module @kernels {
  entry @checked_print(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<8xi32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_4 = make_tensor_view %assume_0, shape = [%assume_3], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(8), tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
    %1 = join_tokens %0, %result_token : token
    %2 = cmpi greater_than_or_equal %tile, %cst_0_i32, signed : tile<8xi32> -> tile<8xi1>
    assert %2, "negative input" : tile<8xi1>
    %reduce = reduce %tile dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %9 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %9 : tile<i32>
    }
    %3 = join_tokens %0, %1 : token
    %4 = print_tko "block %d: sum %d of ", %blockId_x, %reduce token=%3 : tile<i32>, tile<i32> -> token
    %5 = join_tokens %4, %1 : token
    %6 = print_tko "%d\0A", %tile token=%5 : tile<8xi32> -> token
    %reshape = reshape %reduce : tile<i32> -> tile<1xi32>
    %pview_5 = make_partition_view %tview_4 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %7 = join_tokens %0, %6 : token
    %8 = store_view_tko weak %reshape, %pview_5[%blockId_x] token = %7 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
