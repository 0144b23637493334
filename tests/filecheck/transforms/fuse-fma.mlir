// RUN: xdsl-opt %s -p fuse-fma | filecheck %s

cuda_tile.module @m {
  // CHECK-LABEL: entry @products
  entry @products(%p: tile<ptr<f32>>, %a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    // CHECK-NEXT: %[[FMA:.*]] = cuda_tile.fma %a, %b, %c : tile<f32>
    %0 = mulf %a, %b : tile<f32>
    %1 = addf %c, %0 : tile<f32>
    // CHECK-NEXT: %[[NEGF:.*]] = cuda_tile.negf %c : tile<f32>
    // CHECK-NEXT: %[[FMA2:.*]] = cuda_tile.fma %a, %[[FMA]], %[[NEGF]] rounding<zero> flush_to_zero : tile<f32>
    %2 = mulf %a, %1 rounding<zero> flush_to_zero : tile<f32>
    %3 = subf %2, %c rounding<zero> flush_to_zero : tile<f32>
    // CHECK-NEXT: %[[MUL:.*]] = cuda_tile.mulf %[[FMA2]], %[[FMA2]] : tile<f32>
    // CHECK-NEXT: %[[SUM:.*]] = cuda_tile.addf %[[MUL]], %a rounding<zero> : tile<f32>
    %4 = mulf %3, %3 : tile<f32>
    %5 = addf %4, %a rounding<zero> : tile<f32>
    // CHECK-NEXT: cuda_tile.store_ptr_tko weak %p, %[[SUM]] :
    store_ptr_tko weak %p, %5 : tile<ptr<f32>>, tile<f32> -> token
  }
}
