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
    %n = constant <i32: 2> : tile<4xi32>
    %0 = addf %a, %a : tile<4xf32>
    %1 = addf %a, %a rounding<zero> : tile<4xf32>
    %2 = addf %a, %a flush_to_zero : tile<4xf32>
    %3 = addf %a, %a rounding<positive_inf> flush_to_zero : tile<4xf32>
    %4 = subf %b, %b rounding<negative_inf> : tile<4xf16>
    %5 = mulf %b, %b : tile<4xf16>
    %6 = divf %a, %a : tile<4xf32>
    %7 = divf %a, %a rounding<approx> : tile<4xf32>
    %8 = divf %a, %a rounding<full> flush_to_zero : tile<4xf32>
    %9 = divf %b, %b rounding<positive_inf> : tile<4xf16>
    %10 = fma %a, %a, %a : tile<4xf32>
    %11 = fma %a, %a, %a rounding<zero> flush_to_zero : tile<4xf32>
    %12 = maxf %a, %a : tile<4xf32>
    %13 = maxf %a, %a propagate_nan flush_to_zero : tile<4xf32>
    %14 = minf %a, %a propagate_nan : tile<4xf32>
    %15 = minf %a, %a flush_to_zero : tile<4xf32>
    %16 = remf %b, %b : tile<4xf16>
    %17 = atan2 %a, %a : tile<4xf32>
    %18 = pow %a, %a : tile<4xf32>
    %19 = fpowf %b, %b : tile<4xf16>
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
// CHECK: %{{.*}} = cuda_tile.addf %a, %a  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.addf %a, %a rounding<zero> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.addf %a, %a  flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.addf %a, %a rounding<positive_inf> flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.subf %b, %b rounding<negative_inf> : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.mulf %b, %b  : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.divf %a, %a  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.divf %a, %a rounding<approx> : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.divf %a, %a rounding<full> flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.divf %b, %b rounding<positive_inf> : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.fma %a, %a, %a  : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.fma %a, %a, %a rounding<zero> flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.maxf %a, %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.maxf %a, %a flush_to_zero propagate_nan : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.minf %a, %a propagate_nan : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.minf %a, %a flush_to_zero : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.remf %b, %b : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.atan2 %a, %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.pow %a, %a : tile<4xf32>
// CHECK: %{{.*}} = cuda_tile.pow %b, %b : tile<4xf16>
// CHECK: %{{.*}} = cuda_tile.fpowi %a, %n : tile<4xf32>, tile<4xi32>
// CHECK: cuda_tile.return
