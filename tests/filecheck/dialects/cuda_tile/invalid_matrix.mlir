// RUN: xdsl-opt --split-input-file --verify-diagnostics --parsing-diagnostics %s | %check-parts %s

// Matrix products, reductions and scans.

// CHECK: 'cuda_tile.mmaf' op operands must be 2D or 3D tiles
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) { %0 = mmaf %a, %a, %a : tile<4xf16>, tile<4xf16>, tile<4xf16> } }
// -----
// CHECK: 'cuda_tile.mmaf' op  shape error: dim 1 of lhs (8) and dim 0 of rhs (4) must match, but got lhs shape (4, 8) and rhs shape (4, 2)
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf16>, %b: tile<4x2xf16>, %c: tile<4x2xf32>) { %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<4x2xf16>, tile<4x2xf32> } }
// -----
// CHECK: 'cuda_tile.mmai' op shape error: dim 0 of lhs (2) and dim 0 of rhs (4) must match, but got lhs shape (2, 4, 8) and rhs shape (4, 8, 2)
cuda_tile.module @m { testing$func @f(%a: tile<2x4x8xi8>, %b: tile<4x8x2xi8>, %c: tile<2x4x2xi32>) { %0 = mmai %a, %b, %c signed signed : tile<2x4x8xi8>, tile<4x8x2xi8>, tile<2x4x2xi32> } }
// -----
// CHECK: 'cuda_tile.mmaf' op  shape error: dim 0 of lhs (4) and dim 0 of acc (2) must match, but got lhs shape (4, 8) and acc shape (2, 2)
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf16>, %b: tile<8x2xf16>, %c: tile<2x2xf32>) { %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xf16>, tile<2x2xf32> } }
// -----
// CHECK: 'cuda_tile.mmaf' op failed to verify that all of {lhs, rhs, acc} have same rank
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf16>, %b: tile<8x2xf16>, %c: tile<4xf32>) { %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xf16>, tile<4xf32> } }
// -----
// CHECK: 'cuda_tile.mmaf' op failed to verify that all of {lhs, rhs} have the same element type
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf16>, %b: tile<8x2xbf16>, %c: tile<4x2xf32>) { %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xbf16>, tile<4x2xf32> } }
// -----
// CHECK: 'cuda_tile.mmaf' op unsupported combination of element types. Input type 'f16' expects accumulator/result type to be one of {'f16', 'f32'}, but got 'f64'
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf16>, %b: tile<8x2xf16>, %c: tile<4x2xf64>) { %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xf64> } }
// -----
// CHECK: 'cuda_tile.mmaf' op operand #0 must be mmaf operand tile type of f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 values, but got '!cuda_tile.tile<4x8xi8>'
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi8>, %b: tile<8x2xf16>, %c: tile<4x2xf64>) { %0 = mmaf %a, %b, %c : tile<4x8xi8>, tile<8x2xf16>, tile<4x2xf64> } }
// -----
// CHECK: 'cuda_tile.mmaf' op operand #2 must be mmaf acc/result tile type of f16 or f32 or f64 values, but got '!cuda_tile.tile<4x2xbf16>'
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf16>, %b: tile<8x2xf16>, %c: tile<4x2xbf16>) { %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x2xf16>, tile<4x2xbf16> } }
// -----
// CHECK: 'cuda_tile.mmai' op operand #1 must be mmai operand tile type of i8 values, but got '!cuda_tile.tile<8x2xi16>'
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi8>, %b: tile<8x2xi16>, %c: tile<4x2xi32>) { %0 = mmai %a, %b, %c signed signed : tile<4x8xi8>, tile<8x2xi16>, tile<4x2xi32> } }
// -----
// CHECK: 'cuda_tile.mmai' op operand #2 must be mmai acc tile type of i32 values, but got '!cuda_tile.tile<4x2xi64>'
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi8>, %b: tile<8x2xi8>, %c: tile<4x2xi64>) { %0 = mmai %a, %b, %c signed signed : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xi64> } }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op operand #0 must be mmaf_scaled operand tile type of f8E4M3FN or f8E5M2 or f4E2M1FN values, but got '!cuda_tile.tile<4x32xf16>'
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf16>, %b: tile<32x2xf8E5M2>, %c: tile<4x2xf32>, %s: tile<4x1xf8E8M0FNU>, %t: tile<1x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf16>, tile<32x2xf8E5M2>, tile<4x2xf32>, tile<4x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op operand #2 must be mmaf_scaled result tile type of f32 values, but got '!cuda_tile.tile<4x2xf16>'
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf8E5M2>, %b: tile<32x2xf8E5M2>, %c: tile<4x2xf16>, %s: tile<4x1xf8E8M0FNU>, %t: tile<1x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E5M2>, tile<32x2xf8E5M2>, tile<4x2xf16>, tile<4x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op operand #3 must be mmaf_scaled scale tile type of f8E4M3FN or f8E8M0FNU or fnv8E5M3FNU values, but got '!cuda_tile.tile<4x1xf32>'
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf8E5M2>, %b: tile<32x2xf8E5M2>, %c: tile<4x2xf32>, %s: tile<4x1xf32>, %t: tile<1x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E5M2>, tile<32x2xf8E5M2>, tile<4x2xf32>, tile<4x1xf32>, tile<1x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op shape error: dim 0 of lhs (4) and dim 0 of lhs_scale (8) must match, but got lhs shape (4, 32) and lhs_scale shape (8, 1)
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf8E5M2>, %b: tile<32x2xf8E5M2>, %c: tile<4x2xf32>, %s: tile<8x1xf8E8M0FNU>, %t: tile<1x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E5M2>, tile<32x2xf8E5M2>, tile<4x2xf32>, tile<8x1xf8E8M0FNU>, tile<1x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op shape error: dim 0 of rhs (2) and dim 0 of rhs_scale (4) must match, but got rhs shape (2, 32, 2) and rhs_scale shape (4, 1, 2)
cuda_tile.module @m { testing$func @f(%a: tile<2x4x32xf8E5M2>, %b: tile<2x32x2xf8E5M2>, %c: tile<2x4x2xf32>, %s: tile<2x4x1xf8E8M0FNU>, %t: tile<4x1x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<2x4x32xf8E5M2>, tile<2x32x2xf8E5M2>, tile<2x4x2xf32>, tile<2x4x1xf8E8M0FNU>, tile<4x1x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op unsupported combination of element types. Scale type 'f8E4M3FN' expects lhs and rhs element types to be 'f4E2M1FN', but got 'f8E5M2'
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf8E5M2>, %b: tile<32x2xf8E5M2>, %c: tile<4x2xf32>, %s: tile<4x1xf8E4M3FN>, %t: tile<1x2xf8E4M3FN>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E5M2>, tile<32x2xf8E5M2>, tile<4x2xf32>, tile<4x1xf8E4M3FN>, tile<1x2xf8E4M3FN>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op shape error: dim 1 of lhs_scale (64) must be a divisor of dim 1 of lhs (32), but got lhs_scale shape (4, 64) and lhs shape (4, 32)
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf8E5M2>, %b: tile<32x2xf8E5M2>, %c: tile<4x2xf32>, %s: tile<4x64xf8E8M0FNU>, %t: tile<64x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E5M2>, tile<32x2xf8E5M2>, tile<4x2xf32>, tile<4x64xf8E8M0FNU>, tile<64x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op shape error: f8 element type requires block scale factor of lhs_scale and rhs_scale to be 32, but got 16
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf8E5M2>, %b: tile<32x2xf8E5M2>, %c: tile<4x2xf32>, %s: tile<4x2xf8E8M0FNU>, %t: tile<2x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf8E5M2>, tile<32x2xf8E5M2>, tile<4x2xf32>, tile<4x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op shape error: f4E2M1FN element type with f8E4M3FN scales requires block scale factor of lhs_scale and rhs_scale to be 16, but got 32
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf4E2M1FN>, %b: tile<32x2xf4E2M1FN>, %c: tile<4x2xf32>, %s: tile<4x1xf8E4M3FN>, %t: tile<1x2xf8E4M3FN>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf4E2M1FN>, tile<32x2xf4E2M1FN>, tile<4x2xf32>, tile<4x1xf8E4M3FN>, tile<1x2xf8E4M3FN>
} }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op shape error: f4E2M1FN element type with f8E8M0FNU scales requires block scale factor of lhs_scale and rhs_scale to be 16 or 32, but got 8
cuda_tile.module @m { testing$func @f(%a: tile<4x32xf4E2M1FN>, %b: tile<32x2xf4E2M1FN>, %c: tile<4x2xf32>, %s: tile<4x4xf8E8M0FNU>, %t: tile<4x2xf8E8M0FNU>) {
  %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x32xf4E2M1FN>, tile<32x2xf4E2M1FN>, tile<4x2xf32>, tile<4x4xf8E8M0FNU>, tile<4x2xf8E8M0FNU>
} }
// -----
// CHECK: 'cuda_tile.reduce' op expect at least 1 operand
"cuda_tile.reduce"() <{dim = 0 : i32, identities = []}> ({ "cuda_tile.yield"() : () -> () }) : () -> ()
// -----
// CHECK: 'cuda_tile.reduce' op expect same number of operands and results
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
"cuda_tile.reduce"(%a) <{dim = 0 : i32, identities = [0.0 : f32]}> ({ "cuda_tile.yield"() : () -> () }) : (!cuda_tile.tile<4xf32>) -> ()
// -----
// CHECK: 'cuda_tile.reduce' op expect identities to match the number of operands but got: 1 operands and 2 identities
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32, 1] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'i32'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0 : i32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect identity at index: 0 to be a number but got: "zero"
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.reduce"(%a) <{dim = 0 : i32, identities = ["zero"]}> ({ "cuda_tile.yield"() : () -> () }) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<f32>
// -----
// CHECK: 'cuda_tile.reduce' op dimension (1) is out of bound [0, 1)
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=1 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op attribute 'dim' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=-1 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: expected attribute value
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=x identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: integer literal not valid for specified type
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0 : index] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: floating point value not valid for specified type
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.5 : i32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: number of operands and types do not match: got 2 operands and 1 types
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a, %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op requires the same shape for all operands
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %b: tile<8xf32>) { %0:2 = reduce %a, %b dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<4xf32>, tile<8xf32> -> tile<f32>, tile<f32> (%x: tile<f32>, %y: tile<f32>, %z: tile<f32>, %w: tile<f32>) { yield %x, %z : tile<f32>, tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op inferred type(s) '!cuda_tile.tile<f32>' are incompatible with return type(s) of operation '!cuda_tile.tile<2xf32>'
// CHECK-NEXT: 'cuda_tile.reduce' op failed to infer returned types
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<2xf32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect 2 block arguments but got: 1
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect 0-rank tile type at index: 1 but got: '!cuda_tile.tile<2xf32>'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<2xf32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect same element type for block argument at index: 0 and 1 but got: 'f32' and 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f16>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect same type for operand at index: 0 and block argument at index: 0 but got: 'f32' and 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f16>, %y: tile<f16>) { yield %x : tile<f16> } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect number of terminators operands (0) to match number of operands (1)
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { } } }
// -----
// CHECK: 'cuda_tile.reduce' op expect same type for operand at index: 0 and terminator argument at index: 0 but got: 'f32' and 'f16'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %h: tile<f16>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %h : tile<f16> } } }
// -----
// CHECK: 'cuda_tile.scan' op expected TileType for operand and terminator types but got: '!cuda_tile.tile<4xf32>' and '!cuda_tile.token'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>, %t: token) { %0 = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4xf32> -> tile<4xf32> (%x: tile<f32>, %y: tile<f32>) { yield %t : token } } }
// -----
// CHECK: 'cuda_tile.print_tko' op only memory-effect-free operations are allowed inside 'cuda_tile.reduce'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { %t = print_tko "x" -> token yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.scan' op expect same type for operand at index: 0 and result at index: 0
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4xf32> -> tile<8xf32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: expected attribute value
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = scan %a dim=0 reverse=5 identities=[0.0 : f32] : tile<4xf32> -> tile<4xf32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: custom op 'cuda_tile.scan' expected 'reverse'
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) { %0 = scan %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<4xf32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> } } }
// -----
// CHECK: 'cuda_tile.reduce' op region #0 ('body') failed to verify constraint: region with 1 blocks
%a = "test.op"() : () -> !cuda_tile.tile<4xf32>
%0 = "cuda_tile.reduce"(%a) <{dim = 0 : i32, identities = [0.0 : f32]}> ({ }) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<f32>
// -----
// CHECK: 'cuda_tile.mmaf' op shape error: dim 0 of lhs (2) and dim 0 of acc (4) must match, but got lhs shape (2, 4, 8) and acc shape (4, 4, 4)
cuda_tile.module @m { testing$func @f(%a: tile<2x4x8xf32>, %b: tile<2x8x4xf32>, %c: tile<4x4x4xf32>) { %0 = mmaf %a, %b, %c : tile<2x4x8xf32>, tile<2x8x4xf32>, tile<4x4x4xf32> } }
// -----
// CHECK: 'cuda_tile.mmaf' op  shape error: dim 1 of rhs (4) and dim 1 of acc (8) must match, but got rhs shape (8, 4) and acc shape (4, 8)
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf32>, %b: tile<8x4xf32>, %c: tile<4x8xf32>) { %0 = mmaf %a, %b, %c : tile<4x8xf32>, tile<8x4xf32>, tile<4x8xf32> } }
// -----
// CHECK: 'cuda_tile.mmaf_scaled' op shape error: dim 1 of lhs_scale (2) and dim 0 of rhs_scale (4) must match, but got lhs_scale shape (4, 2) and rhs_scale shape (4, 8)
cuda_tile.module @m { testing$func @f(%a: tile<4x64xf8E4M3FN>, %b: tile<64x8xf8E4M3FN>, %c: tile<4x8xf32>, %s: tile<4x2xf8E8M0FNU>, %t: tile<4x8xf8E8M0FNU>) { %0 = mmaf_scaled %a, %b, %c, %s, %t : tile<4x64xf8E4M3FN>, tile<64x8xf8E4M3FN>, tile<4x8xf32>, tile<4x2xf8E8M0FNU>, tile<4x8xf8E8M0FNU> } }
