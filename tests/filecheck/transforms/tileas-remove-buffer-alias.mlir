// RUN: xdsl-opt %s -p tileas-remove-buffer-alias --split-input-file | filecheck %s

#smem = #nv_tileas.memory<smem>

// A choice between the two slots of an allocation chooses an offset.
// CHECK-LABEL: @select
// CHECK:      %a = nv_tileas.alloc_tensor : tensor<2x128x64xf16, #nv_tileas.memory<smem>>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[SLOT:.*]] = arith.constant 8192 : index
// CHECK-NEXT: %[[OFFSET:.*]] = tile.select %flag, %[[ZERO]], %[[SLOT]] : index
// CHECK-NEXT: %buf = nv_tileas.view %a offset %[[OFFSET]] : tensor<2x128x64xf16, #nv_tileas.memory<smem>> to tensor<128x64xf16, #nv_tileas.memory<smem>>
// CHECK-NEXT: "test.op"(%buf) : (tensor<128x64xf16, #nv_tileas.memory<smem>>) -> ()
// CHECK-NEXT: nv_tileaa.return
nv_tileaa.func @select(%flag: i1) {
  %a = nv_tileas.alloc_tensor : tensor<2x128x64xf16, #smem>
  %s = nv_tileas.view %a {offset = 0} : tensor<2x128x64xf16, #smem> to tensor<128x64xf16, #smem>
  %b = nv_tileas.view %a {offset = 8192} : tensor<2x128x64xf16, #smem> to tensor<128x64xf16, #smem>
  %buf = tile.select %flag, %s, %b : tensor<128x64xf16, #smem>
  "test.op"(%buf) : (tensor<128x64xf16, #smem>) -> ()
  nv_tileaa.return
}

// What a test forwards of a stage is read from its token again, where it is used. What is made in the
// test itself has no other name, and stays.
// CHECK-LABEL: @stage
// CHECK:      %r, %[[R:.*]] = scf.while (%i = %at) : (!nv_tileas.async.pipeline.iterator<tile<128x64xf16, #nv_tileas.memory<smem>>>) -> (tensor<128x64xf16, #nv_tileas.memory<smem>>, !nv_tileas.async.pipeline.consumer_token) {
// CHECK:        %token, %tile = nv_tileas.async.pipeline.consumer_read
// CHECK-NEXT:   %made = nv_tileas.convert_layout %t
// CHECK-NEXT:   scf.condition(%flag) %made, %token :
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb{{.*}}(%other{{ ?}}: tensor<128x64xf16, #nv_tileas.memory<smem>>, %held{{ ?}}: !nv_tileas.async.pipeline.consumer_token):
// CHECK-NEXT:   %{{.*}}, %[[X:.*]] = nv_tileas.async.pipeline.consumer_read %held {consumer_idx = 0 : i32}
// CHECK-NEXT:   "test.op"(%[[X]], %other)
// CHECK:      }
// CHECK-NEXT: %{{.*}}, %[[Y:.*]] = nv_tileas.async.pipeline.consumer_read %[[R]] {consumer_idx = 0 : i32}
// CHECK-NEXT: "test.op"(%[[Y]])
nv_tileaa.func @stage(%flag: i1, %t: tensor<128x64xf16>) {
  %m = nv_tileas.alloc_tensor : tensor<2x128x64xf16, #smem>
  %p, %c = nv_tileas.async.pipeline.create_pipeline %m {numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true} : tile<2x128x64xf16, #smem> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
  %at = nv_tileas.async.pipeline.create_iterator %c : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tile<128x64xf16, #smem>>
  %r:3 = scf.while (%i = %at) : (!nv_tileas.async.pipeline.iterator<tile<128x64xf16, #smem>>) -> (tensor<128x64xf16, #smem>, tensor<128x64xf16, #smem>, !nv_tileas.async.pipeline.consumer_token) {
    %w = nv_tileas.async.pipeline.consumer_wait %c, %i {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tile<128x64xf16, #smem>> -> !nv_tileas.async.pipeline.consumer_token
    %token, %tile = nv_tileas.async.pipeline.consumer_read %w {consumer_idx = 0 : i32} : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token, tile<128x64xf16, #smem>
    %made = nv_tileas.convert_layout %t : tensor<128x64xf16> -> tensor<128x64xf16, #smem>
    scf.condition(%flag) %tile, %made, %token : tensor<128x64xf16, #smem>, tensor<128x64xf16, #smem>, !nv_tileas.async.pipeline.consumer_token
  } do {
  ^bb0(%x: tensor<128x64xf16, #smem>, %other: tensor<128x64xf16, #smem>, %held: !nv_tileas.async.pipeline.consumer_token):
    "test.op"(%x, %other) : (tensor<128x64xf16, #smem>, tensor<128x64xf16, #smem>) -> ()
    %released = nv_tileas.async.pipeline.consumer_release %held : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.consumer_token
    scf.yield %at : !nv_tileas.async.pipeline.iterator<tile<128x64xf16, #smem>>
  }
  "test.op"(%r#0) : (tensor<128x64xf16, #smem>) -> ()
  nv_tileaa.return
}

// A buffer that a loop carries, but never changes, is used as it is.
// CHECK-LABEL: @loop
// CHECK:      %a = nv_tileas.alloc_tensor : tensor<128x64xf16, #nv_tileas.memory<smem>>
// CHECK-NEXT: scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:   %x = "test.op"(%a) : (tensor<128x64xf16, #nv_tileas.memory<smem>>) -> f32
// CHECK-NEXT: }
// CHECK-NEXT: "test.op"(%a) : (tensor<128x64xf16, #nv_tileas.memory<smem>>) -> ()
nv_tileaa.func @loop(%n: index, %c0: index, %c1: index) {
  %a = nv_tileas.alloc_tensor : tensor<128x64xf16, #smem>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%buf = %a) -> (tensor<128x64xf16, #smem>) {
    %x = "test.op"(%buf) : (tensor<128x64xf16, #smem>) -> f32
    scf.yield %a : tensor<128x64xf16, #smem>
  }
  "test.op"(%r) : (tensor<128x64xf16, #smem>) -> ()
  nv_tileaa.return
}

// Two slots that take turns: the loop carries their offsets.
// CHECK-LABEL: @rotate
// CHECK:      %{{.*}}, %{{.*}} = scf.for %i = %c0 to %n step %c1 iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) -> (index, index) {
// CHECK-NEXT:   %x = nv_tileas.view %m offset %[[X]] :
// CHECK-NEXT:   %y = nv_tileas.view %m offset %[[Y]] :
// CHECK-NEXT:   "test.op"(%x, %y) :
// CHECK-NEXT:   scf.yield %[[Y]], %[[X]] : index, index
nv_tileaa.func @rotate(%n: index, %c0: index, %c1: index) {
  %m = nv_tileas.alloc_tensor : tensor<2x16xf32, #smem>
  %a = nv_tileas.view %m {offset = 0} : tensor<2x16xf32, #smem> to tensor<16xf32, #smem>
  %b = nv_tileas.view %m {offset = 16} : tensor<2x16xf32, #smem> to tensor<16xf32, #smem>
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<16xf32, #smem>, tensor<16xf32, #smem>) {
    "test.op"(%x, %y) : (tensor<16xf32, #smem>, tensor<16xf32, #smem>) -> ()
    scf.yield %y, %x : tensor<16xf32, #smem>, tensor<16xf32, #smem>
  }
  nv_tileaa.return
}

// -----

#smem = #nv_tileas.memory<smem>

// A choice between two allocations stays.
// CHECK: nv_tileaa.remarks = [{message = "Cannot find last written SSA.", name = "RemarkMemoryAliasNotTraced", function = "two_allocations"
// CHECK: %buf = tile.select %flag, %a, %b : tensor<16xf32, #nv_tileas.memory<smem>>
// CHECK-NEXT: "test.op"(%buf)
nv_tileaa.func @two_allocations(%flag: i1) {
  %a = nv_tileas.alloc_tensor : tensor<16xf32, #smem>
  %b = nv_tileas.alloc_tensor : tensor<16xf32, #smem>
  %buf = tile.select %flag, %a, %b : tensor<16xf32, #smem>
  "test.op"(%buf) : (tensor<16xf32, #smem>) -> ()
  nv_tileaa.return
}
