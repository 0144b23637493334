"""Programs of `nv_tileaa` by what a CPU does with them: inputs, results and a body."""

from typing import NamedTuple


class Program(NamedTuple):
    """`%in0, ..` have the types of `inputs`; the body makes `%out0, ..` of the types of `results`."""

    inputs: tuple[str, ...]
    results: tuple[str, ...]
    body: str


def _reduce(source: str, result: str, axis: int, op: str, element: str, name: str = "%out0") -> str:
    return f"""{name} = nv_tileaa.reduce %in0 {{axis = {axis} : i32}} : tensor<{source}> -> {result} {{
    ^bb0(%a: {element}, %b: {element}):
      %r = {op} %a, %b : {element}
      nv_tileaa.yield %r : {element}
    }}"""


PROGRAMS = {
    "add": Program(
        ("64xf32", "64xf32"), ("64xf32",), "%out0 = nv_tileaa.addf %in0, %in1 : tensor<64xf32>"
    ),
    "halves": Program(
        ("8x32xf16", "8x32xf16"),
        ("8x32xf16",),
        "%p = nv_tileaa.mulf %in0, %in1 : tensor<8x32xf16>\n"
        "%out0 = nv_tileaa.addf %p, %in0 : tensor<8x32xf16>",
    ),
    "transposed": Program(
        ("8x32xi32",),
        ("32x8xi32",),
        "%out0 = nv_tileaa.permute %in0 {permutation = array<i32: 1, 0>} : tensor<8x32xi32> -> tensor<32x8xi32>",
    ),
    "reshaped": Program(
        ("8x32xi32",),
        ("4x64xi32",),
        "%out0 = nv_tileaa.view %in0 : tensor<8x32xi32> -> tensor<4x64xi32>",
    ),
    "narrow columns in a line": Program(
        ("4x8xi32",),
        ("32xi32",),
        "%t = nv_tileaa.permute %in0 {permutation = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>\n"
        "%out0 = nv_tileaa.view %t : tensor<8x4xi32> -> tensor<32xi32>",
    ),
    "rows and columns": Program(
        ("8xi32", "32xi32"),
        ("8x32xi32",),
        "%c = nv_tileaa.expand_dims %in0 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>\n"
        "%d = nv_tileaa.broadcast %c : tensor<8x1xi32> -> tensor<8x32xi32>\n"
        "%e = nv_tileaa.expand_dims %in1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>\n"
        "%f = nv_tileaa.broadcast %e : tensor<1x32xi32> -> tensor<8x32xi32>\n"
        "%out0 = arith.muli %d, %f : tensor<8x32xi32>",
    ),
    "range": Program(
        (),
        ("64xi32",),
        "%s = arith.constant 7 : i32\n%t = arith.constant 71 : i32\n"
        "%out0 = nv_tileaa.make_range %s, %t : i32 -> tensor<64xi32>",
    ),
    "sum of rows": Program(
        ("8x64xf32",), ("8xf32",), _reduce("8x64xf32", "tensor<8xf32>", 1, "nv_tileaa.addf", "f32")
    ),
    "sum of columns": Program(
        ("64x8xf32",), ("8xf32",), _reduce("64x8xf32", "tensor<8xf32>", 0, "nv_tileaa.addf", "f32")
    ),
    **{
        f"sum along {axis} of three": Program(
            ("4x2x8xi32",),
            (f"{left}xi32",),
            _reduce("4x2x8xi32", f"tensor<{left}xi32>", axis, "arith.addi", "i32"),
        )
        for axis, left in enumerate(("2x8", "4x8", "4x2"))
    },
    "greatest": Program(("64xi32",), ("i32",), _reduce("64xi32", "i32", 0, "arith.maxsi", "i32")),
    "last of columns": Program(
        ("16x8xi32",),
        ("8xi32",),
        """%out0 = nv_tileaa.reduce %in0 {axis = 0 : i32} : tensor<16x8xi32> -> tensor<8xi32> {
        ^bb0(%a: i32, %b: i32):
          nv_tileaa.yield %b : i32
        }""",
    ),
    "place of the greatest": Program(
        ("4x64xi32",),
        ("4xi32", "4xi32"),
        """%s = arith.constant 0 : i32
        %e = arith.constant 64 : i32
        %n = nv_tileaa.make_range %s, %e : i32 -> tensor<64xi32>
        %m = nv_tileaa.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
        %p = nv_tileaa.broadcast %m : tensor<1x64xi32> -> tensor<4x64xi32>
        %out0, %out1 = nv_tileaa.reduce %in0, %p {axis = 1 : i32} : tensor<4x64xi32>, tensor<4x64xi32> -> tensor<4xi32>, tensor<4xi32> {
        ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
          %g = arith.cmpi sge, %a, %b : i32
          %v = arith.select %g, %a, %b : i32
          %w = arith.select %g, %c, %d : i32
          nv_tileaa.yield %v, %w : i32, i32
        }""",
    ),
    "centered": Program(
        ("8x64xf32",),
        ("8x64xf32",),
        _reduce("8x64xf32", "tensor<8xf32>", 1, "nv_tileaa.addf", "f32", "%s")
        + """
        %c = nv_tileaa.expand_dims %s {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
        %d = nv_tileaa.broadcast %c : tensor<8x1xf32> -> tensor<8x64xf32>
        %out0 = nv_tileaa.subf %in0, %d : tensor<8x64xf32>""",
    ),
    "scan": Program(
        ("4x32xi32",),
        ("4x32xi32",),
        """%out0 = nv_tileaa.scan %in0 {axis = 1 : i32, inclusive = true} : tensor<4x32xi32> -> tensor<4x32xi32> {
        ^bb0(%a: i32, %b: i32):
          %r = arith.addi %a, %b : i32
          nv_tileaa.yield %r : i32
        }""",
    ),
    "scan from the end": Program(
        ("32x8xi32",),
        ("32x8xi32",),
        """%out0 = nv_tileaa.scan %in0 {axis = 0 : i32, inclusive = true, reverse = true} : tensor<32x8xi32> -> tensor<32x8xi32> {
        ^bb0(%a: i32, %b: i32):
          %r = arith.addi %a, %b : i32
          nv_tileaa.yield %r : i32
        }""",
    ),
    "dot": Program(
        ("16x32xf32", "32x16xf32", "16x16xf32"),
        ("16x16xf32",),
        '%out0 = nv_tileaa.dot %in0, %in1, %in2 {input_precision = "ieee"} : '
        "tensor<16x32xf32>, tensor<32x16xf32>, tensor<16x16xf32>",
    ),
    "dot with a transposed operand": Program(
        ("16x32xf32", "16x32xf32", "16x16xf32"),
        ("16x16xf32", "16x16xf32"),
        "%b = nv_tileaa.permute %in1 {permutation = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>\n"
        '%out0 = nv_tileaa.dot %in0, %b, %in2 {input_precision = "ieee"} : '
        "tensor<16x32xf32>, tensor<32x16xf32>, tensor<16x16xf32>\n"
        "%out1 = nv_tileaa.addf %in2, %in2 : tensor<16x16xf32>",
    ),
    "loop": Program(
        ("64xi32", "i32"),
        ("64xi32", "64xi32"),
        """%one = arith.constant 1 : i32
        %out0, %out1 = scf.for %i = %zero to %in1 step %one iter_args(%x = %in0, %y = %in0) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
          %k = nv_tileaa.splat %i : i32 -> tensor<64xi32>
          %s = arith.addi %x, %k : tensor<64xi32>
          %t = arith.muli %s, %y : tensor<64xi32>
          scf.yield %t, %x : tensor<64xi32>, tensor<64xi32>
        }""",
    ),
    "branch": Program(
        ("64xi32", "i32"),
        ("64xi32",),
        """%q = arith.cmpi sgt, %in1, %zero : i32
        %out0 = scf.if %q -> (tensor<64xi32>) {
          %s = arith.addi %in0, %in0 : tensor<64xi32>
          scf.yield %s : tensor<64xi32>
        } else {
          scf.yield %in0 : tensor<64xi32>
        }""",
    ),
    "loop with a condition": Program(
        ("64xi32", "i32"),
        ("64xi32", "i32"),
        """%out0, %out1 = scf.while (%x = %in0, %n = %in1) : (tensor<64xi32>, i32) -> (tensor<64xi32>, i32) {
          %q = arith.cmpi sgt, %n, %zero : i32
          scf.condition(%q) %x, %n : tensor<64xi32>, i32
        } do {
        ^bb0(%x: tensor<64xi32>, %n: i32):
          %one = arith.constant 1 : i32
          %m = arith.subi %n, %one : i32
          %y = arith.addi %x, %x : tensor<64xi32>
          scf.yield %y, %m : tensor<64xi32>, i32
        }""",
    ),
    "constants": Program(
        ("4xi32",),
        ("8xi32", "4xi1"),
        """%c = arith.constant dense<[4, -3, 2, 1]> : tensor<4xi32>
        %d = arith.addi %c, %in0 : tensor<4xi32>
        %out0 = nv_tileaa.cat %c, %d {axis = 0 : i32} : tensor<4xi32>, tensor<4xi32> -> tensor<8xi32>
        %out1 = arith.constant dense<[true, false, false, true]> : tensor<4xi1>""",
    ),
    "generated": Program(
        ("8x32xi32", "i32"),
        ("8x32xi32",),
        """%n = arith.addi %in1, %in1 : i32
        %g = nv_tileaa.generate : tensor<8x32xi32> {
        ^bb0(%i: i32, %j: i32):
          %m = arith.muli %i, %n : i32
          %r = arith.subi %m, %j : i32
          nv_tileaa.yield %r : i32
        }
        %out0 = arith.addi %g, %in0 : tensor<8x32xi32>""",
    ),
    "assertion": Program(
        ("64xi32", "i32"),
        ("64xi32",),
        """%m = nv_tileaa.splat %in1 : i32 -> tensor<64xi32>
        %n = arith.muli %m, %m : tensor<64xi32>
        %c = arith.cmpi slt, %m, %n : tensor<64xi32>
        nv_tileaa.assert %c, "below its square" : tensor<64xi1>
        %d = arith.cmpi sgt, %in1, %zero : i32
        nv_tileaa.assert %d, "positive" : i1
        %out0 = arith.addi %in0, %n : tensor<64xi32>""",
    ),
    "slices": Program(
        ("8x16xi32", "4x4xi32", "i32"),
        ("4x4xi32", "8x16xi32", "16xi32"),
        """%one = arith.constant 1 : i32
        %three = arith.constant 3 : i32
        %e = nv_tileaa.extract_slice %in0[%one, %three : i32, i32] : tensor<8x16xi32> -> tensor<4x4xi32>
        %out0 = arith.addi %e, %in1 : tensor<4x4xi32>
        %out1 = nv_tileaa.insert_slice %in1 into %in0[%zero, %one : i32, i32] : tensor<4x4xi32>, tensor<8x16xi32> -> tensor<8x16xi32>
        %flat = nv_tileaa.view %e : tensor<4x4xi32> -> tensor<16xi32>
        %out2 = scf.for %i = %zero to %in2 step %one iter_args(%x = %flat) -> (tensor<16xi32>) : i32 {
          %again = nv_tileaa.view %e : tensor<4x4xi32> -> tensor<16xi32>
          %both = arith.addi %again, %flat : tensor<16xi32>
          %y = arith.muli %x, %both : tensor<16xi32>
          scf.yield %y : tensor<16xi32>
        }""",
    ),
    "atomic sums": Program(
        ("64xi32", "64xi32"),
        ("64xi32",),
        """%one = arith.constant 1 : i32
        %s = arith.constant 64 : i32
        %n = nv_tileaa.make_range %zero, %s : i32 -> tensor<64xi32>
        %ones = nv_tileaa.splat %one : i32 -> tensor<64xi32>
        %half = arith.shrui %n, %ones : tensor<64xi32>
        %b = nv_tileaa.splat %p1 : !nv_tileaa.ptr<i32> -> tensor<64x!nv_tileaa.ptr<i32>>
        %q = nv_tileaa.addptr %b, %half : tensor<64x!nv_tileaa.ptr<i32>>, tensor<64xi32>
        %out0, %t = nv_tileaa.atomic_rmw relaxed gpu add %q, %in0 : tensor<64x!nv_tileaa.ptr<i32>>, tensor<64xi32> -> tensor<64xi32>, !nv_tileaa.mem_token""",
    ),
    "scalars of memory": Program(
        ("64xi32",),
        ("64xi32",),
        """%seven = arith.constant 7 : i32
        %a, %t = nv_tileaa.load weak %p0 : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
        %b, %u = nv_tileaa.atomic_cas relaxed gpu %p0, %a, %seven token = %t : !nv_tileaa.ptr<i32>, i32, i32 -> i32, !nv_tileaa.mem_token
        %c, %v = nv_tileaa.atomic_cas relaxed gpu %p0, %a, %zero token = %u : !nv_tileaa.ptr<i32>, i32, i32 -> i32, !nv_tileaa.mem_token
        %d, %w = nv_tileaa.atomic_rmw relaxed gpu add %p0, %seven token = %v : !nv_tileaa.ptr<i32>, i32 -> i32, !nv_tileaa.mem_token
        %e, %x = nv_tileaa.load weak %p0 token = %w : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
        %f = arith.muli %b, %seven : i32
        %g = arith.addi %f, %c : i32
        %h = arith.muli %g, %seven : i32
        %i = arith.addi %h, %e : i32
        %out0 = nv_tileaa.splat %i : i32 -> tensor<64xi32>""",
    ),
    "masked elements": Program(
        ("64xf32", "64xi32"),
        ("64xf32",),
        """%s = arith.constant 64 : i32
        %n = nv_tileaa.make_range %zero, %s : i32 -> tensor<64xi32>
        %zeros = nv_tileaa.splat %zero : i32 -> tensor<64xi32>
        %m = arith.cmpi sgt, %in1, %zeros : tensor<64xi32>
        %b = nv_tileaa.splat %p0 : !nv_tileaa.ptr<f32> -> tensor<64x!nv_tileaa.ptr<f32>>
        %q = nv_tileaa.addptr %b, %n : tensor<64x!nv_tileaa.ptr<f32>>, tensor<64xi32>
        %out0, %t = nv_tileaa.load weak %q mask = %m : tensor<64xi1> other = %in0 : tensor<64xf32> : tensor<64x!nv_tileaa.ptr<f32>> -> tensor<64xf32>, !nv_tileaa.mem_token
        %u = nv_tileaa.store weak %q, %out0 mask = %m : tensor<64xi1> : tensor<64x!nv_tileaa.ptr<f32>>, tensor<64xf32> -> !nv_tileaa.mem_token""",
    ),
}
