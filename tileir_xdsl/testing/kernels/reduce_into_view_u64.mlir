cuda_tile.module @kernels {
  entry @reduce_into_view_u64(%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i64>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<i64>>
    %assume_0 = assume div_by<16>, %arg5 : tile<ptr<i64>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_1 = constant <i32: 1> : tile<i32>
    %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_3 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg3 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_2, %assume_3], strides = [%assume_4, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
    %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
    %assume_6 = assume bounded<0, ?>, %arg7 : tile<i32>
    %assume_7 = assume bounded<0, ?>, %arg8 : tile<i32>
    %tview_8 = make_tensor_view %assume_0, shape = [%assume_5, %assume_6], strides = [%assume_7, 1] : tile<i32> -> tensor_view<?x?xi64, strides=[?,1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xi64, strides=[?,1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> tile<1x64xi64>, token
    %cst_0_i32_9 = constant <i32: 0> : tile<i32>
    %cst_0_i32_10 = constant <i32: 0> : tile<i32>
    %pview_11 = make_partition_view %tview_8 : partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>
    %1 = atomic_red_view_tko relaxed device %pview_11[%cst_0_i32_9, %cst_0_i32_10], add, %tile token = %0 : tile<1x64xi64>, partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %cst_0_i32_13 = constant <i32: 0> : tile<i32>
    %pview_14 = make_partition_view %tview_8 : partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>
    %2 = atomic_red_view_tko relaxed device %pview_14[%cst_1_i32_12, %cst_0_i32_13], umax, %tile token = %1 : tile<1x64xi64>, partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %cst_0_i32_15 = constant <i32: 0> : tile<i32>
    %pview_16 = make_partition_view %tview_8 : partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>
    %3 = atomic_red_view_tko relaxed device %pview_16[%cst_2_i32, %cst_0_i32_15], umin, %tile token = %2 : tile<1x64xi64>, partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %cst_0_i32_17 = constant <i32: 0> : tile<i32>
    %pview_18 = make_partition_view %tview_8 : partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>
    %4 = atomic_red_view_tko relaxed device %pview_18[%cst_3_i32, %cst_0_i32_17], and, %tile token = %3 : tile<1x64xi64>, partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %cst_0_i32_19 = constant <i32: 0> : tile<i32>
    %pview_20 = make_partition_view %tview_8 : partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>
    %5 = atomic_red_view_tko relaxed device %pview_20[%cst_4_i32, %cst_0_i32_19], or, %tile token = %4 : tile<1x64xi64>, partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    %cst_5_i32 = constant <i32: 5> : tile<i32>
    %cst_0_i32_21 = constant <i32: 0> : tile<i32>
    %pview_22 = make_partition_view %tview_8 : partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>
    %6 = atomic_red_view_tko relaxed device %pview_22[%cst_5_i32, %cst_0_i32_21], xor, %tile token = %5 : tile<1x64xi64>, partition_view<tile=(1x64), tensor_view<?x?xi64, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
