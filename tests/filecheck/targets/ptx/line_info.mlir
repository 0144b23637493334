// RUN: xdsl-opt %s -p 'tileir-pipeline{lineinfo=true}' -t ptx | filecheck %s
// RUN: xdsl-opt %s -p tileir-pipeline -t 'ptx{lineinfo=true}' | filecheck %s
// RUN: xdsl-opt %s -p tileir-pipeline -t ptx | filecheck %s --check-prefix WITHOUT
// RUN: tileir compile %s --lineinfo | filecheck %s

cuda_tile.module @kernels {
  cuda_tile.entry @twice(%p: tile<ptr<f32>>) {
    %x, %0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token loc(callsite("helper.py":20:9 at "kernel.py":4:8))
    %y = addf %x, %x : tile<f32> loc("kernel.py":5:8)
    %1 = store_ptr_tko weak %p, %y token = %0 : tile<ptr<f32>>, tile<f32> -> token loc("kernel.py":6:4)
    return loc("kernel.py":7:4)
  } loc("kernel.py":3:0)
}

// CHECK:      .file 1 "kernel.py"
// CHECK-NEXT: .file 2 "helper.py"
// CHECK:      .visible .entry twice(
// CHECK:      .loc 1 3 0
// CHECK-NEXT: ld.param.u64 [[P:%rd[0-9]+]], [twice_param_0];
// CHECK:      .loc 1 4 8
// CHECK-NEXT: .loc 2 20 9
// CHECK-NEXT: ld.global.f32 [[X:%f[0-9]+]], {{\[}}[[P]]];
// CHECK-NEXT: .loc 1 5 8
// CHECK-NEXT: add.rn.f32 [[Y:%f[0-9]+]], [[X]], [[X]];
// CHECK-NEXT: .loc 1 6 4
// CHECK:      st.global.f32 {{\[}}[[P]]], [[Y]];
// CHECK-NEXT: .loc 1 7 4
// CHECK-NEXT: ret;

// WITHOUT-NOT: .file
// WITHOUT-NOT: .loc
