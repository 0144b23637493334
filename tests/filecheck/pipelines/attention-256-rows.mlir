// RUN: xdsl-opt %S/../../../bench/kernels/tall/attention_256x64x128.mlir -p 'tileir-pipeline{gpu=sm_100a}' -t ptx | filecheck %s

// Each of two warpgroups issues the MMAs of its own 128 rows: a stage is released by two commits, the threads of a
// warpgroup meet, and its columns follow from its number.

// CHECK-DAG: mbarrier.init.shared::cta.b64 [{{.*}}], 2;
// CHECK-DAG: mbarrier.init.shared::cta.b64 [{{.*}}], 129;
// CHECK: setmaxnreg.inc
// CHECK: shr.u32 [[GROUP:%r[0-9]+]], %{{r[0-9]+}}, 2;
// CHECK: add.s32 [[BARRIER:%r[0-9]+]], [[GROUP]], 3;
// CHECK: bar.sync [[BARRIER]], 128;
// CHECK: tcgen05.mma.cta_group::1.kind::f16
// CHECK: tcgen05.commit
// CHECK-NOT: bar.sync 1, 256;
// CHECK: bar.sync [[BARRIER]], 128;
// CHECK: tcgen05.mma.cta_group::1.kind::f16 [{{%r[0-9]+}}], [{{%r[0-9]+}}],
// CHECK: bar.sync 1, 256;
// CHECK: st.shared.v4
