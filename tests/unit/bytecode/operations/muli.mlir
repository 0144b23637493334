// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %j = constant <i32: 7> : tile<4xi32>
    %0 = muli %i, %j overflow<none> : tile<4xi32>
    %1 = muli %i, %j overflow<no_signed_wrap> : tile<4xi32>
    %2 = muli %i, %j overflow<no_unsigned_wrap> : tile<4xi32>
    %3 = muli %i, %j overflow<no_wrap> : tile<4xi32>
  }
}
