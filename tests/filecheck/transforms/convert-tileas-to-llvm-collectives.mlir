// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

// Registers first, then lanes by butterflies; warps through shared memory, after a barrier.
// CHECK-LABEL: llvm.func @reduce
nv_tileaa.func @reduce(%n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %zero = arith.constant 0 : i32
  %end = arith.constant 256 : i32
  %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<256xi32, #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>>
  // CHECK-DAG: %[[C1:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-DAG: %[[C4:.*]] = llvm.mlir.constant(4 : i32) : i32
  // CHECK-DAG: %[[C8:.*]] = llvm.mlir.constant(8 : i32) : i32
  // CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(31 : i32) : i32
  // CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  // CHECK: %[[X0:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK-NEXT: %[[X1:.*]] = llvm.add %[[X0]], %{{.*}} : i32
  // CHECK-NEXT: %[[BOTH:.*]] = llvm.add %[[X0]], %[[X1]] : i32
  // CHECK-NEXT: %[[OTHER:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[BOTH]], %[[C1]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM_1:.*]] = llvm.add %[[BOTH]], %[[OTHER]] : i32
  // CHECK-NEXT: %[[FROM_2:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[SUM_1]], %[[C2]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM_2:.*]] = llvm.add %[[SUM_1]], %[[FROM_2]] : i32
  // CHECK-NEXT: %[[FROM_4:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[SUM_2]], %[[C4]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM_4:.*]] = llvm.add %[[SUM_2]], %[[FROM_4]] : i32
  // CHECK-NEXT: %[[FROM_8:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[SUM_4]], %[[C8]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM_8:.*]] = llvm.add %[[SUM_4]], %[[FROM_8]] : i32
  // CHECK-NEXT: %[[FROM_16:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[SUM_8]], %[[C16]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM_16:.*]] = llvm.add %[[SUM_8]], %[[FROM_16]] : i32
  // CHECK-NOT: nvvm.shfl.sync
  // CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @reduce_shared
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[SHARED]][%{{[0-9]+}}]
  // CHECK: %[[STORED:.*]] = llvm.insertelement %[[SUM_16]],
  // CHECK: llvm.intr.masked.store %[[STORED]], %[[SLOT]],
  // CHECK: nvvm.barrier
  // CHECK: %[[WARPS:.*]] = llvm.load %[[SHARED]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-NEXT: %[[W0:.*]] = llvm.extractelement %[[WARPS]][
  // CHECK-NEXT: %[[W1:.*]] = llvm.extractelement %[[WARPS]][
  // CHECK-NEXT: %[[W2:.*]] = llvm.extractelement %[[WARPS]][
  // CHECK-NEXT: %[[W3:.*]] = llvm.extractelement %[[WARPS]][
  // CHECK-NEXT: %[[LOW:.*]] = llvm.add %[[W0]], %[[W1]] : i32
  // CHECK-NEXT: %[[HIGH:.*]] = llvm.add %[[W2]], %[[W3]] : i32
  // CHECK-NEXT: llvm.add %[[LOW]], %[[HIGH]] : i32
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
  // CHECK-DAG: %[[C1:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-DAG: %[[C2:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-DAG: %[[C4:.*]] = llvm.mlir.constant(4 : i32) : i32
  // CHECK-DAG: %[[C8:.*]] = llvm.mlir.constant(8 : i32) : i32
  // CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(31 : i32) : i32
  // CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32) : i32
  // CHECK: %[[X:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK-NEXT: %[[LANE:.*]] = llvm.and %[[X]], %[[LAST]] : i32
  // CHECK: %[[SOURCE:.*]] = llvm.sub %[[LANE]], %[[C1]] : i32
  // CHECK-NEXT: %[[EXISTS:.*]] = llvm.icmp "uge" %[[LANE]], %[[C1]] : i32
  // CHECK-NEXT: %[[BEFORE:.*]] = nvvm.shfl.sync idx %[[ALL]], %[[X]], %[[SOURCE]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[BEFORE]], %[[X]] : i32
  // CHECK-NEXT: %[[PREFIX_1:.*]] = llvm.select %[[EXISTS]], %[[SUM]], %[[X]] : i1, i32
  // CHECK: %[[SOURCE:.*]] = llvm.sub %[[LANE]], %[[C2]] : i32
  // CHECK-NEXT: %[[EXISTS:.*]] = llvm.icmp "uge" %[[LANE]], %[[C2]] : i32
  // CHECK-NEXT: %[[BEFORE:.*]] = nvvm.shfl.sync idx %[[ALL]], %[[PREFIX_1]], %[[SOURCE]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[BEFORE]], %[[PREFIX_1]] : i32
  // CHECK-NEXT: %[[PREFIX_2:.*]] = llvm.select %[[EXISTS]], %[[SUM]], %[[PREFIX_1]] : i1, i32
  // CHECK: %[[SOURCE:.*]] = llvm.sub %[[LANE]], %[[C4]] : i32
  // CHECK-NEXT: %[[EXISTS:.*]] = llvm.icmp "uge" %[[LANE]], %[[C4]] : i32
  // CHECK-NEXT: %[[BEFORE:.*]] = nvvm.shfl.sync idx %[[ALL]], %[[PREFIX_2]], %[[SOURCE]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[BEFORE]], %[[PREFIX_2]] : i32
  // CHECK-NEXT: %[[PREFIX_4:.*]] = llvm.select %[[EXISTS]], %[[SUM]], %[[PREFIX_2]] : i1, i32
  // CHECK: %[[SOURCE:.*]] = llvm.sub %[[LANE]], %[[C8]] : i32
  // CHECK-NEXT: %[[EXISTS:.*]] = llvm.icmp "uge" %[[LANE]], %[[C8]] : i32
  // CHECK-NEXT: %[[BEFORE:.*]] = nvvm.shfl.sync idx %[[ALL]], %[[PREFIX_4]], %[[SOURCE]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[BEFORE]], %[[PREFIX_4]] : i32
  // CHECK-NEXT: %[[PREFIX_8:.*]] = llvm.select %[[EXISTS]], %[[SUM]], %[[PREFIX_4]] : i1, i32
  // CHECK: %[[SOURCE:.*]] = llvm.sub %[[LANE]], %[[C16]] : i32
  // CHECK-NEXT: %[[EXISTS:.*]] = llvm.icmp "uge" %[[LANE]], %[[C16]] : i32
  // CHECK-NEXT: %[[BEFORE:.*]] = nvvm.shfl.sync idx %[[ALL]], %[[PREFIX_8]], %[[SOURCE]], %[[LAST]] : i32 -> i32
  // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[BEFORE]], %[[PREFIX_8]] : i32
  // CHECK-NEXT: %[[PREFIX_16:.*]] = llvm.select %[[EXISTS]], %[[SUM]], %[[PREFIX_8]] : i1, i32
  // CHECK-NOT: nvvm.barrier
  // CHECK: llvm.return
  %s = nv_tileas.scan %x {axis = 0 : i32, inclusive = true} : tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>> -> tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>> {
  ^bb0(%a: i32, %b: i32):
    %c = nv_tileaa.addi %a, %b : i32
    nv_tileas.yield %c : i32
  }
  nv_tileaa.return
}
