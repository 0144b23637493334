// Of each row, times a number; the exponentials are computed where they are used.
#matrix = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
func.func @softmax(%x: tensor<?x?xf32>, %scale: f32) -> tensor<?x?xf32>
    attributes {linalg_door.tile = array<i64: 16, 16, 16>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %out = tensor.empty(%m, %n) : tensor<?x?xf32>
  %lowest = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.0 : f32
  %lows = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce ins(%x: tensor<?x?xf32>) outs(%lows: tensor<?xf32>) dimensions = [1]
  (%a: f32, %b: f32) {
    %r = arith.maximumf %a, %b : f32
    linalg.yield %r : f32
  }
  %exp = linalg.generic {indexing_maps = [#matrix, #rows, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %e = arith.mulf %d, %scale : f32
    %r = math.exp %e : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce ins(%exp: tensor<?x?xf32>) outs(%zeros: tensor<?xf32>) dimensions = [1]
  (%a: f32, %b: f32) {
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  %y = linalg.generic {indexing_maps = [#matrix, #rows, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}
