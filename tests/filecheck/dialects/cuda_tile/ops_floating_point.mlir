// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Floating-point operations. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  entry @unary() {
    %a = constant <f32: [0.5, 1.0, 2.0, 4.0]> : tile<4xf32>
    %0 = absf %a : tile<4xf32>
    %1 = negf %a : tile<4xf32>
    %2 = ceil %a : tile<4xf32>
    %3 = floor %a : tile<4xf32>
    %4 = cos %a : tile<4xf32>
    %5 = cosh %a : tile<4xf32>
    %6 = sin %a : tile<4xf32>
    %7 = sinh %a : tile<4xf32>
    %8 = tan %a : tile<4xf32>
    %9 = log %a : tile<4xf32>
    %10 = log2 %a : tile<4xf32>
    %11 = exp %a : tile<4xf32>
    %12 = exp %a rounding<approx> : tile<4xf32>
    %13 = exp %a rounding<full> : tile<4xf32>
    %14 = tanh %a : tile<4xf32>
    %15 = tanh %a rounding<approx> : tile<4xf32>
    %16 = exp2 %a : tile<4xf32>
    %17 = exp2 %a flush_to_zero : tile<4xf32>
    %18 = rsqrt %a : tile<4xf32>
    %19 = rsqrt %a flush_to_zero : tile<4xf32>
    %20 = sqrt %a : tile<4xf32>
    %21 = sqrt %a rounding<approx> flush_to_zero : tile<4xf32>
    %22 = sqrt %a rounding<zero> : tile<4xf32>
  }
  entry @binary() {
    %a = constant <f32: 0.5> : tile<4xf32>
    %b = constant <f16: 0.5> : tile<4xf16>
    %c = constant <f32: 0.25> : tile<4xf32>
    %d = constant <f16: 0.25> : tile<4xf16>
    %e = constant <f32: 0.75> : tile<4xf32>
    %n = constant <i32: 2> : tile<4xi32>
    %0 = addf %a, %c : tile<4xf32>
    %1 = addf %a, %c rounding<zero> : tile<4xf32>
    %2 = addf %a, %c flush_to_zero : tile<4xf32>
    %3 = addf %a, %c rounding<positive_inf> flush_to_zero : tile<4xf32>
    %4 = subf %b, %d rounding<negative_inf> : tile<4xf16>
    %5 = mulf %b, %d : tile<4xf16>
    %6 = divf %a, %c : tile<4xf32>
    %7 = divf %a, %c rounding<approx> : tile<4xf32>
    %8 = divf %a, %c rounding<full> flush_to_zero : tile<4xf32>
    %9 = divf %b, %d rounding<positive_inf> : tile<4xf16>
    %10 = fma %a, %c, %e : tile<4xf32>
    %11 = fma %a, %c, %e rounding<zero> flush_to_zero : tile<4xf32>
    %12 = maxf %a, %c : tile<4xf32>
    %13 = maxf %a, %c propagate_nan flush_to_zero : tile<4xf32>
    %14 = minf %a, %c propagate_nan : tile<4xf32>
    %15 = minf %a, %c flush_to_zero : tile<4xf32>
    %16 = remf %b, %d : tile<4xf16>
    %17 = atan2 %a, %c : tile<4xf32>
    %18 = pow %a, %c : tile<4xf32>
    %19 = fpowf %b, %d : tile<4xf16>
    %20 = fpowi %a, %n : tile<4xf32>, tile<4xi32>
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.entry @unary() {
// CHECK: %a = cuda_tile.constant <f32: [5.000000e-01, 1.000000e+00, 2.000000e+00, 4.000000e+00]> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.absf %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.negf %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.ceil %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.floor %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.cos %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.cosh %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.sin %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.sinh %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.tan %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.log %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.log2 %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.exp %a  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.exp %a rounding<approx> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.exp %a  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.tanh %a  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.tanh %a rounding<approx> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.exp2 %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.exp2 %a flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.rsqrt %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.rsqrt %a flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.sqrt %a  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.sqrt %a rounding<approx> flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.sqrt %a rounding<zero> : tile<4xf32>
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @binary() {
// CHECK: %a = cuda_tile.constant <f32: 5.000000e-01> : tile<4xf32>
// CHECK: %b = cuda_tile.constant <f16: 5.000000e-01> : tile<4xf16>
// CHECK: %n = cuda_tile.constant <i32: 2> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.addf %a, %c  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.addf %a, %c rounding<zero> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.addf %a, %c  flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.addf %a, %c rounding<positive_inf> flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.subf %b, %d rounding<negative_inf> : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.mulf %b, %d  : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.divf %a, %c  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.divf %a, %c rounding<approx> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.divf %a, %c rounding<full> flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.divf %b, %d rounding<positive_inf> : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.fma %a, %c, %e  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.fma %a, %c, %e rounding<zero> flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.maxf %a, %c : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.maxf %a, %c flush_to_zero propagate_nan : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.minf %a, %c propagate_nan : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.minf %a, %c flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.remf %b, %d : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.atan2 %a, %c : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.pow %a, %c : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.pow %b, %d : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.fpowi %a, %n : tile<4xf32>, tile<4xi32>
// CHECK: cuda_tile.return
