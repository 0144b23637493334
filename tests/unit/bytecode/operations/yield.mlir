// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%c: tile<i1>) {
    %0, %1 = if %c -> (tile<i1>, tile<i1>) {
      yield %c, %c : tile<i1>, tile<i1>
    } else {
      yield %c, %c : tile<i1>, tile<i1>
    }
  }
}
