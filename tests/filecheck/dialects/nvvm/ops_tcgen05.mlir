// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

llvm.func @ops(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %q: i1, %v: vector<2xf16>, %d: f64, %t: !llvm.ptr<6>, %m4: vector<4xi32>) {
  nvvm.tcgen05.alloc %s, %i : !llvm.ptr<3>, i32
  nvvm.tcgen05.alloc %s, %i {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i32
  nvvm.tcgen05.dealloc %t, %i : !llvm.ptr<6>, i32
  nvvm.tcgen05.relinquish_alloc_permit
  nvvm.tcgen05.fence <before>
  nvvm.tcgen05.fence <after>
  nvvm.tcgen05.wait <load>
  nvvm.tcgen05.commit %s : !llvm.ptr<3>
  nvvm.tcgen05.commit %s, multicast_mask = %h : !llvm.ptr<3>, i16
  nvvm.tcgen05.shift %t : !llvm.ptr<6>
  %0 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<4xi32>
  %1 = nvvm.tcgen05.ld %t pack {shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : vector<2xi32>
  nvvm.tcgen05.mma %t, %l, %l, %i, %q {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
  nvvm.tcgen05.mma %t, %t, %l, %i, %q {kind = #nvvm.tcgen05_mma_kind<tf32>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1)
  nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_128x256b>}
  nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>}
  nvvm.tcgen05.mma %t, %l, %l, %i, %q scale = %l {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, i64)
  %2 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<4xi32>
  %3 = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
  nvvm.tcgen05.mma %t, %l, %l, %i, %q mask = %m4 {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, vector<4xi32>)
  llvm.return
}

// CHECK:      nvvm.tcgen05.alloc %s, %i : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.tcgen05.alloc %s, %i {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.tcgen05.dealloc %t, %i : !llvm.ptr<6>, i32
// CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit
// CHECK-NEXT: nvvm.tcgen05.fence <before>
// CHECK-NEXT: nvvm.tcgen05.fence <after>
// CHECK-NEXT: nvvm.tcgen05.wait <load>
// CHECK-NEXT: nvvm.tcgen05.commit %s : !llvm.ptr<3>
// CHECK-NEXT: nvvm.tcgen05.commit %s, multicast_mask = %h : !llvm.ptr<3>, i16
// CHECK-NEXT: nvvm.tcgen05.shift %t : !llvm.ptr<6>
// CHECK-NEXT: %{{.*}} = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<4xi32>
// CHECK-NEXT: %{{.*}} = nvvm.tcgen05.ld %t pack {shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : vector<2xi32>
// CHECK-NEXT: nvvm.tcgen05.mma %t, %l, %l, %i, %q {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
// CHECK-NEXT: nvvm.tcgen05.mma %t, %t, %l, %i, %q {kind = #nvvm.tcgen05_mma_kind<tf32>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1)
// CHECK-NEXT: nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_128x256b>}
// CHECK-NEXT: nvvm.tcgen05.cp %t, %l {shape = #nvvm.tcgen05_cp_shape<shape_32x128b>, multicast = #nvvm.tcgen05_cp_multicast<warpx4>}
// CHECK-NEXT: nvvm.tcgen05.mma %t, %l, %l, %i, %q scale = %l {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, i64)
// CHECK-NEXT: %{{.*}} = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<4xi32>
// CHECK-NEXT: %{{.*}} = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
// CHECK-NEXT: nvvm.tcgen05.mma %t, %l, %l, %i, %q mask = %m4 {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1, vector<4xi32>)

// GENERIC: "nvvm.tcgen05.alloc"(%s, %i) <{group = #nvvm.cta_group<cta_2>}> : (!llvm.ptr<3>, i32) -> ()
// GENERIC: %{{.*}} = "nvvm.tcgen05.ld"(%t) <{pack, shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>}> : (!llvm.ptr<6>) -> vector<2xi32>
// GENERIC: "nvvm.tcgen05.mma"(%t, %t, %l, %i, %q) <{kind = #nvvm.tcgen05_mma_kind<tf32>, ctaGroup = #nvvm.cta_group<cta_1>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>, collectorOp = #nvvm.tcgen05_mma_collectorop<discard>}> : (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1) -> ()
