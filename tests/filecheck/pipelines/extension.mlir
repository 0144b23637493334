// RUN: xdsl-opt %s -p 'tileir-pipeline{gpu=sm_80 extensions="%S/inputs/marking.py"}' --print-between-passes | filecheck %s
// RUN: tileir opt %s --with %S/inputs/marking.py -p 'tileir-pipeline{gpu=sm_80}' --print-between-passes | filecheck %s --check-prefix=OPT
// RUN: tileir opt %s --with %S/inputs/marking.py -p convert-cuda-tile-to-tileaa,mark | filecheck %s --check-prefix=ALONE
// RUN: tileir passes --with %S/inputs/marking.py | filecheck %s --check-prefix=LIST
// RUN: not tileir opt %s -p 'tileir-pipeline{extensions="%S/inputs/absent.py"}' 2>&1 | filecheck %s --check-prefix=ABSENT
// RUN: not tileir opt %s -p mark 2>&1 | filecheck %s --check-prefix=UNKNOWN

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    return
  }
}

// CHECK-LABEL: IR after canonicalize:
// CHECK-NOT:   marked
// CHECK-LABEL: IR after mark:
// CHECK-NEXT:  builtin.module attributes {{{.*}}marked{{.*}}} {
// CHECK-LABEL: IR after tileas-plan-cta:
// CHECK:       nv_tileaa.progress = ["convert-tileas-to-llvm", "marking"]

// OPT: IR after canonicalize: unchanged
// OPT-NEXT: IR after mark:
// OPT: IR after tileas-plan-cta: unchanged

// ALONE: builtin.module attributes {{{.*}}marked{{.*}}} {

// LIST: canonicalize{{ +}}nv_tileaa  2{{ +}}tileir_xdsl
// LIST-NEXT: mark{{ +}}nv_tileaa  3 after canonicalize{{ +}}{{.*}}marking.py
// LIST-NEXT: tileas-plan-cta{{ +}}nv_tileaa  4{{ +}}tileir_xdsl

// ABSENT: error: extensions={{.*}}absent.py: there is no such file

// UNKNOWN: -p: error: there is no pass 'mark'
