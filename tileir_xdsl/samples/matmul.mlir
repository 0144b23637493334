// c = a @ b in f16 with sums in f32, 64 rows and 64 columns a tile block, 32 of the inner dimension a step.
//
//     tileir run matmul.mlir --grid 2,3 --arg random:f16:128x96 --arg random:f16:96x192 --arg out:zeros:f16:128x192
cuda_tile.module @samples {
  entry @matmul(%a: tile<ptr<f16>>, %a0: tile<i32>, %a1: tile<i32>, %da0: tile<i32>, %da1: tile<i32>,
                %b: tile<ptr<f16>>, %b0: tile<i32>, %b1: tile<i32>, %db0: tile<i32>, %db1: tile<i32>,
                %c: tile<ptr<f16>>, %c0: tile<i32>, %c1: tile<i32>, %dc0: tile<i32>, %dc1: tile<i32>) {
    %start = make_token : token
    // What is known of the arguments decides how tiles may be copied: here by TMA, where the target has it.
    %a_base = assume div_by<16>, %a : tile<ptr<f16>>
    %b_base = assume div_by<16>, %b : tile<ptr<f16>>
    %c_base = assume div_by<16>, %c : tile<ptr<f16>>
    %a_pitch = assume div_by<8>, %da0 : tile<i32>
    %b_pitch = assume div_by<8>, %db0 : tile<i32>
    %c_pitch = assume div_by<8>, %dc0 : tile<i32>
    %a_array = make_tensor_view %a_base, shape = [%a0, %a1], strides = [%a_pitch, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %b_array = make_tensor_view %b_base, shape = [%b0, %b1], strides = [%b_pitch, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %c_array = make_tensor_view %c_base, shape = [%c0, %c1], strides = [%c_pitch, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %a_tiles = make_partition_view %a_array : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %b_tiles = make_partition_view %b_array : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %c_tiles = make_partition_view %c_array : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>
    %i, %j, %unused = get_tile_block_id : tile<i32>
    %m, %steps = get_index_space_shape %a_tiles : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %sums = for %k in (%zero to %steps, step %one) : tile<i32> iter_values(%sum = %none) -> (tile<64x64xf32>) {
      %a_tile, %a_read = load_view_tko weak %a_tiles[%i, %k] token = %start : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
      %b_tile, %b_read = load_view_tko weak %b_tiles[%k, %j] token = %start : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
      %next = mmaf %a_tile, %b_tile, %sum : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %result = ftof %sums : tile<64x64xf32> -> tile<64x64xf16>
    %end = store_view_tko weak %result, %c_tiles[%i, %j] token = %start : tile<64x64xf16>, partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
