// RUN: xdsl-opt %s -p fuse-fma | filecheck %s

cuda_tile.module @m {
  // CHECK-LABEL: entry @products
  entry @products(%p: tile<ptr<f32>>, %a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    // CHECK-NEXT: %0 = cuda_tile.fma %a, %b, %c : tile<f32>
    %0 = mulf %a, %b : tile<f32>
    %1 = addf %c, %0 : tile<f32>
    // CHECK-NEXT: %1 = cuda_tile.negf %c : tile<f32>
    // CHECK-NEXT: %2 = cuda_tile.fma %a, %0, %1 rounding<zero> flush_to_zero : tile<f32>
    %2 = mulf %a, %1 rounding<zero> flush_to_zero : tile<f32>
    %3 = subf %2, %c rounding<zero> flush_to_zero : tile<f32>
    // CHECK-NEXT: %3 = cuda_tile.mulf %2, %2 : tile<f32>
    // CHECK-NEXT: %4 = cuda_tile.addf %3, %a rounding<zero> : tile<f32>
    %4 = mulf %3, %3 : tile<f32>
    %5 = addf %4, %a rounding<zero> : tile<f32>
    // CHECK-NEXT: cuda_tile.store_ptr_tko weak %p, %4
    store_ptr_tko weak %p, %5 : tile<ptr<f32>>, tile<f32> -> token
  }
}
