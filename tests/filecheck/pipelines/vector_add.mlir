// The real kernel, stage by stage, as a user would type it.
// RUN: xdsl-opt %S/../../kernels/vector_add.mlir -p convert-cuda-tile-to-tileaa | filecheck %s --check-prefix=AA
// RUN: xdsl-opt %S/../../kernels/vector_add.mlir -p convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas,tileas-assign-load-store-layouts | filecheck %s --check-prefix=AS
// RUN: xdsl-opt %S/../../kernels/vector_add.mlir -p 'tileir-pipeline{gpu=sm_90a check=true}' | filecheck %s --check-prefix=LLVM
// RUN: xdsl-opt %S/../../kernels/vector_add.mlir -p 'tileir-pipeline{gpu=sm_90a}' -t ptx | filecheck %s --check-prefix=PTX

// AA: nv_tileaa.func @vector_add
// AA-COUNT-2: nv_tileaa.tiled_load weak
// AA-NEXT-NOT: cuda_tile
// AA: nv_tileaa.addf %tile, %tile_1 : tensor<1024xf32>
// AA: nv_tileaa.tiled_store weak

// AS-COUNT-2: nv_tileas.tiled_load weak %{{.*}}[%{{.*}}] token = %{{.*}} {atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>, padding_value = #nv_tileaa.padding_value<zero>}
// AS: nv_tileas.tiled_store weak %{{.*}} {atom = #nv_tileas<atom stg_128>

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
