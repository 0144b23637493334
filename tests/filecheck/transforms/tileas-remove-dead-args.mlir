// RUN: xdsl-opt %s -p tileas-remove-dead-args | filecheck %s

// The loop yields %pre_acc to its own position alone, and nobody uses the result there.

%c0, %c1, %n = "test.op"() : () -> (index, index, index)
%a, %b, %init_acc, %init_pre = "test.op"() : () -> (tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>, tensor<128x128xf32>)

// CHECK:      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init_acc) -> (tensor<128x128xf32>) {
// CHECK-NEXT:   %x = nv_tileas.wgmma %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32> -> tensor<128x128xf32>
// CHECK-NEXT:   scf.yield %x : tensor<128x128xf32>
// CHECK-NEXT: }
// CHECK-NEXT: "test.op"(%r) : (tensor<128x128xf32>) -> ()
%r:2 = scf.for %i = %c0 to %n step %c1
    iter_args(%acc = %init_acc, %pre_acc = %init_pre)
    -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %x = nv_tileas.wgmma %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32> -> tensor<128x128xf32>
  scf.yield %x, %pre_acc : tensor<128x128xf32>, tensor<128x128xf32>
}
"test.op"(%r#0) : (tensor<128x128xf32>) -> ()
