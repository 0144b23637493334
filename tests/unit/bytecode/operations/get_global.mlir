// since 13.1
cuda_tile.module @kernels {
  global @table <i16: [1, 2, 3, 4]> : tile<4xi16>
  entry @kernel() {
    %0 = get_global @table : tile<ptr<i16>>
  }
}
