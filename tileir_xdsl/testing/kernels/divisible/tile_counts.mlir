cuda_tile.module @kernels {
  entry @tile_counts(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
    %assume_0 = assume div_by<16>, %arg3 : tile<i32>
    %assume_1 = assume div_by<16>, %arg5 : tile<ptr<i32>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %assume_3 = assume bounded<0, ?>, %arg1 : tile<i32>
    %assume_4 = assume bounded<0, ?>, %arg2 : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_3, %assume_4], strides = [%assume_assume_assume, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %assume_5 = assume bounded<0, ?>, %arg6 : tile<i32>
    %tview_6 = make_tensor_view %assume_1, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %reshape = reshape %1#0 : tile<i32> -> tile<1xi32>
    %pview_7 = make_partition_view %tview_6 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %2 = store_view_tko weak %reshape, %pview_7[%cst_0_i32] token = %0 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %cst_1_i32_8 = constant <i32: 1> : tile<i32>
    %pview_9 = make_partition_view %tview : partition_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>>
    %3:2 = get_index_space_shape %pview_9 : partition_view<tile=(4x8), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %reshape_10 = reshape %3#1 : tile<i32> -> tile<1xi32>
    %pview_11 = make_partition_view %tview_6 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %4 = store_view_tko weak %reshape_10, %pview_11[%cst_1_i32_8] token = %2 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %cst_2_i32 = constant <i32: 2> : tile<i32>
    %pview_12 = make_partition_view %tview : partition_view<tile=(16x2), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]>
    %5:2 = get_index_space_shape %pview_12 : partition_view<tile=(16x2), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %reshape_13 = reshape %5#0 : tile<i32> -> tile<1xi32>
    %pview_14 = make_partition_view %tview_6 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %6 = store_view_tko weak %reshape_13, %pview_14[%cst_2_i32] token = %4 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %cst_3_i32 = constant <i32: 3> : tile<i32>
    %pview_15 = make_partition_view %tview : partition_view<tile=(16x2), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]>
    %7:2 = get_index_space_shape %pview_15 : partition_view<tile=(16x2), tensor_view<?x?xf32, strides=[?,1]>, dim_map=[1, 0]> -> tile<i32>
    %reshape_16 = reshape %7#1 : tile<i32> -> tile<1xi32>
    %pview_17 = make_partition_view %tview_6 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %8 = store_view_tko weak %reshape_16, %pview_17[%cst_3_i32] token = %6 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    %cst_4_i32 = constant <i32: 4> : tile<i32>
    %pview_18 = make_partition_view %tview : partition_view<tile=(1x32), tensor_view<?x?xf32, strides=[?,1]>>
    %9:2 = get_index_space_shape %pview_18 : partition_view<tile=(1x32), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
    %reshape_19 = reshape %9#1 : tile<i32> -> tile<1xi32>
    %pview_20 = make_partition_view %tview_6 : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>
    %10 = store_view_tko weak %reshape_19, %pview_20[%cst_4_i32] token = %8 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
