// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip > %t

// Branches and loops. Written in the short form; xdsl-opt prints full names.

cuda_tile.module @kernels {
  entry @branches(%c: tile<i1>, %n: tile<i32>) {
    if %c {
    }
    if %c {
      return
    } else {
      yield
    }
    %0:2 = if %c -> (tile<i32>, tile<f32>) {
      %f = constant <f32: 1.0> : tile<f32>
      yield %n, %f : tile<i32>, tile<f32>
    } else {
      %f = constant <f32: 2.0> : tile<f32>
      yield %n, %f : tile<i32>, tile<f32>
    }
    %1 = addi %0#0, %0#0 : tile<i32>
    assert %c, "condition \"c\"\n" : tile<i1>
  }
  entry @loops(%c: tile<i1>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %f = constant <f32: 1.0> : tile<f32>
    for %i in (%zero to %n, step %one) : tile<i32> {
    }
    %0:2 = for unsigned %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %f, %b = %n) -> (tile<f32>, tile<i32>) {
      if %c {
        continue %a, %i : tile<f32>, tile<i32>
      }
      %s = addf %a, %a : tile<f32>
      continue %s, %b : tile<f32>, tile<i32>
    }
    loop {
      if %c {
        break
      }
    }
    %1 = loop : tile<i32> {
      break %n : tile<i32>
    }
    %2 = loop iter_values(%v = %n) : tile<i32> -> tile<f32> {
      if %c {
        %w = addi %v, %v : tile<i32>
        continue %w : tile<i32>
      }
      break %f : tile<f32>
    }
    loop iter_values(%v = %n) : tile<i32> {
      loop {
        if %c {
          return
        } else {
          break
        }
        continue
      }
      if %c {
        break
      }
      continue %v : tile<i32>
    }
  }
}

// CHECK: cuda_tile.module @kernels {
// CHECK: cuda_tile.entry @branches(%c: tile<i1>, %n: tile<i32>) {
// CHECK: cuda_tile.if %c {
// CHECK: cuda_tile.if %c {
// CHECK: cuda_tile.return
// CHECK: } else {
// CHECK: %[[IF:.*]], %{{.*}} = cuda_tile.if %c -> (tile<i32>, tile<f32>) {
// CHECK: %f = cuda_tile.constant <f32: 1.000000e+00> : tile<f32>
// CHECK: cuda_tile.yield %n, %f : tile<i32>, tile<f32>
// CHECK: } else {
// CHECK: %[[F:.*]] = cuda_tile.constant <f32: 2.000000e+00> : tile<f32>
// CHECK: cuda_tile.yield %n, %[[F]] : tile<i32>, tile<f32>
// CHECK: %{{.*}} = cuda_tile.addi %[[IF]], %[[IF]] : tile<i32>
// CHECK: cuda_tile.assert %c, "condition \22c\22\0A" : tile<i1>
// CHECK: cuda_tile.return
// CHECK: cuda_tile.entry @loops(%c: tile<i1>, %n: tile<i32>) {
// CHECK: %zero = cuda_tile.constant <i32: 0> : tile<i32>
// CHECK: %one = cuda_tile.constant <i32: 1> : tile<i32>
// CHECK: %f = cuda_tile.constant <f32: 1.000000e+00> : tile<f32>
// CHECK: cuda_tile.for %i in (%zero to %n, step %one) : tile<i32> {
// CHECK: %{{.*}}, %{{.*}} = cuda_tile.for unsigned %[[I:.*]] in (%zero to %n, step %one) : tile<i32> iter_values(%a = %f, %b = %n) -> (tile<f32>, tile<i32>) {
// CHECK: cuda_tile.if %c {
// CHECK: cuda_tile.continue %a, %[[I]] : tile<f32>, tile<i32>
// CHECK: %s = cuda_tile.addf %a, %a  : tile<f32>
// CHECK: cuda_tile.continue %s, %b : tile<f32>, tile<i32>
// CHECK: cuda_tile.loop {
// CHECK: cuda_tile.if %c {
// CHECK: cuda_tile.break
// CHECK: %{{.*}} = cuda_tile.loop : tile<i32> {
// CHECK: cuda_tile.break %n : tile<i32>
// CHECK: %{{.*}} = cuda_tile.loop iter_values(%v = %n) : tile<i32> -> tile<f32> {
// CHECK: cuda_tile.if %c {
// CHECK: %w = cuda_tile.addi %v, %v : tile<i32>
// CHECK: cuda_tile.continue %w : tile<i32>
// CHECK: cuda_tile.break %f : tile<f32>
// CHECK: cuda_tile.loop iter_values(%[[V:.*]] = %n) : tile<i32> {
// CHECK: cuda_tile.loop {
// CHECK: cuda_tile.if %c {
// CHECK: cuda_tile.return
// CHECK: } else {
// CHECK: cuda_tile.break
// CHECK: cuda_tile.if %c {
// CHECK: cuda_tile.break
// CHECK: cuda_tile.continue %[[V]] : tile<i32>
// CHECK: cuda_tile.return
