// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%n: tile<i32>) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%0 to %n, step %1) : tile<i32> {
      %2 = addi %i, %n : tile<i32>
    }
    %3:2 = for %i in (%0 to %n, step %1) : tile<i32> iter_values(%a = %0, %b = %1) -> (tile<i32>, tile<i32>) {
      %4 = addi %a, %i : tile<i32>
      continue %b, %4 : tile<i32>, tile<i32>
    }
    %5 = addi %3#0, %3#1 : tile<i32>
  }
}
