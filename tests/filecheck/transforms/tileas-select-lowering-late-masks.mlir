// RUN: xdsl-opt %s -p tileas-select-lowering | filecheck %s

#tile = #nv_tileas.layout<((2, 2, 8), (4, 8), 4, 1), ((1, 512, 8), (2, 64), 1024, 0)>
#row = #nv_tileas.layout<(2, (4, 8), 4, 1), (8, (0, 1), 16, 0)>
#column = #nv_tileas.layout<((2, 8), (4, 8), 4, 1), ((1, 8), (2, 0), 0, 0)>

builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
nv_tileaa.func @masks(%x: tensor<64x64xf32, #tile>, %s: f32, %n: tensor<64x64xi32, #tile>, %r: tensor<64x1xi32, #row>, %c: tensor<1x64xi32, #column>, %b: tensor<1x64xi1, #column>) -> (tensor<64x64xf32, #tile>, tensor<64x64xf32, #tile>) {
  %scale = nv_tileaa.splat %s : f32 -> tensor<64x64xf32, #tile>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #tile>
  %rows = nv_tileaa.broadcast %r : tensor<64x1xi32, #row> -> tensor<64x64xi32, #tile>
  %columns = nv_tileaa.broadcast %c : tensor<1x64xi32, #column> -> tensor<64x64xi32, #tile>
  %near = nv_tileaa.broadcast %b : tensor<1x64xi1, #column> -> tensor<64x64xi1, #tile>
  // An operand takes as many registers as the result.
  // CHECK: %given = arith.cmpi
  %given = arith.cmpi slt, %n, %rows : tensor<64x64xi32, #tile>
  %below = arith.cmpi slt, %rows, %columns : tensor<64x64xi32, #tile>
  %kept = arith.andi %below, %near : tensor<64x64xi1, #tile>
  // CHECK-NEXT: %used = arith.cmpi
  %used = arith.cmpi ne, %rows, %columns : tensor<64x64xi32, #tile>
  %before = arith.select %used, %x, %zeros : tensor<64x64xi1, #tile>, tensor<64x64xf32, #tile>
  %e = nv_tileaa.fma %x, %scale, %before : tensor<64x64xf32, #tile>
  // CHECK: exp2 %e {nv_tileas.strategy = #nv_tileas.strategy<tested_approximation>}
  // CHECK-NEXT: %below = arith.cmpi slt, %rows, %columns
  // CHECK-NEXT: %kept = arith.andi %below, %near
  // CHECK-NEXT: arith.select %kept, %p, %before
  %p = nv_tileaa.exp2 %e : tensor<64x64xf32, #tile>
  %y = arith.select %kept, %p, %before : tensor<64x64xi1, #tile>, tensor<64x64xf32, #tile>
  %z = arith.select %given, %y, %zeros : tensor<64x64xi1, #tile>, tensor<64x64xf32, #tile>
  nv_tileaa.return %y, %z : tensor<64x64xf32, #tile>, tensor<64x64xf32, #tile>
}

nv_tileaa.func @loop(%x: tensor<64x64xf32, #tile>, %given: tensor<64x64xi1, #tile>, %b: tensor<1x64xi1, #column>, %n: i32) -> tensor<64x64xf32, #tile> {
  %near = nv_tileaa.broadcast %b : tensor<1x64xi1, #column> -> tensor<64x64xi1, #tile>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%carried = %x) -> (tensor<64x64xf32, #tile>) : i32 {
    // What comes from around the loop is live in all of it.
    // CHECK: iter_args
    // CHECK-NEXT: fma
    // CHECK-NEXT: exp2
    // CHECK-NEXT: %kept = arith.andi %given, %near
    %kept = arith.andi %given, %near : tensor<64x64xi1, #tile>
    %e = nv_tileaa.fma %carried, %x, %x : tensor<64x64xf32, #tile>
    %p = nv_tileaa.exp2 %e : tensor<64x64xf32, #tile>
    %y = arith.select %kept, %p, %x : tensor<64x64xi1, #tile>, tensor<64x64xf32, #tile>
    scf.yield %y : tensor<64x64xf32, #tile>
  }
  nv_tileaa.return %sum : tensor<64x64xf32, #tile>
}

nv_tileaa.func @each_by_itself(%x: tensor<64x64xf32, #tile>, %r: tensor<64x1xi32, #row>, %c: tensor<1x64xi32, #column>) -> tensor<64x64xf32, #tile> {
  %rows = nv_tileaa.broadcast %r : tensor<64x1xi32, #row> -> tensor<64x64xi32, #tile>
  %columns = nv_tileaa.broadcast %c : tensor<1x64xi32, #column> -> tensor<64x64xi32, #tile>
  // No branch computes these powers.
  // CHECK: %below = arith.cmpi
  // CHECK: exp2 %x {nv_tileas.strategy = #nv_tileas.strategy<approximation>}
  // CHECK-NEXT: arith.select
  %below = arith.cmpi slt, %rows, %columns : tensor<64x64xi32, #tile>
  %p = nv_tileaa.exp2 %x : tensor<64x64xf32, #tile>
  %y = arith.select %below, %p, %x : tensor<64x64xi1, #tile>, tensor<64x64xf32, #tile>
  nv_tileaa.return %y : tensor<64x64xf32, #tile>
}
}
