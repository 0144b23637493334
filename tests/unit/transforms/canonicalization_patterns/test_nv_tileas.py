"""When the patterns of `nv_tileas` apply, and each condition without which they must not."""

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriteWalker

from tileir_xdsl.analysis.values.reshape_groups import reshape_groups
from tileir_xdsl.dialects.nv_tileas.interfaces import TypeOnlyOpInterface
from tileir_xdsl.testing.tools import check, context, parse, run_passes, to_text
from tileir_xdsl.transforms.canonicalization_patterns.nv_tileas_loops import (
    DecomposeLoopIterArgs,
)


@irdl_op_definition
class ProduceTileOp(IRDLOperation, TypeOnlyOpInterface):
    """An op that wants a buffer for its type alone."""

    name = "test.produce_tile"

    buffer = operand_def()
    step = operand_def()
    tile = result_def()


def canonicalize(text: str) -> str:
    return to_text(run_passes(parse(text), "canonicalize"))


def parse_with_produce_tile(text: str) -> ModuleOp:
    ctx = context()
    ctx.load_op(ProduceTileOp)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


LOOP = """
%seed, %i0, %j0, %m, %n, %k0, %k1, %k_step, %i_k, %j_k = "test.op"() : () -> (tensor<?x?xf32>, index, index, index, index, index, index, index, index, index)
%init = nv_tileas.alloc_tensor : tensor<128x128xf32>
%init_v = nv_tileas.insert_slice %seed into %init[%i0, %j0][%m, %n][1, 1]
    : tensor<?x?xf32> into tensor<128x128xf32>
%out = scf.for %k = %k0 to %k1 step %k_step
    iter_args(%buf = %init_v) -> (tensor<128x128xf32>) {
    %step_v = "test.produce_tile"(%buf, %k) : (tensor<128x128xf32>, index) -> tensor<?x?xf32>
    %next = nv_tileas.insert_slice %step_v into %buf[%i_k, %j_k][%m, %n][1, 1]
        : tensor<?x?xf32> into tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
}
"""


def decomposed(text: str) -> str:
    module = parse_with_produce_tile(text)
    PatternRewriteWalker(DecomposeLoopIterArgs()).rewrite_module(module)
    module.verify()
    return to_text(module)


def test_loop_allocates_in_its_body():
    check(
        decomposed(LOOP),
        """
        // CHECK: scf.for %k = %k0 to %k1 step %k_step {
        // CHECK-NEXT: %[[ALLOC:.*]] = nv_tileas.alloc_tensor : tensor<128x128xf32>
        // CHECK-NEXT: %[[BUF:.*]] = nv_tileas.insert_slice %seed into %[[ALLOC]][%i0, %j0][%m, %n][1, 1] : tensor<?x?xf32> into tensor<128x128xf32>
        // CHECK-NEXT: %step_v = "test.produce_tile"(%[[BUF]], %k) : (tensor<128x128xf32>, index) -> tensor<?x?xf32>
        // CHECK-NEXT: nv_tileas.insert_slice %step_v into %[[BUF]][%i_k, %j_k][%m, %n][1, 1] : tensor<?x?xf32> into tensor<128x128xf32>
        // CHECK-NEXT: }
        """,
    )


def test_a_carried_tile_may_be_the_stages_of_a_pipeline():
    text = LOOP.replace(
        '%step_v = "test.produce_tile"(%buf, %k) : (tensor<128x128xf32>, index) -> tensor<?x?xf32>',
        """%p, %c = nv_tileas.async.pipeline.create_pipeline %buf {numStages = 128 : i32,
            producerGroupId = 0 : i8, consumerGroupId = 1 : i8} : tensor<128x128xf32>
            -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
        %step_v = "test.op"(%c) : (!nv_tileas.async.pipeline.consumer_token) -> tensor<?x?xf32>""",
    )
    check(
        decomposed(text),
        """
        // CHECK: scf.for %k = %k0 to %k1 step %k_step {
        // CHECK: %[[BUF:.*]] = nv_tileas.insert_slice %seed into
        // CHECK-NEXT: nv_tileas.async.pipeline.create_pipeline %[[BUF]]
        """,
    )


def test_a_rebuilt_loop_keeps_what_was_said_of_it():
    """Attributes, and where in the source it is."""
    text = LOOP.rstrip()
    assert text.endswith("}")
    module = parse_with_produce_tile(f'{text} {{sliceCount = 4 : i32}} loc("k.py":7:3)')
    PatternRewriteWalker(DecomposeLoopIterArgs()).rewrite_module(module)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert not loop.iter_args and loop.attributes == {"sliceCount": IntegerAttr(4, 32)}
    assert "k.py" in str(loop.location)


def test_other_values_stay_carried():
    text = LOOP.replace("iter_args(%buf = %init_v)", "iter_args(%sum = %m, %buf = %init_v)")
    text = text.replace("-> (tensor<128x128xf32>) {", "-> (index, tensor<128x128xf32>) {")
    text = text.replace("%out = scf", "%total, %out = scf")
    text = text.replace(
        "scf.yield %next : ",
        "%more = arith.addi %sum, %k : index\nscf.yield %more, %next : index, ",
    )
    check(
        decomposed(text + '"test.op"(%total) : (index) -> ()'),
        """
        // CHECK: %total = scf.for {{.*}} iter_args(%sum = %m) -> (index) {
        // CHECK: scf.yield %more : index
        // CHECK: "test.op"(%total)
        """,
    )


LOOPS_KEPT = {
    "the result is used": LOOP + '"test.op"(%out) : (tensor<128x128xf32>) -> ()',
    "the start is no allocation": LOOP.replace(
        "%init = nv_tileas.alloc_tensor : ", '%init = "test.op"() : () -> '
    ),
    "the chain to the start has an op whose order matters": LOOP.replace(
        "%out = scf",
        "%init_w = nv_tileas.copy %init_v : tensor<128x128xf32> -> tensor<128x128xf32>\n%out = scf",
    ).replace("%buf = %init_v", "%buf = %init_w"),
    "the chain in the body has an op whose order matters": LOOP.replace(
        "scf.yield %next",
        "%w = nv_tileas.copy %next : tensor<128x128xf32> -> tensor<128x128xf32>\nscf.yield %w",
    ),
    "what is yielded is not made of the carried tile": LOOP.replace("into %buf[", "into %init_v["),
    "the carried tile is yielded as it came": LOOP.replace("scf.yield %next", "scf.yield %buf"),
    "an op reads the carried tile": LOOP.replace(
        "scf.yield", '"test.op"(%buf) : (tensor<128x128xf32>) -> ()\nscf.yield'
    ),
    "a slice of the carried tile is read": LOOP.replace(
        "scf.yield",
        "%part = nv_tileas.extract_slice %buf[0, 0][1, 1][1, 1] : tensor<128x128xf32> to tensor<1x1xf32>\n"
        '"test.op"(%part) : (tensor<1x1xf32>) -> ()\nscf.yield',
    ),
    "the carried tile is inserted into itself": LOOP.replace(
        "scf.yield %next",
        "%moved = nv_tileas.insert_slice %buf into %next[%i_k, %j_k][128, 128][1, 1] :"
        " tensor<128x128xf32> into tensor<128x128xf32>\nscf.yield %moved",
    ),
    "an op reads what was inserted": LOOP.replace(
        "scf.yield", '"test.op"(%next) : (tensor<128x128xf32>) -> ()\nscf.yield'
    ),
}


@pytest.mark.parametrize("name", LOOPS_KEPT)
def test_loop_is_kept(name: str):
    text = LOOPS_KEPT[name]
    assert decomposed(text) == to_text(parse_with_produce_tile(text))


SLICE = """
%t, %n = "test.op"() : () -> (tensor<16x16xf32>, index)
%c0 = arith.constant 0 : index
%c4 = arith.constant 4 : index
%s = nv_tileas.extract_slice %t[%c0, %c0][%c4, %c4][1, 1] : tensor<16x16xf32> to tensor<?x?xf32>
"""


@pytest.mark.parametrize(
    "user",
    [
        "%u = nv_tileas.insert_slice %s into %t[0, 0][%n, %n][1, 1] : tensor<?x?xf32> into tensor<16x16xf32>\n"
        '"test.op"(%u) : (tensor<16x16xf32>) -> ()',
        '%u = arith.addf %s, %s : tensor<?x?xf32>\n"test.op"(%u) : (tensor<?x?xf32>) -> ()',
    ],
)
def test_user_that_needs_the_dynamic_type_gets_a_view(user: str):
    check(
        canonicalize(SLICE + user),
        """
        // CHECK: %s = nv_tileas.extract_slice %t[0, 0][4, 4][1, 1] : tensor<16x16xf32> to tensor<4x4xf32>
        // CHECK-NEXT: %[[V:.*]] = nv_tileas.view %s : tensor<4x4xf32> to tensor<?x?xf32>
        // CHECK-NEXT: %u = {{.*}} %[[V]]
        """,
    )


def test_a_static_slice_keeps_what_was_said_of_it():
    text = SLICE.replace("[1, 1] :", "[1, 1] {note = 7 : i32} :")
    after = canonicalize(text + '"test.op"(%s) : (tensor<?x?xf32>) -> ()')
    assert "[0, 0][4, 4][1, 1] {note = 7 : i32} :" in after


def test_terminator_gets_a_view():
    text = """
    %b, %t, %o = "test.op"() : () -> (i1, tensor<16x16xf32>, tensor<?xf32>)
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %r = scf.if %b -> (tensor<?xf32>) {
      %v = nv_tileas.view %t : tensor<16x16xf32> to tensor<256xf32>
      %s = nv_tileas.extract_slice %v[%c4][%c4][1] : tensor<256xf32> to tensor<?xf32>
      scf.yield %s : tensor<?xf32>
    } else {
      scf.yield %o : tensor<?xf32>
    }
    "test.op"(%r) : (tensor<?xf32>) -> ()
    """
    check(canonicalize(text), "// CHECK: nv_tileas.view {{.*}} : tensor<4xf32> to tensor<?xf32>")


USE = '\n"test.op"(%s) : (tensor<?x?xf32>) -> ()'

SLICES_KEPT = {
    "a size is not known": SLICE.replace("[%c4, %c4]", "[%c4, %n]") + USE,
    "an offset is negative": SLICE.replace("constant 0 ", "constant -1 ") + USE,
    "it reaches out of the tile": SLICE.replace("constant 0 ", "constant 13 ") + USE,
    "it is static": """
    %t, %n = "test.op"() : () -> (tensor<16x16xf32>, index)
    %s = nv_tileas.extract_slice %t[%n, 0][4, 4][1, 1] : tensor<16x16xf32> to tensor<4x4xf32>
    "test.op"(%s) : (tensor<4x4xf32>) -> ()
    """,
}


@pytest.mark.parametrize("name", SLICES_KEPT)
def test_slice_is_kept(name: str):
    assert canonicalize(SLICES_KEPT[name]) == to_text(parse(SLICES_KEPT[name]))


PAIR = """
%x, %d, %i, %n, %b = "test.op"() : () -> (tensor<?xf32>, tensor<16xf32>, index, index, i1)
%t = nv_tileas.insert_slice %x into %d[%i][%n][1] : tensor<?xf32> into tensor<16xf32>
%y = nv_tileas.extract_slice %t[%i][%n][1] : tensor<16xf32> to tensor<?xf32>
"test.op"(%y) : (tensor<?xf32>) -> ()
"""

INSERT = "%t = nv_tileas.insert_slice"
EXTRACT = "%y = nv_tileas.extract_slice"

PAIRS_KEPT = {
    "offsets differ": PAIR.replace("slice %t[%i]", "slice %t[%n]"),
    "sizes differ": PAIR.replace("slice %t[%i][%n]", "slice %t[%i][%i]"),
    "strides differ": PAIR.replace(f"{EXTRACT} %t[%i][%n][1]", f"{EXTRACT} %t[%i][%n][2]"),
    "types differ": """
    %x, %d = "test.op"() : () -> (tensor<?xf32>, tensor<16xf32>)
    %c4 = arith.constant 4 : index
    %t = nv_tileas.insert_slice %x into %d[0][%c4][1] : tensor<?xf32> into tensor<16xf32>
    %y = nv_tileas.extract_slice %t[0][4][1] : tensor<16xf32> to tensor<4xf32>
    "test.op"(%y) : (tensor<4xf32>) -> ()
    """,
    "another slice is inserted between": PAIR.replace(
        EXTRACT,
        "%u = nv_tileas.insert_slice %x into %t[%n][%n][1] : tensor<?xf32> into tensor<16xf32>\n"
        f'"test.op"(%u) : (tensor<16xf32>) -> ()\n{EXTRACT}',
    ),
    "another slice is extracted between": PAIR.replace(
        EXTRACT,
        "%u = nv_tileas.extract_slice %d[%n][%n][1] : tensor<16xf32> to tensor<?xf32>\n"
        f'"test.op"(%u) : (tensor<?xf32>) -> ()\n{EXTRACT}',
    ),
    "an op whose order matters is between": PAIR.replace(
        f"{EXTRACT} %t", f"%w = nv_tileas.copy %t : tensor<16xf32> -> tensor<16xf32>\n{EXTRACT} %w"
    ),
    "they are in two blocks": """
    %x, %d, %i, %n, %b = "test.op"() : () -> (tensor<?xf32>, tensor<16xf32>, index, index, i1)
    %t = nv_tileas.insert_slice %x into %d[%i][%n][1] : tensor<?xf32> into tensor<16xf32>
    scf.if %b {
      %y = nv_tileas.extract_slice %t[%i][%n][1] : tensor<16xf32> to tensor<?xf32>
      "test.op"(%y) : (tensor<?xf32>) -> ()
    }
    """,
}


@pytest.mark.parametrize("name", PAIRS_KEPT)
def test_extract_from_insert_is_kept(name: str):
    assert canonicalize(PAIRS_KEPT[name]) == to_text(parse(PAIRS_KEPT[name]))


def test_slices_are_equal_as_constants():
    text = """
    %x, %d, %i = "test.op"() : () -> (tensor<4xf32>, tensor<16xf32>, index)
    %c8 = arith.constant 8 : index
    %t = nv_tileas.insert_slice %x into %d[8][4][1] : tensor<4xf32> into tensor<16xf32>
    %y = nv_tileas.extract_slice %t[%c8][4][1] : tensor<16xf32> to tensor<4xf32>
    "test.op"(%y) : (tensor<4xf32>) -> ()
    """
    check(canonicalize(text), '// CHECK: "test.op"(%x) : (tensor<4xf32>) -> ()')


def view_of(source: str, viewed: str, place: str, result: str, more: str = "") -> str:
    return (
        f'%x, %i = "test.op"() : () -> (tensor<{source}xf32>, index)\n'
        f"%v = nv_tileas.view %x {more}: tensor<{source}xf32> to tensor<{viewed}xf32>\n"
        f"%s = nv_tileas.extract_slice %v{place} : tensor<{viewed}xf32> to tensor<{result}xf32>\n"
        f'"test.op"(%s) : (tensor<{result}xf32>) -> ()\n'
    )


@pytest.mark.parametrize(
    ("text", "slice_text"),
    [
        (
            view_of("8x4x16", "32x16", "[0, %i][32, 4][1, 2]", "32x4"),
            "extract_slice %x[0, 0, %i][8, 4, 4][1, 1, 2] : tensor<8x4x16xf32> to tensor<8x4x4xf32>",
        ),
        (
            view_of("32x16", "32x1x16x1", "[%i, 0, 0, 0][4, 1, 8, 1][1, 1, 1, 1]", "4x1x8x1"),
            "extract_slice %x[%i, 0][4, 8][1, 1] : tensor<32x16xf32> to tensor<4x8xf32>",
        ),
        (
            view_of("1x32", "32", "[%i][4][1]", "4"),
            "extract_slice %x[0, %i][1, 4][1, 1] : tensor<1x32xf32> to tensor<1x4xf32>",
        ),
        (
            view_of("32", "?", "[%i][%i][1]", "?"),
            "extract_slice %x[%i][%i][1] : tensor<32xf32> to tensor<?xf32>",
        ),
    ],
)
def test_slice_comes_before_the_view(text: str, slice_text: str):
    check(canonicalize(text), f"// CHECK: {slice_text.replace('[[', '[ [')}")


VIEWS_KEPT = {
    "the view starts at an offset": view_of("32", "16", "[%i][4][1]", "4", "{offset = 16} "),
    "a group of dimensions is cut": view_of("8x4", "32", "[%i][4][1]", "4"),
    "one dimension becomes two": view_of("32", "8x4", "[%i, 0][2, 4][1, 1]", "2x4"),
    "dimensions are grouped otherwise": view_of("8x4", "4x8", "[%i, 0][2, 8][1, 1]", "2x8"),
    "the tile has an encoding": """
    %x, %i = "test.op"() : () -> (tensor<32xf32, #nv_tileas.memory<smem>>, index)
    %v = nv_tileas.view %x : tensor<32xf32, #nv_tileas.memory<smem>> to tensor<1x32xf32, #nv_tileas.memory<smem>>
    %s = nv_tileas.extract_slice %v[0, %i][1, 4][1, 1] : tensor<1x32xf32, #nv_tileas.memory<smem>> to tensor<1x4xf32>
    "test.op"(%s) : (tensor<1x4xf32>) -> ()
    """,
    "an op whose order matters is between": """
    %x, %i = "test.op"() : () -> (tensor<32xf32>, index)
    %v = nv_tileas.view %x : tensor<32xf32> to tensor<1x32xf32>
    %w = nv_tileas.copy %v : tensor<1x32xf32> -> tensor<1x32xf32>
    %s = nv_tileas.extract_slice %w[0, %i][1, 4][1, 1] : tensor<1x32xf32> to tensor<1x4xf32>
    "test.op"(%s) : (tensor<1x4xf32>) -> ()
    """,
}


@pytest.mark.parametrize("name", VIEWS_KEPT)
def test_view_stays_before_the_slice(name: str):
    assert canonicalize(VIEWS_KEPT[name]) == to_text(parse(VIEWS_KEPT[name]))


def test_groups_of_a_reshape():
    assert reshape_groups((8, 4, 16), (32, 16)) == [([0, 1], [0]), ([2], [1])]
    assert reshape_groups((6, 4), (4, 6)) == [([0, 1], [0, 1])]
    assert reshape_groups((8,), (1, 8)) == [([0], [0, 1])]
    assert reshape_groups((8, 1), (8,)) == [([0], [0]), ([1], [])]


BRANCH = """
%cond, %a, %b, %i = "test.op"() : () -> (i1, tensor<8xf32>, tensor<8xf32>, index)
%init = nv_tileas.alloc_tensor : tensor<16xf32>
%r = scf.if %cond -> (tensor<16xf32>) {
  %v = nv_tileas.insert_slice %a into %init[%i][8][1] : tensor<8xf32> into tensor<16xf32>
  scf.yield %v : tensor<16xf32>
} else {
  %v = nv_tileas.insert_slice %b into %init[%i][8][1] : tensor<8xf32> into tensor<16xf32>
  scf.yield %v : tensor<16xf32>
}
"""
USED = BRANCH + '"test.op"(%r) : (tensor<16xf32>) -> ()\n'

COPY = "nv_tileas.copy %v : tensor<16xf32> -> tensor<16xf32>"

BRANCHES_KEPT = {
    "the allocations differ": USED.replace(
        "%r = scf", "%other = nv_tileas.alloc_tensor : tensor<16xf32>\n%r = scf"
    ).replace("%b into %init", "%b into %other"),
    "the allocation is used after": USED + '"test.op"(%init) : (tensor<16xf32>) -> ()\n',
    "the allocation is used before": USED.replace(
        "%r = scf", '"test.op"(%init) : (tensor<16xf32>) -> ()\n%r = scf'
    ),
    "a chain has an op whose order matters": USED.replace(
        "scf.yield %v", f"%w = {COPY}\n  scf.yield %w", 1
    ),
    "a chain starts elsewhere": USED.replace(
        "%init = nv_tileas.alloc_tensor : ", '%init = "test.op"() : () -> '
    ),
    "an arm allocates for itself": USED.replace(
        "} else {", "} else {\n  %own = nv_tileas.alloc_tensor : tensor<16xf32>"
    ).replace("%b into %init", "%b into %own"),
    "nothing is inserted": """
    %cond = "test.op"() : () -> i1
    %init = nv_tileas.alloc_tensor : tensor<16xf32>
    %r = scf.if %cond -> (tensor<16xf32>) {
      "test.op"() : () -> ()
      scf.yield %init : tensor<16xf32>
    } else {
      scf.yield %init : tensor<16xf32>
    }
    "test.op"(%r) : (tensor<16xf32>) -> ()
    """,
}


@pytest.mark.parametrize("name", BRANCHES_KEPT)
def test_branch_is_kept(name: str):
    assert canonicalize(BRANCHES_KEPT[name]) == to_text(parse(BRANCHES_KEPT[name]))


SLICED = (
    BRANCH
    + "%s = nv_tileas.extract_slice %r[%i][4][1] : tensor<16xf32> to tensor<4xf32>\n"
    + '"test.op"(%s) : (tensor<4xf32>) -> ()\n'
)

EXTRACTIONS_KEPT = {
    "the result has another user": SLICED + '"test.op"(%r) : (tensor<16xf32>) -> ()\n',
    "slices differ": SLICED
    + "%u = nv_tileas.extract_slice %r[0][4][1] : tensor<16xf32> to tensor<4xf32>\n"
    + '"test.op"(%u) : (tensor<4xf32>) -> ()\n',
    "the place is known only after the branch": SLICED.replace(
        "%s = nv", '%late = "test.op"() : () -> index\n%s = nv'
    ).replace("%r[%i]", "%r[%late]"),
    "the arms' tiles are not of one allocation": SLICED.replace(
        "%init = nv_tileas.alloc_tensor : ", '%init = "test.op"() : () -> '
    ),
    "a chain has an op whose order matters": SLICED.replace(
        "scf.yield %v", f"%w = {COPY}\n  scf.yield %w", 1
    ),
}


@pytest.mark.parametrize("name", EXTRACTIONS_KEPT)
def test_extraction_stays_after_the_branch(name: str):
    check(
        canonicalize(EXTRACTIONS_KEPT[name]),
        "// CHECK: scf.if %cond -> (tensor<16xf32>) {\n// CHECK: %s = nv_tileas.extract_slice %r[",
    )


def test_equal_slices_become_one():
    text = SLICED + (
        "%u = nv_tileas.extract_slice %r[%i][4][1] : tensor<16xf32> to tensor<4xf32>\n"
        '"test.op"(%u) : (tensor<4xf32>) -> ()\n'
    )
    result = canonicalize(text)
    assert result.count("extract_slice") == 2
    check(
        result, '// CHECK: "test.op"(%[[R:.*]]) : (tensor<4xf32>)\n// CHECK-NEXT: "test.op"(%[[R]])'
    )


NEST = """
%x, %n = "test.op"() : () -> (tensor<16x8xf32>, index)
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
scf.for %i = %c0 to %n step %c1 {
  scf.for %j = %c0 to %c8 step %c1 {
    %s = nv_tileas.extract_slice %x[%i, %j][1, 1][1, 1] : tensor<16x8xf32> to tensor<1x1xf32>
    "test.op"(%s) : (tensor<1x1xf32>) -> ()
  }
}
"""

NESTS_KEPT = {
    "the outer body has another op": NEST.replace(
        "  scf.for %j", '  "test.op"() : () -> ()\n  scf.for %j'
    ),
    "an op follows the inner loop": NEST.replace("  }\n}", '  }\n  "test.op"() : () -> ()\n}'),
    "the inner bound is not known": NEST.replace("to %c8 step", "to %n step"),
    "the inner loop does not run": NEST.replace("to %c8 step", "to %c0 step"),
    "an op's order matters": NEST.replace(
        '"test.op"(%s)', 'nv_tileas.fence acq_rel gpu\n"test.op"(%s)'
    ),
    "a loop has attributes": NEST.replace("  }\n}", "  } {sliceCount = 2 : i32}\n}"),
    "the inner loop carries a value": NEST.replace(
        "scf.for %j = %c0 to %c8 step %c1 {",
        "%r = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %n) -> (index) {",
    ).replace("-> ()\n  }", "-> ()\n    scf.yield %j : index\n  }"),
    "the outer loop carries a value": NEST.replace(
        "scf.for %i = %c0 to %n step %c1 {",
        "%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %n) -> (index) {",
    ).replace("  }\n}", '  }\n  scf.yield %a : index\n}\n"test.op"(%r) : (index) -> ()'),
    "no op is of this dialect": NEST.replace(
        "%s = nv_tileas.extract_slice %x[%i, %j][1, 1][1, 1] : tensor<16x8xf32> to tensor<1x1xf32>\n",
        "",
    ).replace('"test.op"(%s) : (tensor<1x1xf32>)', '"test.op"(%i, %j) : (index, index)'),
}


@pytest.mark.parametrize("name", NESTS_KEPT)
def test_nest_is_kept(name: str):
    result = canonicalize(NESTS_KEPT[name])
    assert "divsi" not in result
    if name not in ("the inner loop does not run", "the outer loop carries a value"):
        assert result.count("scf.for") == 2


def test_loops_of_known_length():
    text = NEST.replace("to %n step", "to %c8 step").replace(
        "%c0 to %c8 step %c1 {\n    %s", "%c1 to %c8 step %c1 {\n    %s"
    )
    check(
        canonicalize(text),
        """
        // CHECK-DAG: %[[N:.*]] = arith.constant 56 : index
        // CHECK-DAG: %[[INNER:.*]] = arith.constant 7 : index
        // CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[N]] step
        // CHECK: arith.divsi %[[K]], %[[INNER]]
        // CHECK: arith.remsi %[[K]], %[[INNER]]
        """,
    )
