// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %b = constant <i1: [true, false, true, true]> : tile<4xi1>
    assert %b, "out of \22bounds\22" : tile<4xi1>
  }
}
