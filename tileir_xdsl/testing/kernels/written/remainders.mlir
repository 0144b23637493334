cuda_tile.module @kernels {
  entry @remainders(%x: tile<ptr<i32>>, %x_size: tile<i32>, %x_stride: tile<i32>, %out: tile<ptr<i32>>, %out_size: tile<i32>, %out_stride: tile<i32>, %divisor: tile<i32>, %reciprocal: tile<i32>) {
    %tx = make_tensor_view %x, shape = [%x_size], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %tout = make_tensor_view %out, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
    %vx = make_partition_view %tx : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>
    %vout = make_partition_view %tout : partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %tile, %loaded = load_view_tko weak %vx[%i] : partition_view<tile=(128), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
    %one_divisor = reshape %divisor : tile<i32> -> tile<1xi32>
    %divisors = broadcast %one_divisor : tile<1xi32> -> tile<128xi32>
    %one_reciprocal = reshape %reciprocal : tile<i32> -> tile<1xi32>
    %reciprocals = broadcast %one_reciprocal : tile<1xi32> -> tile<128xi32>
    // The quotient, or one less.
    %quotient = mulhii %tile, %reciprocals : tile<128xi32>
    %product = muli %quotient, %divisors : tile<128xi32>
    %rest = subi %tile, %product : tile<128xi32>
    %too_large = cmpi greater_than_or_equal %rest, %divisors, unsigned : tile<128xi32> -> tile<128xi1>
    %reduced = subi %rest, %divisors : tile<128xi32>
    %remainder = select %too_large, %reduced, %rest : tile<128xi1>, tile<128xi32>
    %stored = store_view_tko weak %remainder, %vout[%i] : tile<128xi32>, partition_view<tile=(128), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
    return
  }
}
