// RUN: xdsl-opt %s -p tileas-select-lowering | filecheck %s
// RUN: xdsl-opt %s -p 'tileas-select-lowering{force="#3=instruction,#8=shared_memory"}' | filecheck %s --check-prefix FORCED
// RUN: xdsl-opt %s -p 'tileas-select-lowering{explain="/dev/stdout"}' | filecheck %s --check-prefix REPORT

#two = #nv_tileas.layout<((2, 4), 32, 1, 1), ((1, 64), 2, 0, 0)>
#four = #nv_tileas.layout<((4, 2), 32, 1, 1), ((1, 128), 4, 0, 0)>

nv_tileaa.func @kernel(%a: i32, %b: i32) {
  %eight = arith.constant 8 : i32
  %seven = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  // CHECK: arith.divui %a, %eight {nv_tileas.strategy = #nv_tileas.strategy<shift>} : i32
  // FORCED: arith.divui %a, %eight {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : i32
  // REPORT: op: #3 arith.divui
  // REPORT-NEXT: strategy: shift
  // REPORT-NEXT: costs:
  // REPORT-NEXT:   shift: 4
  // REPORT-NEXT:   reciprocal: 6
  // REPORT-NEXT:   instruction: 30
  // REPORT-NEXT: source: Warren, Hacker's Delight, section 10-1
  %0 = arith.divui %a, %eight : i32
  // CHECK: arith.remsi %a, %seven {nv_tileas.strategy = #nv_tileas.strategy<reciprocal>} : i32
  // REPORT: op: #4 arith.remsi
  // REPORT: pruned:
  // REPORT-NEXT:   shift: the divisor is not a power of two
  %1 = arith.remsi %a, %seven : i32
  // CHECK: arith.floordivsi %a, %b {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : i32
  %2 = arith.floordivsi %a, %b : i32
  // What is written already stays.
  // CHECK: arith.divui %a, %seven {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : i32
  %3 = arith.divui %a, %seven {nv_tileas.strategy = #nv_tileas.strategy<instruction>} : i32
  %4 = nv_tileaa.splat %a : i32 -> tensor<256xi32, #four>
  // CHECK: nv_tileas.shuffle %{{.*}} {nv_tileas.exchanges = [#nv_tileas.atom_plan<shuffle>]}
  // FORCED: nv_tileas.convert_layout %{{.*}} {atom_plan = #nv_tileas.atom_plan<shared_memory>}
  // REPORT: op: #8 nv_tileas.convert_layout
  // REPORT-NEXT: strategy: shuffle
  // REPORT-NEXT: exchanges:
  // REPORT: costs:
  // REPORT-NEXT: shuffle: 32
  // REPORT-NEXT: shared_memory: 32
  // REPORT-NEXT: pruned:
  // REPORT-NEXT: registers: elements change threads
  %5 = nv_tileas.convert_layout %4 : tensor<256xi32, #four> -> tensor<256xi32, #two>
  // A range from 0 on is generated from its indices; others are added to once for a thread.
  // CHECK: %{{.*}} = nv_tileas.generate : tensor<32xi32, #nv_tileas.layout<
  // CHECK-NEXT: ^bb0(%[[INDEX:\w+]]: i32):
  // CHECK-NEXT: nv_tileas.yield %[[INDEX]] : i32
  // CHECK: nv_tileaa.make_range %eight, %seven :
  // CHECK: nv_tileaa.make_range %short, %short :
  %6 = nv_tileaa.make_range %zero, %eight : i32 -> tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>
  %7 = nv_tileaa.make_range %eight, %seven : i32 -> tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>
  %short = arith.constant 0 : i16
  %8 = nv_tileaa.make_range %short, %short : i16 -> tensor<32xi16, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>
  nv_tileaa.return
}
