// RUN: xdsl-opt %s -p canonicalize | filecheck %s

// The second conversion starts from what the first one had, as bf16 has all of its numbers.
// CHECK-LABEL: @small
// CHECK-NEXT: %[[Y:.*]] = nv_tileaa.fp_to_fp %x : tensor<16xf8E4M3FN> to tensor<16xf32>
// CHECK-NEXT: "test.op"(%[[Y]])
nv_tileaa.func @small(%x: tensor<16xf8E4M3FN>) {
  %half = nv_tileaa.fp_to_fp %x : tensor<16xf8E4M3FN> to tensor<16xbf16>
  %single = nv_tileaa.fp_to_fp %half : tensor<16xbf16> to tensor<16xf32>
  "test.op"(%single) : (tensor<16xf32>) -> ()
  nv_tileaa.return
}

// There and back is the same number.
// CHECK-LABEL: @back
// CHECK-NEXT: "test.op"(%x)
nv_tileaa.func @back(%x: tensor<16xf16>) {
  %single = nv_tileaa.fp_to_fp %x : tensor<16xf16> to tensor<16xf32>
  %half = nv_tileaa.fp_to_fp %single : tensor<16xf32> to tensor<16xf16>
  "test.op"(%half) : (tensor<16xf16>) -> ()
  nv_tileaa.return
}

// CHECK-LABEL: @integer
// CHECK-NEXT: %[[Y:.*]] = arith.sitofp %x : tensor<16xi8> to tensor<16xf32>
// CHECK-NEXT: "test.op"(%[[Y]])
nv_tileaa.func @integer(%x: tensor<16xi8>) {
  %half = arith.sitofp %x : tensor<16xi8> to tensor<16xbf16>
  %single = nv_tileaa.fp_to_fp %half : tensor<16xbf16> to tensor<16xf32>
  "test.op"(%single) : (tensor<16xf32>) -> ()
  nv_tileaa.return
}

// The first conversion rounds.
// CHECK-LABEL: @rounded
// CHECK: to tensor<16xbf16>
// CHECK: to tensor<16xf32>
// CHECK: arith.sitofp %y : tensor<16xi16> to tensor<16xbf16>
nv_tileaa.func @rounded(%x: tensor<16xf16>, %y: tensor<16xi16>) {
  %half = nv_tileaa.fp_to_fp %x : tensor<16xf16> to tensor<16xbf16>
  %single = nv_tileaa.fp_to_fp %half : tensor<16xbf16> to tensor<16xf32>
  %near = arith.sitofp %y : tensor<16xi16> to tensor<16xbf16>
  %wide = nv_tileaa.fp_to_fp %near : tensor<16xbf16> to tensor<16xf32>
  "test.op"(%single, %wide) : (tensor<16xf32>, tensor<16xf32>) -> ()
  nv_tileaa.return
}

// What is also used otherwise is computed anyway.
// CHECK-LABEL: @shared
// CHECK: to tensor<16xbf16>
// CHECK-NEXT: %{{.*}} = nv_tileaa.fp_to_fp %half : tensor<16xbf16> to tensor<16xf32>
nv_tileaa.func @shared(%x: tensor<16xf8E5M2>) {
  %half = nv_tileaa.fp_to_fp %x : tensor<16xf8E5M2> to tensor<16xbf16>
  %single = nv_tileaa.fp_to_fp %half : tensor<16xbf16> to tensor<16xf32>
  "test.op"(%half, %single) : (tensor<16xbf16>, tensor<16xf32>) -> ()
  nv_tileaa.return
}
