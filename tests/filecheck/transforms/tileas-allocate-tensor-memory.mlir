// RUN: xdsl-opt %s -p tileas-allocate-tensor-memory | filecheck %s

// Accumulators that are live at the same time have columns of their own; one that has some keeps them.
// CHECK-LABEL: nv_tileaa.func @accumulators
// CHECK-SAME: nv_tileas.tmem_columns = 256 : i32
// CHECK: async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>
// CHECK: async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 192, size = 64>
// CHECK: async.dot {{.*}}nv_tileas.tmem = #nv_tileas.allocation<offset = 64, size = 64>
nv_tileaa.func @accumulators(%n: i32) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = nv_tileas.alloc_tensor : tensor<128x16xf16, #nv_tileas.memory<smem>>
  %b = nv_tileas.alloc_tensor : tensor<16x64xf16, #nv_tileas.memory<smem>>
  %d = nv_tileas.async.dot %a, %b, %zero {atom = #nv_tileas<atom umma_f16_f16_f32>} : tensor<128x16xf16, #nv_tileas.memory<smem>>, tensor<16x64xf16, #nv_tileas.memory<smem>>, tensor<128x64xf32> -> !async.value<tile<128x64xf32>>
  %e = nv_tileas.async.dot %a, %b, %zero {atom = #nv_tileas<atom umma_f16_f16_f32>, nv_tileas.tmem = #nv_tileas.allocation<offset = 192, size = 64>} : tensor<128x16xf16, #nv_tileas.memory<smem>>, tensor<16x64xf16, #nv_tileas.memory<smem>>, tensor<128x64xf32> -> !async.value<tile<128x64xf32>>
  %f = nv_tileas.async.dot %a, %b, %zero {atom = #nv_tileas<atom umma_f16_f16_f32>} : tensor<128x16xf16, #nv_tileas.memory<smem>>, tensor<16x64xf16, #nv_tileas.memory<smem>>, tensor<128x64xf32> -> !async.value<tile<128x64xf32>>
  %x = nv_tileas.async.future_wait %d : !async.value<tile<128x64xf32>> -> tile<128x64xf32>
  %y = nv_tileas.async.future_wait %e : !async.value<tile<128x64xf32>> -> tile<128x64xf32>
  %z = nv_tileas.async.future_wait %f : !async.value<tile<128x64xf32>> -> tile<128x64xf32>
  nv_tileaa.return
}
