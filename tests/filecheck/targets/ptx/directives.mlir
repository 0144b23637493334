// RUN: xdsl-opt %s -t ptx | filecheck %s

// Without options the target is the one on the module.

builtin.module attributes {nv_tileaa.target_spec = "sm_100a"} {
  llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
  llvm.mlir.global internal constant @table(dense<[1, -2]> : tensor<2xi16>) {addr_space = 4 : i32} : !llvm.array<2 x i16>
  llvm.func @kernel(%x: f16, %y: i64, %z: i1, %w: f64, %v: i8) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 2, 1>, nvvm.maxnreg = 168 : i32, nvvm.minctasm = 2 : i32, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
    llvm.return
  }
}

// CHECK:      .version 8.6
// CHECK-NEXT: .target sm_100a
// CHECK:      .extern .shared .align 1024 .b8 smem[];
// CHECK:      .shared .align 16 .b8 tile[256];
// CHECK:      .const .align 2 .b8 table[4] = {1, 0, 254, 255};
// CHECK:      .visible .entry kernel(
// CHECK-NEXT: .param .b16 kernel_param_0,
// CHECK-NEXT: .param .u64 kernel_param_1,
// CHECK-NEXT: .param .u8 kernel_param_2,
// CHECK-NEXT: .param .f64 kernel_param_3,
// CHECK-NEXT: .param .u8 kernel_param_4
// CHECK-NEXT: )
// CHECK-NEXT: .maxntid 256, 2, 1
// CHECK-NEXT: .minnctapersm 2
// CHECK-NEXT: .maxnreg 168
// CHECK-NEXT: .explicitcluster
// CHECK-NEXT: .reqnctapercluster 2, 1, 1
// CHECK-NEXT: {
// CHECK-NEXT: ret;
// CHECK-NEXT: }
