// RUN: xdsl-opt %s -p tileas-select-lowering,tileas-allocate-shared-memory,tileas-allocate-tensor-memory,tileas-insert-barriers,convert-tileas-to-llvm | filecheck %s

// What is not private the host can find by its name; an i1 is a byte.
// CHECK: llvm.mlir.global external @table(dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<2 x f32>
nv_tileaa.global @table alignment = 16 = #nv_tileaa.elements<[1.0, 2.5] : tensor<2xf32>>
// CHECK-NEXT: llvm.mlir.global internal constant @zeros(dense<0> : tensor<4xi8>) {addr_space = 1 : i32} : !llvm.array<4 x i8>
nv_tileaa.global private constant @zeros = #nv_tileaa.elements<false : tensor<4xi1>>

// One thread takes 32 bytes, and 48 more to align them to 64, and tells the others where.
// CHECK-LABEL: llvm.func @k()
nv_tileaa.func @k() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>} {
  // CHECK: %[[SIZE:.*]] = llvm.mlir.constant(80) : i64
  // CHECK: llvm.mlir.addressof @table : !llvm.ptr<1>
  %g = nv_tileaa.get_global @table : !nv_tileaa.ptr<f32>
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
  // CHECK-NEXT: llvm.cond_br %[[FIRST]],
  // CHECK: %[[TAKEN:.*]] = llvm.call @malloc(%[[SIZE]]) : (i64) -> !llvm.ptr
  // CHECK: llvm.intr.trap
  // CHECK: llvm.store %{{.*}} : i64, !llvm.ptr<3>
  // CHECK: nvvm.barrier
  // CHECK-NEXT: %[[START:.*]] = llvm.load
  // CHECK: %[[PIECE:.*]] = llvm.inttoptr %[[START]] : i64 to !llvm.ptr
  %a = nv_tileaa.alloca {num_elements = 8 : i64, alignment = 64 : i64} : !nv_tileaa.ptr<f32>
  // CHECK: nvvm.barrier
  // CHECK-NEXT: llvm.cond_br %[[FIRST]],
  // CHECK: llvm.call @free(%[[PIECE]]) : (!llvm.ptr) -> ()
  // CHECK: llvm.return
  nv_tileaa.return
}
