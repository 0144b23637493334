// RUN: %roundtrip | filecheck %s
// RUN: %generic-roundtrip | filecheck %s --check-prefix=GENERIC

llvm.func @ops(%p: !llvm.ptr, %g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: !llvm.ptr<7>, %i: i32, %j: i32, %l: i64, %h: i16, %f: f32, %q: i1, %v: vector<2xf16>, %d: f64) {
  %0 = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<7>
  %1 = nvvm.mapa %p, %i : !llvm.ptr -> !llvm.ptr
  nvvm.setmaxregister decrease 40
  %2 = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%f : f32) -> f32
  nvvm.inline_ptx "foo {$r0};" ro(%f : f32), predicate = %q
  %3 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
  %4 = nvvm.rcp.approx.ftz.f %f : f32
  nvvm.exit
  %5 = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rn>, relu=true}
  nvvm.griddepcontrol wait
  nvvm.griddepcontrol launch_dependents
  nvvm.nanosleep %i
  llvm.return
}

// CHECK:      %{{.*}} = nvvm.mapa %s, %i : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-NEXT: %{{.*}} = nvvm.mapa %p, %i : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT: nvvm.setmaxregister decrease 40
// CHECK-NEXT: %{{.*}} = nvvm.inline_ptx "ex2.approx.ftz.f32 {$w0}, {$r0};" ro(%f : f32) -> f32
// CHECK-NEXT: nvvm.inline_ptx "foo {$r0};" ro(%f : f32), predicate = %q
// CHECK-NEXT: %{{.*}} = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK-NEXT: %{{.*}} = nvvm.rcp.approx.ftz.f %f : f32
// CHECK-NEXT: nvvm.exit
// CHECK-NEXT: %{{.*}} = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rn>, relu = true}
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: nvvm.nanosleep %i

// GENERIC: "nvvm.setmaxregister"() <{action = #nvvm<action decrease>, regCount = 40 : i32}> : () -> ()
// GENERIC: %{{.*}} = "nvvm.convert.float.to.tf32"(%f) <{rnd = #nvvm.fp_rnd_mode<rna>, sat = #nvvm.sat_mode<none>, relu = false}> : (f32) -> i32
