// The real kernel, stage by stage, as a user would type it.
// RUN: xdsl-opt %S/../../../tileir_xdsl/testing/kernels/vector_add.mlir -p convert-cuda-tile-to-tileaa | filecheck %s --check-prefix=AA
// RUN: xdsl-opt %S/../../../tileir_xdsl/testing/kernels/vector_add.mlir -p convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas,tileas-assign-load-store-layouts | filecheck %s --check-prefix=AS
// RUN: xdsl-opt %S/../../../tileir_xdsl/testing/kernels/vector_add.mlir -p 'tileir-pipeline{gpu=sm_90a check=true}' | filecheck %s --check-prefix=LLVM
// RUN: xdsl-opt %S/../../../tileir_xdsl/testing/kernels/vector_add.mlir -p 'tileir-pipeline{gpu=sm_90a}' -t ptx | filecheck %s --check-prefix=PTX

// AA: nv_tileaa.func @vector_add(%[[PA:[^:]*]]: !nv_tileaa.ptr<f32>, %[[NA:[^:]*]]: i32, %{{[^:]*}}: i32, %[[PB:[^:]*]]: !nv_tileaa.ptr<f32>, %[[NB:[^:]*]]: i32, %{{[^:]*}}: i32, %[[PC:[^:]*]]: !nv_tileaa.ptr<f32>, %[[NC:[^:]*]]: i32,
// AA: %[[TOKEN:.*]] = nv_tileaa.create_mem_token
// AA-NEXT: %[[AT_A:.*]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[PA]] :
// AA-NEXT: %[[AT_B:.*]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[PB]] :
// AA-NEXT: %[[AT_C:.*]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %[[PC]] :
// AA: %[[SIZE_A:.*]] = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %[[NA]] :
// AA-NEXT: %[[OF_A:.*]] = nv_tileaa.make_memref %[[AT_A]] sizes = [%[[SIZE_A]] : i32] :
// AA: %[[SIZE_B:.*]] = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %[[NB]] :
// AA-NEXT: %[[OF_B:.*]] = nv_tileaa.make_memref %[[AT_B]] sizes = [%[[SIZE_B]] : i32] :
// AA: %[[SIZE_C:.*]] = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %[[NC]] :
// AA-NEXT: %[[OF_C:.*]] = nv_tileaa.make_memref %[[AT_C]] sizes = [%[[SIZE_C]] : i32] :
// AA: %[[BLOCK:.*]] = nv_tileaa.get_program_id 0 : i32
// AA-NEXT: %[[VIEW_A:.*]] = nv_tileaa.block_tile %[[OF_A]] {
// AA-NEXT: %[[A:.*]], %{{.*}} = nv_tileaa.tiled_load weak %[[VIEW_A]][%[[BLOCK]]] token = %[[TOKEN]] {
// AA-NEXT: %[[VIEW_B:.*]] = nv_tileaa.block_tile %[[OF_B]] {
// AA-NEXT: %[[B:.*]], %{{.*}} = nv_tileaa.tiled_load weak %[[VIEW_B]][%[[BLOCK]]] token = %[[TOKEN]] {
// AA-NEXT: %[[SUM:.*]] = nv_tileaa.addf %[[A]], %[[B]] : tensor<1024xf32>
// AA-NEXT: %[[VIEW_C:.*]] = nv_tileaa.block_tile %[[OF_C]] {
// AA-NEXT: nv_tileaa.tiled_store weak %[[SUM]], %[[VIEW_C]][%[[BLOCK]]] token = %[[TOKEN]] :
// AA-NOT: cuda_tile

// AS: %[[T:.*]] = nv_tileaa.create_mem_token
// AS: %[[OF_X:.*]] = nv_tileaa.make_memref
// AS: %[[OF_Y:.*]] = nv_tileaa.make_memref
// AS: %[[OF_Z:.*]] = nv_tileaa.make_memref
// AS: %[[AT:.*]] = nv_tileaa.get_program_id 0 : i32
// AS-NEXT: %[[VIEW_X:.*]] = nv_tileaa.block_tile %[[OF_X]] {
// AS-NEXT: %[[X:.*]], %{{.*}} = nv_tileas.tiled_load weak %[[VIEW_X]][%[[AT]]] token = %[[T]] {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>, padding_value = #nv_tileaa.padding_value<zero>}
// AS-NEXT: %[[VIEW_Y:.*]] = nv_tileaa.block_tile %[[OF_Y]] {
// AS-NEXT: %[[Y:.*]], %{{.*}} = nv_tileas.tiled_load weak %[[VIEW_Y]][%[[AT]]] token = %[[T]] {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>, padding_value = #nv_tileaa.padding_value<zero>}
// AS-NEXT: %[[Z:.*]] = nv_tileaa.addf %[[X]], %[[Y]] :
// AS-NEXT: %[[VIEW_Z:.*]] = nv_tileaa.block_tile %[[OF_Z]] {
// AS-NEXT: nv_tileas.tiled_store weak %[[Z]], %[[VIEW_Z]][%[[AT]]] token = %[[T]] {atom = #nv_tileas<atom stg_128>

// LLVM: llvm.func @vector_add({{.*}}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>
// Whole tiles by vectors, others element by element.
// LLVM-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// LLVM-COUNT-8: llvm.intr.masked.load %{{.*}} {alignment = 4 : i32} : (!llvm.ptr<1>, vector<1xi1>, vector<1xf32>) -> vector<1xf32>
// LLVM-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// LLVM-COUNT-8: llvm.intr.masked.load
// LLVM-COUNT-8: llvm.fadd
// LLVM-COUNT-2: llvm.store
// LLVM-COUNT-8: llvm.intr.masked.store

// PTX: .target sm_90a
// PTX: .visible .entry vector_add(
// PTX: .param .u64 .ptr .global .align 16
// PTX: .reqntid 128
// PTX-COUNT-4: ld.global.v4.f32
// PTX-COUNT-8: add.rn.f32
// PTX-COUNT-2: st.global.v4.f32
