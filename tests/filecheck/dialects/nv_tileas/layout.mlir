// RUN: %roundtrip | filecheck %s
// The layout descriptors of the grammar's examples, with and without blanks.

"test.op"() {
  a = #nv_tileas.layout<(1,1),(0,0)>,
  b = #nv_tileas.layout<(16,16),(1,16)>,
  c = #nv_tileas.layout<(16,16),(1,16),swizzle<2,5,2>>,
  d = #nv_tileas.layout<(16,(8,2)),(1,(16,8))>,
  e = #nv_tileas.layout<(128,64),(64,1),swizzle<3,4,3>,elem=nvfp4>,
  f = #nv_tileas.layout<((4,32),64),((1,512),16),elem=mxf4>
} : () -> ()

// CHECK: a = #nv_tileas.layout<(1, 1), (0, 0)>
// CHECK-SAME: b = #nv_tileas.layout<(16, 16), (1, 16)>
// CHECK-SAME: c = #nv_tileas.layout<(16, 16), (1, 16), swizzle<2, 5, 2>>
// CHECK-SAME: d = #nv_tileas.layout<(16, (8, 2)), (1, (16, 8))>
// CHECK-SAME: e = #nv_tileas.layout<(128, 64), (64, 1), swizzle<3, 4, 3>, elem=nvfp4>
// CHECK-SAME: f = #nv_tileas.layout<((4, 32), 64), ((1, 512), 16), elem=mxf4>
