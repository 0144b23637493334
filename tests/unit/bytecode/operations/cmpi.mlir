// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %j = constant <i32: 7> : tile<4xi32>
    %0 = cmpi greater_than_or_equal %i, %j, signed : tile<4xi32> -> tile<4xi1>
    %1 = cmpi equal %i, %j, unsigned : tile<4xi32> -> tile<4xi1>
    %2 = cmpi less_than_or_equal %i, %j, signed : tile<4xi32> -> tile<4xi1>
    %3 = cmpi greater_than %i, %j, unsigned : tile<4xi32> -> tile<4xi1>
  }
}
