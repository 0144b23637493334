// since 13.1
cuda_tile.module @kernels {
  entry @kernel(%c: tile<i1>, %n: tile<i32>) {
    if %c {
      %0 = make_token : token
    }
    if %c {
    } else {
    }
    %1 = if %c -> (tile<i32>) {
      yield %n : tile<i32>
    } else {
      %2 = addi %n, %n : tile<i32>
      yield %2 : tile<i32>
    }
    if %c {
      return
    } else {
      yield
    }
    %3 = addi %1, %n : tile<i32>
  }
}
