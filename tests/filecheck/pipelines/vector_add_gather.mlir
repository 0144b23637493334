// The real kernel with masks: pointers that are neighbours are loaded at once, lanes of the mask
// that are off are not touched.
// RUN: xdsl-opt %S/../../../tileir_xdsl/testing/kernels/vector_add_gather.mlir -p convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas,tileas-assign-load-store-layouts | filecheck %s --check-prefix=AS
// RUN: xdsl-opt %S/../../../tileir_xdsl/testing/kernels/vector_add_gather.mlir -p 'tileir-pipeline{gpu=sm_80}' -t ptx | filecheck %s --check-prefix=PTX

// AS: %[[X:.*]], %{{.*}} = nv_tileas.load weak %{{.*}} mask = %{{.*}} other = %{{.*}} {atom = #nv_tileas<atom ldg_128>
// AS: %[[Y:.*]], %{{.*}} = nv_tileas.load weak %{{.*}} mask = %{{.*}} other = %{{.*}} {atom = #nv_tileas<atom ldg_128>
// AS-NEXT: %[[Z:.*]] = nv_tileaa.addf %[[X]], %[[Y]] :
// AS: nv_tileas.store weak %{{.*}}, %[[Z]] mask = %{{.*}} {atom = #nv_tileas<atom stg_128>

// PTX: .target sm_80
// PTX-COUNT-4: ld.global.v4.f32
// PTX-COUNT-8: add.rn.f32
// PTX-COUNT-2: st.global.v4.f32
