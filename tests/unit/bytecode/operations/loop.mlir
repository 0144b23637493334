// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%n: tile<i32>) {
    %0 = constant <i32: 0> : tile<i32>
    loop {
      break
    }
    %1 = loop iter_values(%a = %0) : tile<i32> -> tile<i32> {
      %2 = cmpi less_than %a, %n, signed : tile<i32> -> tile<i1>
      if %2 {
        break %a : tile<i32>
      }
      %3 = addi %a, %n : tile<i32>
      continue %3 : tile<i32>
    }
    %4 = addi %1, %n : tile<i32>
  }
}
