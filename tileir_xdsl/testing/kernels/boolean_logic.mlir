cuda_tile.module @kernels {
  entry @boolean_logic(%arg0: tile<ptr<i1>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i1>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<i1>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<i32>>, %arg12: tile<i32>, %arg13: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i1>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i1>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<i1>>
    %assume_2 = assume div_by<16>, %arg11 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_1_i32_4 = constant <i32: 1> : tile<i32>
    %cst_1_i32_5 = constant <i32: 1> : tile<i32>
    %false = constant <i1: false> : tile<128xi1>
    %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
    %assume_7 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_8 = make_tensor_view %assume_0, shape = [%assume_7], strides = [1] : tile<i32> -> tensor_view<?xi1, strides=[1]>
    %assume_9 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_10 = assume bounded<0, ?>, %arg8 : tile<i32>
    %assume_11 = assume bounded<0, ?>, %arg9 : tile<i32>
    %tview_12 = make_tensor_view %assume_1, shape = [%assume_9, %assume_10], strides = [%assume_11, 1] : tile<i32> -> tensor_view<?x?xi1, strides=[?,1]>
    %assume_13 = assume bounded<0, ?>, %arg12 : tile<i32>
    %tview_14 = make_tensor_view %assume_2, shape = [%assume_13], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xi1, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi1, strides=[1]>>, tile<i32> -> tile<128xi1>, token
    %pview_15 = make_partition_view %tview_8 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi1, strides=[1]>>
    %tile_16, %result_token_17 = load_view_tko weak %pview_15[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xi1, strides=[1]>>, tile<i32> -> tile<128xi1>, token
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %1 = andi %tile, %tile_16 : tile<128xi1>
    %reshape = reshape %1 : tile<128xi1> -> tile<1x128xi1>
    %pview_18 = make_partition_view %tview_12 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %2 = store_view_tko weak %reshape, %pview_18[%cst_0_i32, %blockId_x] token = %0 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_19 = constant <i32: 1> : tile<i32>
    %3 = ori %tile, %tile_16 : tile<128xi1>
    %reshape_20 = reshape %3 : tile<128xi1> -> tile<1x128xi1>
    %pview_21 = make_partition_view %tview_12 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %4 = store_view_tko weak %reshape_20, %pview_21[%cst_1_i32_19, %blockId_x] token = %2 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %5 = xori %tile, %tile_16 : tile<128xi1>
    %reshape_22 = reshape %5 : tile<128xi1> -> tile<1x128xi1>
    %pview_23 = make_partition_view %tview_12 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %6 = store_view_tko weak %reshape_22, %pview_23[%cst_2_i32, %blockId_x] token = %4 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %true = constant <i1: true> : tile<128xi1>
    %7 = xori %tile, %true : tile<128xi1>
    %reshape_24 = reshape %7 : tile<128xi1> -> tile<1x128xi1>
    %pview_25 = make_partition_view %tview_12 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %8 = store_view_tko weak %reshape_24, %pview_25[%cst_3_i32, %blockId_x] token = %6 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %9 = select %tile, %tile_16, %false : tile<128xi1>, tile<128xi1>
    %reshape_26 = reshape %9 : tile<128xi1> -> tile<1x128xi1>
    %pview_27 = make_partition_view %tview_12 : partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>
    %10 = store_view_tko weak %reshape_26, %pview_27[%cst_4_i32, %blockId_x] token = %8 : tile<1x128xi1>, partition_view<tile=(1x128), tensor_view<?x?xi1, strides=[?,1]>>, tile<i32> -> token
    %11 = exti %tile unsigned : tile<128xi1> -> tile<128xi32>
    %reduce = reduce %11 dim=0 identities=[0 : i32] : tile<128xi32> -> tile<i32> 
    (%reduce_lhs: tile<i32>, %reduce_rhs: tile<i32>) {
      %13 = addi %reduce_lhs, %reduce_rhs : tile<i32>
      yield %13 : tile<i32>
    }
    %reshape_28 = reshape %reduce : tile<i32> -> tile<1xi32>
    %pview_29 = make_partition_view %tview_14 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %12 = store_view_tko weak %reshape_28, %pview_29[%blockId_x] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
