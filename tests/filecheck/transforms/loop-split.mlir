// RUN: xdsl-opt %s -p loop-split | filecheck %s
// RUN: xdsl-opt %s -p loop-split{split-threshold=0} | filecheck %s --check-prefix=NEVER
// RUN: xdsl-opt %s -p loop-split{split-threshold=2} | filecheck %s --check-prefix=LARGE

cuda_tile.module @m {
  // CHECK-LABEL: entry @causal
  // NEVER-LABEL: entry @causal
  // LARGE-LABEL: entry @causal
  entry @causal(%n: tile<i32>, %row: tile<i32>) {
    %lower = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    // CHECK:      %[[END:.*]] = cuda_tile.mini %row, %n signed : tile<i32>
    // CHECK-NEXT: %[[START:.*]] = cuda_tile.maxi %row, %lower signed : tile<i32>
    // CHECK-NEXT: %sum = cuda_tile.for %i in (%lower to %[[END]], step %step) : tile<i32> iter_values(%s = %lower) -> (tile<i32>) {
    // CHECK-NEXT:   %t = cuda_tile.addi %s, %i : tile<i32>
    // CHECK-NEXT:   cuda_tile.continue %t : tile<i32>
    // CHECK-NEXT: }
    // CHECK-NEXT: %{{.*}} = cuda_tile.for %{{.*}} in (%[[START]] to %n, step %step) : tile<i32> iter_values(%[[S:.*]] = %sum) -> (tile<i32>) {
    // CHECK-NEXT:   cuda_tile.continue %[[S]] : tile<i32>
    // CHECK-NEXT: }
    // NEVER:     cuda_tile.for %i in (%lower to %n, step %step) :
    // NEVER-NOT: cuda_tile.for
    // LARGE:     cuda_tile.for %i in (%lower to %n, step %step) :
    // LARGE-NOT: cuda_tile.for
    %sum = for %i in (%lower to %n, step %step) : tile<i32> iter_values(%s = %lower) -> (tile<i32>) {
      %below = cmpi less_than %i, %row, signed : tile<i32> -> tile<i1>
      %r = if %below -> (tile<i32>) {
        %t = addi %s, %i : tile<i32>
        yield %t : tile<i32>
      } else {
        yield %s : tile<i32>
      }
      continue %r : tile<i32>
    }
    return
  }
}
