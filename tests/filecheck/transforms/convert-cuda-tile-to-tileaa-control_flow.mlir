// RUN: xdsl-opt %s -p convert-cuda-tile-to-tileaa | filecheck %s

// Structured control flow, and what leaves a block early: a number says how it ended.

cuda_tile.module @m {
  // CHECK:      nv_tileaa.func @branch(%c: i1, %x: i32, %y: i32) -> i32 {
  // CHECK-NEXT:   %r = scf.if %c -> (i32) {
  // CHECK-NEXT:     scf.yield %x : i32
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     scf.yield %y : i32
  // CHECK-NEXT:   }
  // CHECK-NEXT:   nv_tileaa.return %r : i32
  testing$func @branch(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) -> tile<i32> {
    %r = if %c -> (tile<i32>) {
      yield %x : tile<i32>
    } else {
      yield %y : tile<i32>
    }
    return %r : tile<i32>
  }

  // CHECK:      nv_tileaa.func @count(%n: i32, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT:   %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (tensor<4xf32>) : i32 {
  // CHECK-NEXT:     %b = nv_tileaa.addf %a, %a : tensor<4xf32>
  // CHECK-NEXT:     scf.yield %b : tensor<4xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   nv_tileaa.return %r : tensor<4xf32>
  testing$func @count(%n: tile<i32>, %x: tile<4xf32>) -> tile<4xf32> {
    %r = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %x) -> (tile<4xf32>) {
      %b = addf %a, %a : tile<4xf32>
      continue %b : tile<4xf32>
    }
    return %r : tile<4xf32>
  }

  // CHECK:      nv_tileaa.func @search(%c: i1, %x: i32) -> i32 {
  // CHECK-NEXT:   %{{.*}}, %r = scf.while (%a = %x) : (i32) -> (i32, i32) {
  // CHECK-NEXT:     %[[#CODE:]], %[[#CONTINUED:]], %[[#BROKEN:]] = scf.if %c -> (i32, i32, i32) {
  // CHECK-NEXT:       %[[POISON:.*]] = ub.poison : i32
  // CHECK-NEXT:       %[[#BREAK:]] = arith.constant 2 : i32
  // CHECK-NEXT:       scf.yield %[[#BREAK]], %[[POISON]], %a : i32, i32, i32
  // CHECK:            %[[#STAYS:]] = arith.cmpi eq, %[[#CODE]], %{{.*}} : i32
  // CHECK-NEXT:     %[[#END:]], %[[#NEXT:]], %[[#RESULT:]] = scf.if %[[#STAYS]] -> (i32, i32, i32) {
  // CHECK-NEXT:       %b = nv_tileaa.addi %a, %a : i32
  // CHECK-NEXT:       %[[POISON2:.*]] = ub.poison : i32
  // CHECK-NEXT:       %[[#CONTINUE:]] = arith.constant 1 : i32
  // CHECK-NEXT:       scf.yield %[[#CONTINUE]], %b, %[[POISON2]] : i32, i32, i32
  // CHECK-NEXT:     } else {
  // CHECK-NEXT:       scf.yield %[[#CODE]], %[[#CONTINUED]], %[[#BROKEN]] : i32, i32, i32
  // CHECK-NEXT:     }
  // CHECK-NEXT:     %[[#ONE:]] = arith.constant 1 : i32
  // CHECK-NEXT:     %[[#AGAIN:]] = arith.cmpi eq, %[[#END]], %[[#ONE]] : i32
  // CHECK-NEXT:     scf.condition(%[[#AGAIN]]) %[[#NEXT]], %[[#RESULT]] : i32, i32
  // CHECK-NEXT:   } do {
  // CHECK:        nv_tileaa.return %r : i32
  testing$func @search(%c: tile<i1>, %x: tile<i32>) -> tile<i32> {
    %r = loop iter_values(%a = %x) : tile<i32> -> tile<i32> {
      if %c {
        break %a : tile<i32>
      }
      %b = addi %a, %a : tile<i32>
      continue %b : tile<i32>
    }
    return %r : tile<i32>
  }

  // A loop without a continue runs once: its body takes its place.
  // CHECK:      nv_tileaa.func @once(%x: i32) -> i32 {
  // CHECK-NEXT:   %y = nv_tileaa.addi %x, %x : i32
  // CHECK-NOT:    scf.while
  // CHECK:        nv_tileaa.return %y : i32
  testing$func @once(%x: tile<i32>) -> tile<i32> {
    %r = loop iter_values(%a = %x) : tile<i32> -> tile<i32> {
      %y = addi %a, %x : tile<i32>
      break %y : tile<i32>
    }
    return %r : tile<i32>
  }

  // CHECK:      nv_tileaa.func @either(%c: i1, %x: i32, %y: i32) -> i32 {
  // CHECK-NEXT:   %[[#CODE:]], %[[#LEFT:]] = scf.if %c
  // CHECK-NOT:    scf.while
  // CHECK:        %{{.*}}, %r = scf.if
  // CHECK:          scf.yield %[[#CODE]], %[[#LEFT]] : i32, i32
  // CHECK:        nv_tileaa.return %r : i32
  testing$func @either(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) -> tile<i32> {
    %r = loop : tile<i32> {
      if %c {
        break %x : tile<i32>
      }
      break %y : tile<i32>
    }
    return %r : tile<i32>
  }

  // CHECK:      nv_tileaa.func @leave(%c: i1) attributes
  // CHECK-NEXT:   %[[#HOW:]] = scf.if %c -> (i32) {
  // CHECK-NEXT:     %[[#RETURN:]] = arith.constant 3 : i32
  // CHECK-NEXT:     scf.yield %[[#RETURN]] : i32
  // CHECK:        %[[#NO:]] = arith.cmpi eq, %[[#HOW]], %{{.*}} : i32
  // CHECK-NEXT:   scf.if %[[#NO]] {
  // CHECK-NEXT:     %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  // CHECK:        nv_tileaa.return
  entry @leave(%c: tile<i1>) {
    if %c {
      return
    }
    %t = make_token : token
  }
}
