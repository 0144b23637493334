cuda_tile.module @kernels {
  entry @sign_bits_bf16(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<bf16>>, %arg7: tile<i32>, %arg8: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
    %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i16>>
    %assume_1 = assume div_by<16>, %arg6 : tile<ptr<bf16>>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_2 = constant <i32: 1> : tile<i32>
    %cst_1_i32_3 = constant <i32: 1> : tile<i32>
    %cst_15_i16 = constant <i16: 15> : tile<128xi16>
    %cst_15_i16_4 = constant <i16: 15> : tile<128xi16>
    %assume_5 = assume bounded<0, ?>, %arg1 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_5], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
    %assume_6 = assume bounded<0, ?>, %arg4 : tile<i32>
    %tview_7 = make_tensor_view %assume_0, shape = [%assume_6], strides = [1] : tile<i32> -> tensor_view<?xi16, strides=[1]>
    %assume_8 = assume bounded<0, ?>, %arg7 : tile<i32>
    %tview_9 = make_tensor_view %assume_1, shape = [%assume_8], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
    %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<128xbf16>, token
    %1 = bitcast %tile : tile<128xbf16> -> tile<128xi16>
    %2 = shri %1, %cst_15_i16 unsigned : tile<128xi16>
    %pview_10 = make_partition_view %tview_7 : partition_view<tile=(128), tensor_view<?xi16, strides=[1]>>
    %3 = store_view_tko weak %2, %pview_10[%blockId_x] token = %0 : tile<128xi16>, partition_view<tile=(128), tensor_view<?xi16, strides=[1]>>, tile<i32> -> token
    %4 = shli %2, %cst_15_i16_4 : tile<128xi16>
    %5 = xori %1, %4 : tile<128xi16>
    %6 = bitcast %5 : tile<128xi16> -> tile<128xbf16>
    %pview_11 = make_partition_view %tview_9 : partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>>
    %7 = store_view_tko weak %6, %pview_11[%blockId_x] token = %0 : tile<128xbf16>, partition_view<tile=(128), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
    return
  }
}
