// since 13.3
cuda_tile.module @kernels {
  entry @kernel() {
    %c = constant <i8: 3> : tile<16xi8>
    %0 = unpack %c : tile<16xi8> -> tile<32xf4E2M1FN>
  }
}
