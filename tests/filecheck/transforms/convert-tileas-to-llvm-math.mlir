// RUN: xdsl-opt %s -p 'tileir-pipeline{gpu="sm_90a"}' | filecheck %s

cuda_tile.module @m {
  // CHECK-LABEL: llvm.func @approximations
  // CHECK:         %[[EX2:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
  // CHECK:         %[[RSQRT:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%[[EX2]]) :
  // CHECK:         llvm.intr.tanh(%[[RSQRT]]) {
  entry @approximations(%p: tile<ptr<f32>>) {
    %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
    %a = exp2 %x : tile<f32>
    %b = rsqrt %a flush_to_zero : tile<f32>
    %c = tanh %b rounding<approx> : tile<f32>
    %u = store_ptr_tko weak %p, %c : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // Large angles are reduced by the bits of 2 / pi in a branch.
  // CHECK:       llvm.mlir.global internal constant @angles_constants_0
  // CHECK-LABEL: llvm.func @angles
  // CHECK:         %[[COND:.*]] = llvm.fcmp "oge"
  // CHECK-NEXT:    llvm.cond_br %[[COND]],
  // CHECK:         llvm.mlir.addressof @angles_constants_0
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.mulhi.ull"
  entry @angles(%p: tile<ptr<f64>>) {
    %x, %t = load_ptr_tko weak %p : tile<ptr<f64>> -> tile<f64>, token
    %a = sin %x : tile<f64>
    %b = cos %a : tile<f64>
    %u = store_ptr_tko weak %p, %b : tile<ptr<f64>>, tile<f64> -> token
    return
  }
}
