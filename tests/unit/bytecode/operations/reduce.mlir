// since 13.1
cuda_tile.module @kernels {
  entry @kernel() {
    %x = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %i = constant <i32: [1, -2, 3, 2147483647]> : tile<4xi32>
    %0 = reduce %x dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
    (%l: tile<f32>, %r: tile<f32>) {
      %1 = addf %l, %r : tile<f32>
      yield %1 : tile<f32>
    }
    %2:2 = reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<4xf32>, tile<4xi32> -> tile<f32>, tile<i32>
    (%l: tile<f32>, %r: tile<f32>, %k: tile<i32>, %s: tile<i32>) {
      %3 = maxf %l, %r : tile<f32>
      %4 = maxi %k, %s signed : tile<i32>
      yield %3, %4 : tile<f32>, tile<i32>
    }
    %d = constant <f64: [1.0, 2.0]> : tile<2xf64>
    %5 = reduce %d dim=0 identities=[0xFFF0000000000000 : f64] : tile<2xf64> -> tile<f64>
    (%l: tile<f64>, %r: tile<f64>) {
      %6 = maxf %l, %r : tile<f64>
      yield %6 : tile<f64>
    }
    %b = constant <i1: [true, false]> : tile<2xi1>
    %7 = reduce %b dim=0 identities=[true] : tile<2xi1> -> tile<i1>
    (%l: tile<i1>, %r: tile<i1>) {
      %8 = andi %l, %r : tile<i1>
      yield %8 : tile<i1>
    }
    %e = constant <f16: [1.0, 2.0]> : tile<2xf16>
    %9 = reduce %e dim=0 identities=[-2.5 : f16] : tile<2xf16> -> tile<f16>
    (%l: tile<f16>, %r: tile<f16>) {
      %10 = addf %l, %r : tile<f16>
      yield %10 : tile<f16>
    }
  }
}
