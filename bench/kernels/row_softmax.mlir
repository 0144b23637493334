entry @softmax(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
    %in_tensor = make_tensor_view %x, shape = [4096, 1024], strides = [1024, 1] : tensor_view<4096x1024xf32, strides=[1024,1]>
    %out_tensor = make_tensor_view %out, shape = [4096, 1024], strides = [1024, 1] : tensor_view<4096x1024xf32, strides=[1024,1]>
    %in_tiles = make_partition_view %in_tensor : partition_view<tile=(32x1024), tensor_view<4096x1024xf32, strides=[1024,1]>>
    %out_tiles = make_partition_view %out_tensor : partition_view<tile=(32x1024), tensor_view<4096x1024xf32, strides=[1024,1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %row, %loaded = load_view_tko weak %in_tiles[%i, %zero] : partition_view<tile=(32x1024), tensor_view<4096x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<32x1024xf32>, token
    %largest = reduce %row dim=1 identities=[0xFF800000 : f32] : tile<32x1024xf32> -> tile<32xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = maxf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %all_largest_one = reshape %largest : tile<32xf32> -> tile<32x1xf32>
    %all_largest = broadcast %all_largest_one : tile<32x1xf32> -> tile<32x1024xf32>
    %lowered = subf %row, %all_largest : tile<32x1024xf32>
    %numerator = exp %lowered : tile<32x1024xf32>
    %total = reduce %numerator dim=1 identities=[0.0 : f32] : tile<32x1024xf32> -> tile<32xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    %all_total_one = reshape %total : tile<32xf32> -> tile<32x1xf32>
    %all_total = broadcast %all_total_one : tile<32x1xf32> -> tile<32x1024xf32>
    %quotient = divf %numerator, %all_total : tile<32x1024xf32>
    %stored = store_view_tko weak %quotient, %out_tiles[%i, %zero] : tile<32x1024xf32>, partition_view<tile=(32x1024), tensor_view<4096x1024xf32, strides=[1024,1]>>, tile<i32> -> token
    return
}
