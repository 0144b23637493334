// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %0 = constant <i1: true> : tile<16xi1>
    %1 = constant <i1: false> : tile<i1>
    %2 = constant <i1: [true, false, true, true, false, false, false, false, true, true, true, true, true, true, true, false]> : tile<16xi1>
    %3 = constant <i8: [1, -1]> : tile<2xi8>
    %4 = constant <i16: [256, -32768]> : tile<2xi16>
    %5 = constant <i32: [[1, 2], [3, -4]]> : tile<2x2xi32>
    %6 = constant <i64: [9223372036854775807, -9223372036854775808]> : tile<2xi64>
    %7 = constant <f16: [1.5, 0x7C00]> : tile<2xf16>
    %8 = constant <bf16: [1.5, 0x7FC0]> : tile<2xbf16>
    %9 = constant <f32: [1.0, -0.0]> : tile<2xf32>
    %10 = constant <f64: [1.0, 0x7FF0000000000000]> : tile<2xf64>
    %11 = constant <tf32: [1.0, -2.5]> : tile<2xtf32>
    %12 = constant <f8E4M3FN: [1.0, -2.5]> : tile<2xf8E4M3FN>
    %13 = constant <f8E5M2: [1.0, -2.5]> : tile<2xf8E5M2>
  }
}
