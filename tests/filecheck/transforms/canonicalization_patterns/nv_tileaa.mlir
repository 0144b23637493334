// RUN: xdsl-opt %s -p canonicalize | filecheck %s

// 1. A product of constants is a constant, and one with zero is what it is added to.
// CHECK-LABEL: @constant_product
// CHECK-NOT:     nv_tileaa.dot
// CHECK:         %[[C:.*]] = arith.constant 133 : i32
// CHECK-NEXT:    %[[T:.*]] = nv_tileaa.splat %[[C]] : i32 -> tensor<4x4xi32>
// CHECK-NEXT:    "test.op"(%[[T]], %c)
nv_tileaa.func @constant_product(%b: tensor<4x4xi8>, %c: tensor<4x4xi32>) {
  %0 = arith.constant dense<2> : tensor<4x4xi8>
  %1 = arith.constant dense<16> : tensor<4x4xi8>
  %2 = arith.constant dense<5> : tensor<4x4xi32>
  %3 = arith.constant dense<0> : tensor<4x4xi8>
  %4 = nv_tileaa.dot %0, %1, %2 {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<signed>} : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi32>
  %5 = nv_tileaa.dot %3, %b, %c {signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<signed>} : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi32>
  "test.op"(%4, %5) : (tensor<4x4xi32>, tensor<4x4xi32>) -> ()
  nv_tileaa.return
}

// 2. Offsets are added up.
// CHECK-LABEL: @offset_chain
// CHECK-NEXT:    %[[SUM:.*]] = nv_tileaa.addi %a, %b : i64
// CHECK-NEXT:    %[[Q:.*]] = nv_tileaa.addptr %p, %[[SUM]] : !nv_tileaa.ptr<f32>, i64
// CHECK-NEXT:    "test.op"(%[[Q]])
nv_tileaa.func @offset_chain(%p: !nv_tileaa.ptr<f32>, %a: i64, %b: i64) {
  %0 = nv_tileaa.addptr %p, %a : !nv_tileaa.ptr<f32>, i64
  %1 = nv_tileaa.addptr %0, %b : !nv_tileaa.ptr<f32>, i64
  "test.op"(%1) : (!nv_tileaa.ptr<f32>) -> ()
  nv_tileaa.return
}

// 3. A fact about a splat is a fact about its scalar.
// CHECK-LABEL: @assume_splat
// CHECK-NEXT:    %[[A:.*]] = nv_tileaa.assume #nv_tileaa.div_by<16>, %x : i32
// CHECK-NEXT:    %[[S:.*]] = nv_tileaa.splat %[[A]] : i32 -> tensor<8xi32>
// CHECK-NEXT:    "test.op"(%[[S]])
nv_tileaa.func @assume_splat(%x: i32) {
  %0 = nv_tileaa.splat %x : i32 -> tensor<8xi32>
  %1 = nv_tileaa.assume #nv_tileaa.div_by<16>, %0 : tensor<8xi32>
  "test.op"(%1) : (tensor<8xi32>) -> ()
  nv_tileaa.return
}

// 4. A splat of a choice is a choice between splats.
// CHECK-LABEL: @splat_select
// CHECK-NEXT:    %[[C:.*]] = nv_tileaa.splat %c : i1 -> tensor<8xi1>
// CHECK-NEXT:    %[[T:.*]] = nv_tileaa.splat %t : f32 -> tensor<8xf32>
// CHECK-NEXT:    %[[F:.*]] = nv_tileaa.splat %f : f32 -> tensor<8xf32>
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[C]], %[[T]], %[[F]] : tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT:    "test.op"(%[[S]])
nv_tileaa.func @splat_select(%c: i1, %t: f32, %f: f32) {
  %0 = arith.select %c, %t, %f : f32
  %1 = nv_tileaa.splat %0 : f32 -> tensor<8xf32>
  "test.op"(%1) : (tensor<8xf32>) -> ()
  nv_tileaa.return
}

// 5. Known masks of loads.
// CHECK-LABEL: @masked_load
// CHECK-NEXT:    %[[V:.*]], %[[T:.*]] = nv_tileaa.load weak %p token = %t : tensor<8x!nv_tileaa.ptr<f32>> -> tensor<8xf32>, !nv_tileaa.mem_token
// CHECK-NEXT:    "test.op"(%[[V]], %[[T]], %o, %t)
nv_tileaa.func @masked_load(%p: tensor<8x!nv_tileaa.ptr<f32>>, %o: tensor<8xf32>, %t: !nv_tileaa.mem_token) {
  %0 = arith.constant dense<true> : tensor<8xi1>
  %1 = arith.constant dense<false> : tensor<8xi1>
  %2, %3 = nv_tileaa.load weak %p mask = %0 : tensor<8xi1> other = %o : tensor<8xf32> token = %t : tensor<8x!nv_tileaa.ptr<f32>> -> tensor<8xf32>, !nv_tileaa.mem_token
  %4, %5 = nv_tileaa.load weak %p mask = %1 : tensor<8xi1> other = %o : tensor<8xf32> token = %t : tensor<8x!nv_tileaa.ptr<f32>> -> tensor<8xf32>, !nv_tileaa.mem_token
  "test.op"(%2, %3, %4, %5) : (tensor<8xf32>, !nv_tileaa.mem_token, tensor<8xf32>, !nv_tileaa.mem_token) -> ()
  nv_tileaa.return
}

// 6. Known masks of stores.
// CHECK-LABEL: @masked_store
// CHECK-NEXT:    %[[T:.*]] = nv_tileaa.store weak %p, %v token = %t : tensor<8x!nv_tileaa.ptr<f32>>, tensor<8xf32> -> !nv_tileaa.mem_token
// CHECK-NEXT:    "test.op"(%[[T]], %t)
nv_tileaa.func @masked_store(%p: tensor<8x!nv_tileaa.ptr<f32>>, %v: tensor<8xf32>, %t: !nv_tileaa.mem_token) {
  %0 = arith.constant dense<true> : tensor<8xi1>
  %1 = arith.constant dense<false> : tensor<8xi1>
  %2 = nv_tileaa.store weak %p, %v mask = %0 : tensor<8xi1> token = %t : tensor<8x!nv_tileaa.ptr<f32>>, tensor<8xf32> -> !nv_tileaa.mem_token
  %3 = nv_tileaa.store weak %p, %v mask = %1 : tensor<8xi1> token = %t : tensor<8x!nv_tileaa.ptr<f32>>, tensor<8xf32> -> !nv_tileaa.mem_token
  "test.op"(%2, %3) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  nv_tileaa.return
}

// 7. A new dimension of a splat.
// CHECK-LABEL: @expand_splat
// CHECK-NEXT:    %[[S:.*]] = nv_tileaa.splat %x : f32 -> tensor<8x1xf32>
// CHECK-NEXT:    "test.op"(%[[S]])
nv_tileaa.func @expand_splat(%x: f32) {
  %0 = nv_tileaa.splat %x : f32 -> tensor<8xf32>
  %1 = nv_tileaa.expand_dims %0 {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  "test.op"(%1) : (tensor<8x1xf32>) -> ()
  nv_tileaa.return
}

// 8. Views of views and of splats.
// CHECK-LABEL: @view_chain
// CHECK-NEXT:    %[[V:.*]] = nv_tileaa.view %a : tensor<8x4xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %[[S:.*]] = nv_tileaa.splat %x : f32 -> tensor<2x4xf32>
// CHECK-NEXT:    "test.op"(%[[V]], %[[S]])
nv_tileaa.func @view_chain(%a: tensor<8x4xf32>, %x: f32) {
  %0 = nv_tileaa.view %a : tensor<8x4xf32> -> tensor<32xf32>
  %1 = nv_tileaa.view %0 : tensor<32xf32> -> tensor<4x8xf32>
  %2 = nv_tileaa.splat %x : f32 -> tensor<8xf32>
  %3 = nv_tileaa.view %2 : tensor<8xf32> -> tensor<2x4xf32>
  "test.op"(%1, %3) : (tensor<4x8xf32>, tensor<2x4xf32>) -> ()
  nv_tileaa.return
}

// 9. A repeated splat.
// CHECK-LABEL: @broadcast_splat
// CHECK-NEXT:    %[[S:.*]] = nv_tileaa.splat %x : f32 -> tensor<8x4xf32>
// CHECK-NEXT:    "test.op"(%[[S]])
nv_tileaa.func @broadcast_splat(%x: f32) {
  %0 = nv_tileaa.splat %x : f32 -> tensor<8x1xf32>
  %1 = nv_tileaa.broadcast %0 : tensor<8x1xf32> -> tensor<8x4xf32>
  "test.op"(%1) : (tensor<8x4xf32>) -> ()
  nv_tileaa.return
}

// 10. What is taken out of a computed tile is computed alone.
// CHECK-LABEL: @extract_hoist
// CHECK-NEXT:    %[[A:.*]] = nv_tileaa.extract %a : tensor<1xf32> -> f32
// CHECK-NEXT:    %[[B:.*]] = nv_tileaa.extract %b : tensor<1xf32> -> f32
// CHECK-NEXT:    %[[S:.*]] = nv_tileaa.addf %[[A]], %[[B]] rounding<zero> : f32
// CHECK-NEXT:    "test.op"(%[[S]])
nv_tileaa.func @extract_hoist(%a: tensor<1xf32>, %b: tensor<1xf32>) {
  %0 = nv_tileaa.addf %a, %b rounding<zero> : tensor<1xf32>
  %1 = nv_tileaa.expand_dims %0 {axis = 0 : i32} : tensor<1xf32> -> tensor<1x1xf32>
  %2 = nv_tileaa.extract %1 : tensor<1x1xf32> -> f32
  "test.op"(%2) : (f32) -> ()
  nv_tileaa.return
}

// 11. What no consumer uses is not put into a queue.
// CHECK-LABEL: @queue_results
// CHECK-NEXT:    %[[Q:.*]] = nv_tileaa.create_queue {stages = 2 : i32} : !nv_tileaa.queue<f32>
// CHECK-NEXT:    nv_tileaa.queue.put %[[Q]] : !nv_tileaa.queue<f32> {
// CHECK-NEXT:      nv_tileaa.queue.yield %x : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[X:.*]] = nv_tileaa.queue.get %[[Q]] {consumer_idx = 0 : i32} : !nv_tileaa.queue<f32> -> f32
// CHECK-NEXT:    "test.op"(%[[X]])
nv_tileaa.func @queue_results(%i: i32, %x: f32) {
  %0 = nv_tileaa.create_queue {stages = 2 : i32} : !nv_tileaa.queue<i32, f32>
  nv_tileaa.queue.put %0 : !nv_tileaa.queue<i32, f32> {
    nv_tileaa.queue.yield %i, %x : i32, f32
  }
  %1, %2 = nv_tileaa.queue.get %0 {consumer_idx = 0 : i32} : !nv_tileaa.queue<i32, f32> -> i32, f32
  "test.op"(%2) : (f32) -> ()
  nv_tileaa.return
}

// 12. What nobody uses is not yielded.
// CHECK-LABEL: @pragma_results
// CHECK-NEXT:    %[[X:.*]] = nv_tileaa.pragma attributes {ocgEnterDirectives = ["nounroll"]} : f32 {
// CHECK-NEXT:      nv_tileaa.yield %x : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%[[X]])
nv_tileaa.func @pragma_results(%i: i32, %x: f32) {
  %0, %1 = nv_tileaa.pragma attributes {ocgEnterDirectives = ["nounroll"]} : i32, f32 {
    nv_tileaa.yield %i, %x : i32, f32
  }
  "test.op"(%1) : (f32) -> ()
  nv_tileaa.return
}

// 13. A swap of a value by itself.
// CHECK-LABEL: @useless_swap
// CHECK:         %[[V:.*]], %[[T:.*]] = nv_tileaa.load acquire gpu %p token = %t : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
// CHECK-NEXT:    "test.op"(%[[V]], %[[T]])
nv_tileaa.func @useless_swap(%p: !nv_tileaa.ptr<i32>, %t: !nv_tileaa.mem_token) {
  %0 = arith.constant 7 : i32
  %1 = arith.constant 7 : i32
  %2, %3 = nv_tileaa.atomic_cas acquire gpu %p, %0, %1 token = %t : !nv_tileaa.ptr<i32>, i32, i32 -> i32, !nv_tileaa.mem_token
  "test.op"(%2, %3) : (i32, !nv_tileaa.mem_token) -> ()
  nv_tileaa.return
}

// 14. A modification that changes nothing; an exchange always writes.
// CHECK-LABEL: @useless_modification
// CHECK:         %[[V:.*]], %[[T:.*]] = nv_tileaa.load relaxed sys %p token = %t : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
// CHECK-NEXT:    %[[W:.*]], %[[U:.*]] = nv_tileaa.load relaxed sys %p token = %[[T]] : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
// CHECK-NEXT:    nv_tileaa.atomic_rmw relaxed sys xchg %p, %{{.*}} token = %[[U]] :
nv_tileaa.func @useless_modification(%p: !nv_tileaa.ptr<i32>, %t: !nv_tileaa.mem_token) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant -1 : i32
  %2, %3 = nv_tileaa.atomic_rmw relaxed sys add %p, %0 token = %t : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token
  %4, %5 = nv_tileaa.atomic_rmw relaxed sys and %p, %1 token = %3 : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token
  %6, %7 = nv_tileaa.atomic_rmw relaxed sys xchg %p, %0 token = %5 : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token
  "test.op"(%2, %4, %6, %7) : (i32, i32, i32, !nv_tileaa.mem_token) -> ()
  nv_tileaa.return
}

// A join of one token, and of none.
// CHECK-LABEL: @joins
// CHECK-NEXT:    %[[N:.*]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
// CHECK-NEXT:    "test.op"(%t, %[[N]])
nv_tileaa.func @joins(%t: !nv_tileaa.mem_token) {
  %0 = nv_tileaa.join_mem_token [%t, %t] : !nv_tileaa.mem_token
  %1 = nv_tileaa.join_mem_token [] : !nv_tileaa.mem_token
  "test.op"(%0, %1) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
  nv_tileaa.return
}
