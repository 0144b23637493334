// RUN: xdsl-opt %s -p tileas-legalize-tmem-copy | filecheck %s

// A tile goes from shared memory to tensor memory and back, and into registers in another layout.

#held = #nv_tileas.layout<((4, 16), 32, 4, 1), ((1, 512), 4, 128, 0)>

builtin.module attributes {nv_tileaa.target_spec = "sm_100a"} {
  nv_tileaa.func @k() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
    %s = nv_tileas.alloc_tensor : tensor<128x64xf32, #nv_tileas.memory<smem>>
    %t = nv_tileas.convert_layout %s : tensor<128x64xf32, #nv_tileas.memory<smem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
    %u = nv_tileas.copy %t into %s : tensor<128x64xf32, #nv_tileas.memory<tmem>> into tensor<128x64xf32, #nv_tileas.memory<smem>> -> tensor<128x64xf32, #nv_tileas.memory<smem>>
    %r = nv_tileas.convert_layout %t : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #held>
    %x = nv_tileaa.addf %r, %r : tensor<128x64xf32, #held>
    nv_tileaa.return
  }
}

// CHECK:      %s = nv_tileas.alloc_tensor : tensor<128x64xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %[[CONVERTED:.*]] = nv_tileas.convert_layout %s : tensor<128x64xf32, #nv_tileas.memory<smem>> -> tensor<128x64xf32, #nv_tileas.layout<[[L:.*]]>>
// CHECK-NEXT: %[[BUFFER:.*]] = nv_tileas.alloc_tensor : tensor<128x64xf32, #nv_tileas.memory<tmem>>
// CHECK-NEXT: %t = nv_tileas.copy %[[CONVERTED]] into %[[BUFFER]] {atom = #nv_tileas<atom tmem_store_32x32b_x64>} : tensor<128x64xf32, #nv_tileas.layout<[[L]]>> into tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.memory<tmem>>
// CHECK-NEXT: %[[COPY:.*]] = nv_tileas.copy %t {atom = #nv_tileas<atom tmem_load_32x32b_x64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<[[L]]>>
// CHECK-NEXT: %u = nv_tileas.copy %[[COPY]] into %s : tensor<128x64xf32, #nv_tileas.layout<[[L]]>> into tensor<128x64xf32, #nv_tileas.memory<smem>> -> tensor<128x64xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: %[[COPY2:.*]] = nv_tileas.copy %t {atom = #nv_tileas<atom tmem_load_32x32b_x64>} : tensor<128x64xf32, #nv_tileas.memory<tmem>> -> tensor<128x64xf32, #nv_tileas.layout<[[L]]>>
// CHECK-NEXT: %r = nv_tileas.convert_layout %[[COPY2]] : tensor<128x64xf32, #nv_tileas.layout<[[L]]>> -> tensor<128x64xf32, #nv_tileas.layout<((4, 16), 32, 4, 1), ((1, 512), 4, 128, 0)>>
// CHECK-NEXT: %x = nv_tileaa.addf %r, %r
