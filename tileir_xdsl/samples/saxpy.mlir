// y = a * x + y, 128 elements a tile block; what lies beyond the arrays is neither read nor written.
//
//     tileir run saxpy.mlir --grid 8 --arg random:f32:1000 --arg random:f32:1000 --arg 2.5
cuda_tile.module @samples {
  entry @saxpy(%x: tile<ptr<f32>>, %nx: tile<i32>, %dx: tile<i32>,
               %y: tile<ptr<f32>>, %ny: tile<i32>, %dy: tile<i32>, %a: tile<f32>) {
    %start = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x_array = make_tensor_view %x, shape = [%nx], strides = [%dx] : tile<i32> -> tensor_view<?xf32, strides=[?]>
    %y_array = make_tensor_view %y, shape = [%ny], strides = [%dy] : tile<i32> -> tensor_view<?xf32, strides=[?]>
    %x_tiles = make_partition_view %x_array : partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>
    %y_tiles = make_partition_view %y_array : partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>
    %x_tile, %x_read = load_view_tko weak %x_tiles[%i] token = %start : partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>, tile<i32> -> tile<128xf32>, token
    %y_tile, %y_read = load_view_tko weak %y_tiles[%i] token = %start : partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>, tile<i32> -> tile<128xf32>, token
    %one = reshape %a : tile<f32> -> tile<1xf32>
    %factor = broadcast %one : tile<1xf32> -> tile<128xf32>
    %product = mulf %factor, %x_tile : tile<128xf32>
    %sum = addf %product, %y_tile : tile<128xf32>
    // The store comes after the load of the same tile, whose token it takes.
    %end = store_view_tko weak %sum, %y_tiles[%i] token = %y_read : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[?]>>, tile<i32> -> token
    return
  }
}
