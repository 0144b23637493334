// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2, occupancy = 3>} {
  %x = nv_tileaa.get_program_id 0 : i32
  %y = nv_tileaa.get_num_programs 2 : i32
  %r = nv_tileaa.get_cta_id 1 : i32
  %p16 = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
  %n0 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %n : i32
  %one = nv_tileaa.splat %n0 : i32 -> tensor<1x4xi32>
  %many = nv_tileaa.broadcast %one : tensor<1x4xi32> -> tensor<8x4xi32>
  %more = nv_tileaa.broadcast %one : tensor<1x4xi32> -> tensor<8x4xi32>
  %flat = nv_tileaa.view %many : tensor<8x4xi32> -> tensor<32xi32>
  %runs = nv_tileaa.assume #nv_tileaa.same_elements<[4]>, %flat : tensor<32xi32>
  %steps = nv_tileaa.assume #nv_tileaa.div_by<4, every 4 along 0>, %runs : tensor<32xi32>
  %range = nv_tileaa.make_range %x, %y : i32 -> tensor<32xi32>
  %single = nv_tileaa.splat %n : i32 -> tensor<1xi32>
  %scalar = nv_tileaa.extract %single : tensor<1xi32> -> i32
  %row = nv_tileaa.extract %many[%x : i32] : tensor<8x4xi32> -> tensor<4xi32>
  %element = nv_tileaa.extract %many[%x, %y : i32, i32] : tensor<8x4xi32> -> i32
  %column = nv_tileaa.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %turned = nv_tileaa.permute %many {permutation = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
  %both = nv_tileaa.cat %many, %more {axis = 0 : i32} : tensor<8x4xi32>, tensor<8x4xi32> -> tensor<16x4xi32>
  %slice = nv_tileaa.extract_slice %both[%x, %y : i32, i32] : tensor<16x4xi32> -> tensor<4x2xi32>
  %filled = nv_tileaa.insert_slice %slice into %both[%x, %y : i32, i32] : tensor<4x2xi32>, tensor<16x4xi32> -> tensor<16x4xi32>
  %sums = nv_tileaa.generate : tensor<4x8xi32> {
  ^bb0(%i: i32, %j: i32):
    %sum = nv_tileaa.addi %i, %j : i32
    nv_tileaa.yield %sum : i32
  }
  %counts = nv_tileaa.histogram %sums : tensor<4x8xi32> -> tensor<16xi32>
  nv_tileaa.return
}
nv_tileaa.func @declaration(i32) -> f32
nv_tileaa.func @twice(%a: i32) -> i32 {
  %b = nv_tileaa.addi %a, %a : i32
  nv_tileaa.return %b : i32
}

// CHECK:      nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<f32>, %n: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2, occupancy = 3>} {
// CHECK-NEXT:   %x = nv_tileaa.get_program_id 0 : i32
// CHECK-NEXT:   %y = nv_tileaa.get_num_programs 2 : i32
// CHECK-NEXT:   %r = nv_tileaa.get_cta_id 1 : i32
// CHECK-NEXT:   %p16 = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
// CHECK-NEXT:   %n0 = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %n : i32
// CHECK-NEXT:   %one = nv_tileaa.splat %n0 : i32 -> tensor<1x4xi32>
// CHECK-NEXT:   %many = nv_tileaa.broadcast %one : tensor<1x4xi32> -> tensor<8x4xi32>
// CHECK-NEXT:   %more = nv_tileaa.broadcast %one : tensor<1x4xi32> -> tensor<8x4xi32>
// CHECK-NEXT:   %flat = nv_tileaa.view %many : tensor<8x4xi32> -> tensor<32xi32>
// CHECK-NEXT:   %runs = nv_tileaa.assume #nv_tileaa.same_elements<[4]>, %flat : tensor<32xi32>
// CHECK-NEXT:   %steps = nv_tileaa.assume #nv_tileaa.div_by<4, every 4 along 0>, %runs : tensor<32xi32>
// CHECK-NEXT:   %range = nv_tileaa.make_range %x, %y : i32 -> tensor<32xi32>
// CHECK-NEXT:   %single = nv_tileaa.splat %n : i32 -> tensor<1xi32>
// CHECK-NEXT:   %scalar = nv_tileaa.extract %single : tensor<1xi32> -> i32
// CHECK-NEXT:   %row = nv_tileaa.extract %many[%x : i32] : tensor<8x4xi32> -> tensor<4xi32>
// CHECK-NEXT:   %element = nv_tileaa.extract %many[%x, %y : i32, i32] : tensor<8x4xi32> -> i32
// CHECK-NEXT:   %column = nv_tileaa.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
// CHECK-NEXT:   %turned = nv_tileaa.permute %many {permutation = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
// CHECK-NEXT:   %both = nv_tileaa.cat %many, %more {axis = 0 : i32} : tensor<8x4xi32>, tensor<8x4xi32> -> tensor<16x4xi32>
// CHECK-NEXT:   %slice = nv_tileaa.extract_slice %both[%x, %y : i32, i32] : tensor<16x4xi32> -> tensor<4x2xi32>
// CHECK-NEXT:   %filled = nv_tileaa.insert_slice %slice into %both[%x, %y : i32, i32] : tensor<4x2xi32>, tensor<16x4xi32> -> tensor<16x4xi32>
// CHECK-NEXT:   %sums = nv_tileaa.generate : tensor<4x8xi32> {
// CHECK-NEXT:   ^bb0(%i: i32, %j: i32):
// CHECK-NEXT:     %sum = nv_tileaa.addi %i, %j : i32
// CHECK-NEXT:     nv_tileaa.yield %sum : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   %counts = nv_tileaa.histogram %sums : tensor<4x8xi32> -> tensor<16xi32>
// CHECK-NEXT:   nv_tileaa.return
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileaa.func @declaration(i32) -> f32
// CHECK-NEXT: nv_tileaa.func @twice(%a: i32) -> i32 {
// CHECK-NEXT:   %b = nv_tileaa.addi %a, %a : i32
// CHECK-NEXT:   nv_tileaa.return %b : i32
// CHECK-NEXT: }

// GENERIC: "nv_tileaa.func"() <{sym_name = "kernel", function_type = (!nv_tileaa.ptr<f32>, i32) -> ()}>
// GENERIC: "nv_tileaa.get_program_id"() <{axis = 0 : i32}> : () -> i32
// GENERIC: "nv_tileaa.assume"(%p) <{predicate = #nv_tileaa.div_by<16>}> : (!nv_tileaa.ptr<f32>) -> !nv_tileaa.ptr<f32>
