// RUN: xdsl-opt %s -p convert-tileas-to-llvm | filecheck %s

// Registers first, then lanes by butterflies; warps through shared memory, after a barrier.
// CHECK-LABEL: llvm.func @reduce
nv_tileaa.func @reduce(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %end = arith.constant 256 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<256xi32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
  // CHECK: %[[X0:.*]] = llvm.add
  // CHECK-NEXT: %[[X1:.*]] = llvm.add %[[X0]], %{{.*}} : i32
  // CHECK: %[[BOTH:.*]] = llvm.add %[[X0]], %[[X1]] : i32
  // CHECK-NEXT: %[[OTHER:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[BOTH]], %{{.*}}, %{{.*}} : i32 -> i32
  // CHECK-NEXT: llvm.add %[[BOTH]], %[[OTHER]] : i32
  // CHECK-COUNT-4: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: llvm.intr.masked.store
  // CHECK: nvvm.barrier
  // CHECK: llvm.load
  // CHECK: llvm.return
  %s = nv_tileas.reduce %x {axis = 0 : i32} : tensor<256xi32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = nv_tileaa.addi %a, %b : i32
    nv_tileas.yield %c : i32
  }
  nv_tileaa.return
}

// The prefixes over lanes come from lanes before, where there is one.
// CHECK-LABEL: llvm.func @scan
nv_tileaa.func @scan(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %end = arith.constant 32 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>
  // CHECK: %[[SOURCE:.*]] = llvm.sub %[[LANE:.*]], %{{.*}} : i32
  // CHECK: %[[EXISTS:.*]] = llvm.icmp "uge"
  // CHECK: %[[BEFORE:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[X:.*]], %[[SOURCE]], %{{.*}} : i32 -> i32
  // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[BEFORE]], %[[X]] : i32
  // CHECK-NEXT: llvm.select %[[EXISTS]], %[[SUM]], %[[X]] : i1, i32
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.return
  %s = nv_tileas.scan %x {axis = 0 : i32, inclusive = true} : tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>> -> tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>> {
  ^bb0(%a: i32, %b: i32):
    %c = nv_tileaa.addi %a, %b : i32
    nv_tileas.yield %c : i32
  }
  nv_tileaa.return
}
