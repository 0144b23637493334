cuda_tile.module @kernels {
  // The quantiles of a normal distribution that NF4 has for its 16 codes.
  global private constant @levels alignment = 64 <f32: [-1.0, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.091050036, 0.0, 0.079580299, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0]> : tile<16xf32>
  entry @codebook(%codes: tile<ptr<i8>>, %codes_size: tile<i32>, %codes_stride: tile<i32>, %out: tile<ptr<f32>>, %out_size: tile<i32>, %out_stride: tile<i32>, %scale: tile<f32>) {
    %tcodes = make_tensor_view %codes, shape = [%codes_size], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %tout = make_tensor_view %out, shape = [%out_size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vcodes = make_partition_view %tcodes : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>
    %vout = make_partition_view %tout : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %code, %loaded = load_view_tko weak %vcodes[%i] : partition_view<tile=(128), padding_value = zero, tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
    %table = get_global @levels : tile<ptr<f32>>
    %one_table = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
    %tables = broadcast %one_table : tile<1xptr<f32>> -> tile<128xptr<f32>>
    %index = exti %code unsigned : tile<128xi8> -> tile<128xi32>
    %at = offset %tables, %index : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
    %level, %read = load_ptr_tko weak %at : tile<128xptr<f32>> -> tile<128xf32>, token
    %one_scale = reshape %scale : tile<f32> -> tile<1xf32>
    %scales = broadcast %one_scale : tile<1xf32> -> tile<128xf32>
    %value = mulf %level, %scales : tile<128xf32>
    %stored = store_view_tko weak %value, %vout[%i] : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
