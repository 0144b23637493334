// RUN: xdsl-opt %s -p canonicalize | filecheck %s

cuda_tile.module @m {
  // CHECK-LABEL: entry @k
  entry @k(%p: tile<ptr<i32>>, %c: tile<i1>, %d: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
    // The if becomes a select, whose condition loses its negation.
    // CHECK-NEXT: %r = cuda_tile.select %c, %y, %x : tile<i1>, tile<i32>
    %true = constant <i1: true> : tile<i1>
    %n = xori %c, %true : tile<i1>
    %r = if %n -> (tile<i32>) {
      yield %x : tile<i32>
    } else {
      yield %y : tile<i32>
    }
    // One is what the condition is, as an integer.
    // CHECK-NEXT: %e = cuda_tile.exti %c unsigned : tile<i1> -> tile<i32>
    %e = if %c -> (tile<i32>) {
      %one = constant <i32: 1> : tile<i32>
      yield %one : tile<i32>
    } else {
      %zero = constant <i32: 0> : tile<i32>
      yield %zero : tile<i32>
    }
    // Two ifs on one condition, and two inside of one another, are one.
    // CHECK-NEXT: cuda_tile.if %c {
    // CHECK-NEXT:   cuda_tile.store_ptr_tko weak %p, %r
    // CHECK-NEXT:   cuda_tile.store_ptr_tko weak %p, %e
    // CHECK-NEXT: }
    if %c {
      store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
    }
    if %c {
      store_ptr_tko weak %p, %e : tile<ptr<i32>>, tile<i32> -> token
    }
    // CHECK-NEXT: %[[BOTH:.*]] = cuda_tile.andi %d, %c : tile<i1>
    // CHECK-NEXT: cuda_tile.if %[[BOTH]] {
    // CHECK-NEXT:   cuda_tile.store_ptr_tko weak %p, %x
    // CHECK-NEXT: }
    if %d {
      if %c {
        store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
      }
    }
    // What does not run goes away, and so does what nobody uses.
    // CHECK-NEXT: cuda_tile.return
    %unused = addi %x, %y : tile<i32>
    if %true {
      return
    } else {
      store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token
    }
    store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token
  }
}
