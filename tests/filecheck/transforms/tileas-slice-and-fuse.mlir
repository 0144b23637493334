// RUN: xdsl-opt %s -p tileas-slice-and-fuse{slices=4} | filecheck %s
// RUN: xdsl-opt %s -p tileas-slice-and-fuse{slices=4},convert-tileaa-to-tileas,tileas-canonicalize | filecheck %s --check-prefix=FOLDED

// The mean of a row is taken off it: a loop that sums up the slices, and one that loads them again.

!o = !nv_tileaa.memref<?x1024xf32, strides = [1024, 1]>
!v = !nv_tileaa.tiled_view<1x1024xf32, !o>
!t = !nv_tileaa.mem_token

// CHECK:      nv_tileaa.func @centre
// CHECK-NEXT:   [[I:%.*]] = nv_tileaa.get_program_id 0 : i32
// CHECK-NEXT:   [[J:%.*]] = arith.constant 0 : i32
// CHECK:        [[LOADED:%.*]] = nv_tileaa.block_tile {{.*}} {tileSizes = array<i64: 1, 256>
// CHECK-NEXT:   [[STORED:%.*]] = nv_tileaa.block_tile {{.*}} {tileSizes = array<i64: 1, 256>
// CHECK:        [[INVERSE:%.*]] = nv_tileaa.splat
// CHECK:        [[START:%.*]] = nv_tileaa.splat {{.*}} : f32 -> tensor<1xf32>
// CHECK:        [[ROW:%.*]] = ub.poison : tensor<1x1024xf32>
// CHECK-NEXT:   [[TOTAL:%.*]], {{%.*}} = scf.for [[SLICE:%.*]] = [[ZERO:%.*]] to {{.*}} iter_args([[SUM:%.*]] = [[START]], [[WHOLE:%.*]] = [[ROW]]) -> (tensor<1xf32>, tensor<1x1024xf32>) : i32 {
// CHECK-NEXT:     [[COUNT:%.*]] = arith.constant 4 : i32
// CHECK-NEXT:     [[FIRST:%.*]] = arith.muli [[J]], [[COUNT]] : i32
// CHECK-NEXT:     [[AT:%.*]] = nv_tileaa.addi [[FIRST]], [[SLICE]] : i32
// CHECK-NEXT:     [[X:%.*]], {{%.*}} = nv_tileaa.tiled_load weak [[LOADED]][[[I]], [[AT]]] : {{.*}} -> tensor<1x256xf32>
// CHECK-NEXT:     [[NOW:%.*]] = nv_tileaa.insert_slice [[X]] into [[WHOLE]][[[ZERO]], [[SLICE]] : i32, i32]
// CHECK-NEXT:     [[TAKEN:%.*]] = nv_tileaa.extract_slice [[NOW]][[[ZERO]], [[SLICE]] : i32, i32]
// CHECK-NEXT:     [[PART:%.*]] = nv_tileaa.reduce [[TAKEN]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32>
// CHECK:          [[NEXT:%.*]] = nv_tileaa.addf [[SUM]], [[PART]] : tensor<1xf32>
// CHECK-NEXT:     scf.yield [[NEXT]], [[NOW]] : tensor<1xf32>, tensor<1x1024xf32>
// CHECK-NEXT:   } {nv_tileas.slices = 4 : i32}
// CHECK:        [[M:%.*]] = nv_tileaa.mulf [[TOTAL]], [[INVERSE]] : tensor<1xf32>
// CHECK-NEXT:   [[MEAN:%.*]] = nv_tileaa.view [[M]] : tensor<1xf32> -> tensor<1x1xf32>
// CHECK:        scf.for [[SLICE:%[a-z_0-9]*]] =
// CHECK:          [[AT:%.*]] = nv_tileaa.addi {{.*}}, [[SLICE]] : i32
// CHECK-NEXT:     [[AGAIN:%.*]], {{%.*}} = nv_tileaa.tiled_load weak [[LOADED]][[[I]], [[AT]]]
// CHECK:          [[AGAIN:%.*]] = nv_tileaa.extract_slice
// CHECK:          nv_tileaa.broadcast [[MEAN]] : tensor<1x1xf32> -> tensor<1x256xf32>
// CHECK:          [[B:%.*]] = nv_tileaa.extract_slice
// CHECK-NEXT:     [[Y:%.*]] = nv_tileaa.subf [[AGAIN]], [[B]] : tensor<1x256xf32>
// CHECK:          [[Y:%.*]] = nv_tileaa.extract_slice
// CHECK-NEXT:     {{%.*}} = nv_tileaa.tiled_store weak [[Y]], [[STORED]][[[I]], [[AT]]]
// CHECK-NEXT:     scf.yield
// CHECK-NEXT:   } {nv_tileas.slices = 4 : i32}

// The folds find that nothing reads a whole tile.
// FOLDED:      nv_tileaa.func @centre
// FOLDED-NOT:    _slice
// FOLDED:        [[TOTAL:%.*]] = scf.for {{.*}} iter_args([[SUM:%.*]] = {{.*}}) -> (tensor<1xf32>) : i32 {
// FOLDED-NOT:    _slice
// FOLDED:          [[X:%.*]] = nv_tileas.tiled_load weak {{.*}} -> tensor<1x256xf32>
// FOLDED-NEXT:     [[PART:%.*]] = nv_tileas.reduce [[X]] {axis = 1 : i32} : tensor<1x256xf32> -> tensor<1xf32>
// FOLDED:          [[NEXT:%.*]] = nv_tileaa.addf [[SUM]], [[PART]] : tensor<1xf32>
// FOLDED-NEXT:     scf.yield [[NEXT]] : tensor<1xf32>
// FOLDED-NEXT:   } {nv_tileas.slices = 4 : i32}
// FOLDED:        [[M:%.*]] = nv_tileaa.mulf [[TOTAL]],
// FOLDED-NEXT:   [[MEAN:%.*]] = nv_tileas.view [[M]] : tensor<1xf32> to tensor<1x1xf32>
// FOLDED:        scf.for {{[^(]*}} {
// FOLDED-NOT:    _slice
// FOLDED:          [[AGAIN:%.*]] = nv_tileas.tiled_load
// FOLDED-NEXT:     [[B:%.*]] = nv_tileaa.broadcast [[MEAN]] : tensor<1x1xf32> -> tensor<1x256xf32>
// FOLDED-NEXT:     [[Y:%.*]] = nv_tileaa.subf [[AGAIN]], [[B]] : tensor<1x256xf32>
// FOLDED-NEXT:     {{.*}}nv_tileas.tiled_store weak [[Y]],
// FOLDED-NEXT:   } {nv_tileas.slices = 4 : i32}
nv_tileaa.func @centre(%p: !nv_tileaa.ptr<f32>, %r: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %i = nv_tileaa.get_program_id 0 : i32
  %j = arith.constant 0 : i32
  %o = nv_tileaa.make_memref %p sizes = [%r : i32] : !nv_tileaa.ptr<f32> -> !o
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 1, 1024>, dimGroups = [[0], [1]]} : !o -> !v
  %w = nv_tileaa.block_tile %o {tileSizes = array<i64: 1, 1024>, dimGroups = [[0], [1]]} : !o -> !v
  %c = arith.constant 0.0009765625 : f32
  %inverse = nv_tileaa.splat %c : f32 -> tensor<1xf32>
  %x, %a = nv_tileaa.tiled_load weak %v[%i, %j] : !v[i32, i32] -> tensor<1x1024xf32>, !t
  %s = nv_tileaa.reduce %x {axis = 1 : i32} : tensor<1x1024xf32> -> tensor<1xf32> {
  ^bb0(%f: f32, %g: f32):
    %h = nv_tileaa.addf %f, %g : f32
    nv_tileaa.yield %h : f32
  }
  %m = nv_tileaa.mulf %s, %inverse : tensor<1xf32>
  %n = nv_tileaa.view %m : tensor<1xf32> -> tensor<1x1xf32>
  %b = nv_tileaa.broadcast %n : tensor<1x1xf32> -> tensor<1x1024xf32>
  %y = nv_tileaa.subf %x, %b : tensor<1x1024xf32>
  %d = nv_tileaa.tiled_store weak %y, %w[%i, %j] : tensor<1x1024xf32>, !v[i32, i32] -> !t
  nv_tileaa.return
}
