// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Integer and bitwise operations. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  entry @integer() {
    %a = constant <i32: [1, 2, -3, 4]> : tile<4xi32>
    %b = constant <i32: [5, 6, 7, -8]> : tile<4xi32>
    %0 = absi %a : tile<4xi32>
    %1 = negi %a : tile<4xi32>
    %2 = negi %a overflow<no_signed_wrap> : tile<4xi32>
    %nowrap = negi %a overflow<no_wrap> : tile<4xi32>
    %3 = addi %a, %b : tile<4xi32>
    %4 = addi %a, %b overflow<no_wrap> : tile<4xi32>
    %5 = subi %a, %b overflow<no_unsigned_wrap> : tile<4xi32>
    %6 = muli %a, %b overflow<no_signed_wrap> : tile<4xi32>
    %7 = shli %a, %b : tile<4xi32>
    %8 = shri %a, %b signed : tile<4xi32>
    %9 = shri %a, %b unsigned : tile<4xi32>
    %10 = maxi %a, %b signed : tile<4xi32>
    %11 = mini %a, %b unsigned : tile<4xi32>
    %12 = remi %a, %b signed : tile<4xi32>
    %13 = divi %a, %b signed : tile<4xi32>
    %14 = divi %a, %b unsigned rounding<positive_inf> : tile<4xi32>
    %15 = divi %a, %b signed rounding<negative_inf> : tile<4xi32>
    %16 = mulhii %a, %b : tile<4xi32>
    %17 = andi %a, %b : tile<4xi32>
    %18 = ori %a, %b : tile<4xi32>
    %19 = xori %a, %b : tile<4xi32>
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.entry @integer() {
// CHECK: %a = cuda_tile.constant <i32: [1, 2, -3, 4]> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.absi %a : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.negi %a : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.negi %a overflow<no_signed_wrap> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.negi %a overflow<no_wrap> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.addi %a, %b : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.addi %a, %b overflow<no_wrap> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.subi %a, %b overflow<no_unsigned_wrap> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.muli %a, %b overflow<no_signed_wrap> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.shli %a, %b : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.shri %a, %b signed : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.shri %a, %b unsigned : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.maxi %a, %b signed : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.mini %a, %b unsigned : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.remi %a, %b signed : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.divi %a, %b signed : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.divi %a, %b unsigned rounding<positive_inf> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.divi %a, %b signed rounding<negative_inf> : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.mulhii %a, %b : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.andi %a, %b : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.ori %a, %b : tile<4xi32>
// CHECK: %{{.*}} = cuda_tile.xori %a, %b : tile<4xi32>
// CHECK: cuda_tile.return
