// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Conversions. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  entry @conversions() {
    %i = constant <i32: 5> : tile<2x4xi32>
    %f = constant <f32: 2.5> : tile<2x4xf32>
    %l = constant <i64: 5> : tile<2x4xi64>
    %0 = bitcast %i : tile<2x4xi32> -> tile<2x4xf32>
    %1 = exti %i signed : tile<2x4xi32> -> tile<2x4xi64>
    %2 = exti %i unsigned : tile<2x4xi32> -> tile<2x4xi64>
    %3 = trunci %i : tile<2x4xi32> -> tile<2x4xi8>
    %4 = trunci %i overflow<no_signed_wrap> : tile<2x4xi32> -> tile<2x4xi16>
    %5 = ftof %f : tile<2x4xf32> -> tile<2x4xf16>
    %6 = ftof %f rounding<zero> : tile<2x4xf32> -> tile<2x4xbf16>
    %7 = ftof %f rounding<positive_inf> : tile<2x4xf32> -> tile<2x4xf8E8M0FNU>
    %8 = ftof %f : tile<2x4xf32> -> tile<2x4xtf32>
    %9 = ftof %f : tile<2x4xf32> -> tile<2x4xf8E4M3FN>
    %10 = ftof %f : tile<2x4xf32> -> tile<2x4xf64>
    %11 = ftoi %f signed : tile<2x4xf32> -> tile<2x4xi32>
    %12 = ftoi %f unsigned rounding<nearest_int_to_zero> : tile<2x4xf32> -> tile<2x4xi8>
    %13 = ftoi %f signed saturating : tile<2x4xf32> -> tile<2x4xi16>
    %14 = itof %i signed : tile<2x4xi32> -> tile<2x4xf32>
    %15 = itof %i unsigned rounding<nearest_even> : tile<2x4xi32> -> tile<2x4xf64>
    %16 = int_to_ptr %l : tile<2x4xi64> -> tile<2x4xptr<f32>>
    %17 = ptr_to_ptr %16 : tile<2x4xptr<f32>> -> tile<2x4xptr<i8>>
    %18 = ptr_to_int %17 : tile<2x4xptr<i8>> -> tile<2x4xi64>
    %19 = trunci %i : tile<2x4xi32> -> tile<2x4xi4>
    %20 = exti %19 signed : tile<2x4xi4> -> tile<2x4xi8>
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.entry @conversions() {
// CHECK: %i = cuda_tile.constant <i32: 5> : tile<2x4xi32>
// CHECK: %f = cuda_tile.constant <f32: 2.500000e+00> : tile<2x4xf32>
// CHECK: %l = cuda_tile.constant <i64: 5> : tile<2x4xi64>
// CHECK: %{{.*}} = cuda_tile.bitcast %i : tile<2x4xi32> -> tile<2x4xf32>
// CHECK: %{{.*}} = cuda_tile.exti %i signed : tile<2x4xi32> -> tile<2x4xi64>
// CHECK: %{{.*}} = cuda_tile.exti %i unsigned : tile<2x4xi32> -> tile<2x4xi64>
// CHECK: %{{.*}} = cuda_tile.trunci %i : tile<2x4xi32> -> tile<2x4xi8>
// CHECK: %{{.*}} = cuda_tile.trunci %i overflow<no_signed_wrap> : tile<2x4xi32> -> tile<2x4xi16>
// CHECK: %{{.*}} = cuda_tile.ftof %f  : tile<2x4xf32> -> tile<2x4xf16>
// CHECK: %{{.*}} = cuda_tile.ftof %f rounding<zero> : tile<2x4xf32> -> tile<2x4xbf16>
// CHECK: %{{.*}} = cuda_tile.ftof %f rounding<positive_inf> : tile<2x4xf32> -> tile<2x4xf8E8M0FNU>
// CHECK: %{{.*}} = cuda_tile.ftof %f  : tile<2x4xf32> -> tile<2x4xtf32>
// CHECK: %{{.*}} = cuda_tile.ftof %f  : tile<2x4xf32> -> tile<2x4xf8E4M3FN>
// CHECK: %{{.*}} = cuda_tile.ftof %f  : tile<2x4xf32> -> tile<2x4xf64>
// CHECK: %{{.*}} = cuda_tile.ftoi %f signed  : tile<2x4xf32> -> tile<2x4xi32>
// CHECK: %{{.*}} = cuda_tile.ftoi %f unsigned  : tile<2x4xf32> -> tile<2x4xi8>
// CHECK: %{{.*}} = cuda_tile.ftoi %f signed  saturating : tile<2x4xf32> -> tile<2x4xi16>
// CHECK: %{{.*}} = cuda_tile.itof %i signed  : tile<2x4xi32> -> tile<2x4xf32>
// CHECK: %{{.*}} = cuda_tile.itof %i unsigned  : tile<2x4xi32> -> tile<2x4xf64>
// CHECK: %[[INT_TO_PTR:.*]] = cuda_tile.int_to_ptr %l : tile<2x4xi64> -> tile<2x4xptr<f32>>
// CHECK: %[[PTR_TO_PTR:.*]] = cuda_tile.ptr_to_ptr %[[INT_TO_PTR]] : tile<2x4xptr<f32>> -> tile<2x4xptr<i8>>
// CHECK: %{{.*}} = cuda_tile.ptr_to_int %[[PTR_TO_PTR]] : tile<2x4xptr<i8>> -> tile<2x4xi64>
// CHECK: %[[TRUNCI:.*]] = cuda_tile.trunci %i : tile<2x4xi32> -> tile<2x4xi4>
// CHECK: %{{.*}} = cuda_tile.exti %[[TRUNCI]] signed : tile<2x4xi4> -> tile<2x4xi8>
// CHECK: cuda_tile.return
