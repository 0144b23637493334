entry @matmul(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>) {
    %a_tensor = make_tensor_view %a, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf16, strides=[1024,1]>
    %a_tiles = make_partition_view %a_tensor : partition_view<tile=(128x64), tensor_view<1024x1024xf16, strides=[1024,1]>>
    %b_tensor = make_tensor_view %b, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf16, strides=[1024,1]>
    %b_tiles = make_partition_view %b_tensor : partition_view<tile=(64x128), tensor_view<1024x1024xf16, strides=[1024,1]>>
    %c_tensor = make_tensor_view %c, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf32, strides=[1024,1]>
    %c_tiles = make_partition_view %c_tensor : partition_view<tile=(128x128), tensor_view<1024x1024xf32, strides=[1024,1]>>
    %i, %j, %unused = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %count = constant <i32: 16> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<128x128xf32>
    %sum = for %k in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<128x128xf32>) {
      %x, %t = load_view_tko weak %a_tiles[%i, %k] : partition_view<tile=(128x64), tensor_view<1024x1024xf16, strides=[1024,1]>>, tile<i32> -> tile<128x64xf16>, token
      %y, %u = load_view_tko weak %b_tiles[%k, %j] : partition_view<tile=(64x128), tensor_view<1024x1024xf16, strides=[1024,1]>>, tile<i32> -> tile<64x128xf16>, token
      %next = mmaf %x, %y, %acc : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
      continue %next : tile<128x128xf32>
    }
    %stored = store_view_tko weak %sum, %c_tiles[%i, %j] : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<1024x1024xf32, strides=[1024,1]>>, tile<i32> -> token
    return
}
