// since 13.2
cuda_tile.module @kernels {
  entry @kernel(%n: tile<i32>) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    for unsigned %i in (%0 to %n, step %1) : tile<i32> {
      %2 = addi %i, %n : tile<i32>
    }
  }
}
