"""Each rule by which conversions go, and each reason for which one stays."""

import json
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.utils.exceptions import PassFailedException, VerifyException

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.testing import tools

ALIASES = """
#a = #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>
#b = #nv_tileas.layout<(2, 32, 4, 1), (128, 1, 32, 0)>
#c = #nv_tileas.layout<(2, (4, 8), 4, 1), (4, (1, 8), 64, 0)>
#rows = #nv_tileas.layout<(2, 32, 4, 1), (1, 2, 64, 0)>
#columns = #nv_tileas.layout<(2, (8, 4), 4, 1), (16, (32, 1), 4, 0)>
#smem = #nv_tileas.memory<smem>
#plain = #nv_tileas.memory<smem, <(128, 64), (64, 1)>>
#swizzled = #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>
"""


def convert(result: str, source: str, types: str, shape: str = "256xf32") -> str:
    """A conversion; `types` are two names of layouts."""
    first, second = types.split()
    return (
        f"{result} = nv_tileas.convert_layout {source} : "
        f"tensor<{shape}, {first}> -> tensor<{shape}, {second}>"
    )


def run(text: str, options: str = "") -> str:
    module = tools.parse(ALIASES + text)
    return tools.to_text(tools.run_passes(module, f"tileas-remove-layout-conversions{options}"))


def conversions(text: str) -> int:
    return text.count("convert_layout")


X = '%x = "test.op"() : () -> tensor<256xf32, #a>\n'
Y = '%y = "test.op"() : () -> tensor<256xf32, #b>\n'
FLAG = '%flag = "test.op"() : () -> i1\n'
BOUNDS = '%c0, %c1, %n = "test.op"() : () -> (index, index, index)\n'


def use(value: str, layout: str) -> str:
    return f'"test.op"({value}) : (tensor<256xf32, {layout}>) -> ()\n'


REMOVED = {
    "to the layout that is there": X + convert("%c", "%x", "#a #a") + "\n" + use("%c", "#a"),
    "of a buffer to the layout that is there": """
        %x = "test.op"() : () -> tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #plain>
        "test.op"(%c) : (tensor<128x64xf16, #plain>) -> ()""",
    "without a user": X + convert("%c", "%x", "#a #b"),
    "there and back": f"""
        {X}
        {convert("%c", "%x", "#a #b")}
        {convert("%d", "%c", "#b #a")}
        {use("%d", "#a")}""",
    "around elementwise ops": f"""
        {X}
        {convert("%c", "%x", "#a #b")}
        %s = nv_tileaa.addf %c, %c : tensor<256xf32, #b>
        %e = nv_tileaa.exp %s : tensor<256xf32, #b>
        {convert("%d", "%e", "#b #a")}
        {use("%d", "#a")}""",
    "around a comparison and a selection": f"""
        {X}
        {convert("%c", "%x", "#a #b")}
        %p = arith.cmpf ogt, %c, %c : tensor<256xf32, #b>
        %s = arith.select %p, %c, %c : tensor<256xi1, #b>, tensor<256xf32, #b>
        {convert("%d", "%s", "#b #a")}
        {use("%d", "#a")}""",
    "of a constant": f"""
        %k = arith.constant dense<1.0> : tensor<256xf32, #b>
        {convert("%c", "%k", "#b #a")}
        {use("%k", "#b")}
        {use("%c", "#a")}""",
    "of a range and what is computed of it": """
        %s = "test.op"() : () -> i32
        %r = nv_tileaa.make_range %s, %s : i32 -> tensor<256xi32, #b>
        %t = nv_tileaa.splat %s : i32 -> tensor<256xi32, #b>
        %i = arith.addi %r, %t : tensor<256xi32, #b>
        %c = nv_tileas.convert_layout %i : tensor<256xi32, #b> -> tensor<256xi32, #a>
        "test.op"(%i) : (tensor<256xi32, #b>) -> ()
        "test.op"(%c) : (tensor<256xi32, #a>) -> ()""",
    "around a view": f"""
        {X}
        {convert("%c", "%x", "#a #b")}
        %v = nv_tileas.view %c : tensor<256xf32, #b> to tensor<16x16xf32, #b>
        %w = nv_tileas.convert_layout %v : tensor<16x16xf32, #b> -> tensor<16x16xf32, #a>
        "test.op"(%w) : (tensor<16x16xf32, #a>) -> ()""",
    "around a transposition": """
        %x = "test.op"() : () -> tensor<16x16xf32, #rows>
        %c = nv_tileas.convert_layout %x : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #columns>
        %t = nv_tileaa.permute %c {permutation = array<i32: 1, 0>} : tensor<16x16xf32, #columns> -> tensor<16x16xf32, #nv_tileas.layout<(2, (8, 4), 4, 1), (1, (2, 16), 64, 0)>>
        %d = nv_tileas.convert_layout %t : tensor<16x16xf32, #nv_tileas.layout<(2, (8, 4), 4, 1), (1, (2, 16), 64, 0)>> -> tensor<16x16xf32, #nv_tileas.layout<(2, (8, 4), 4, 1), (16, (32, 1), 4, 0)>>
        "test.op"(%d) : (tensor<16x16xf32, #columns>) -> ()""",
    "of a load without an assigned layout": f"""
        %m = "test.op"() : () -> memref<256xf32, #smem>
        %x = nv_tileas.tiled_load %m : memref<256xf32, #smem> -> tensor<256xf32, #a>
        {convert("%c", "%x", "#a #b")}
        {use("%c", "#b")}""",
    "through a branch": f"""
        {X}{Y}{FLAG}
        {convert("%c", "%x", "#a #b")}
        %r = scf.if %flag -> (tensor<256xf32, #b>) {{
          %s = nv_tileaa.addf %c, %c : tensor<256xf32, #b>
          scf.yield %s : tensor<256xf32, #b>
        }} else {{
          scf.yield %c : tensor<256xf32, #b>
        }}
        {convert("%d", "%r", "#b #a")}
        {use("%d", "#a")}""",
    "carried by a loop": f"""
        {X}{BOUNDS}
        {convert("%c", "%x", "#a #b")}
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %c) -> (tensor<256xf32, #b>) {{
          {convert("%w", "%v", "#b #a")}
          {use("%w", "#a")}
          %s = nv_tileaa.addf %v, %v : tensor<256xf32, #b>
          scf.yield %s : tensor<256xf32, #b>
        }}
        {convert("%d", "%r", "#b #a")}
        {use("%d", "#a")}""",
    "carried by a while loop": f"""
        {X}{FLAG}
        {convert("%c", "%x", "#a #b")}
        %r = scf.while (%v = %c) : (tensor<256xf32, #b>) -> tensor<256xf32, #b> {{
          %s = nv_tileaa.addf %v, %v : tensor<256xf32, #b>
          scf.condition(%flag) %s : tensor<256xf32, #b>
        }} do {{
        ^bb0(%u: tensor<256xf32, #b>):
          {convert("%w", "%u", "#b #a")}
          {use("%w", "#a")}
          scf.yield %u : tensor<256xf32, #b>
        }}
        {convert("%d", "%r", "#b #a")}
        {use("%d", "#a")}""",
    "by way of another memory and back": f"""
        {X}
        {convert("%c", "%x", "#a #smem")}
        {convert("%d", "%c", "#smem #a")}
        {use("%d", "#a")}""",
    "around a pragma": f"""
        {X}
        %r = nv_tileas.pragma : tensor<256xf32, #b> {{
          {convert("%c", "%x", "#a #b")}
          nv_tileas.yield %c : tensor<256xf32, #b>
        }}
        {convert("%d", "%r", "#b #a")}
        {use("%d", "#a")}""",
}  # fmt: skip


@pytest.mark.parametrize("case", REMOVED)
def test_a_conversion_goes(case: str):
    assert conversions(run(REMOVED[case])) == 0


KEPT = {
    "between fixed layouts": X + convert("%c", "%x", "#a #b") + "\n" + use("%c", "#b"),
    "a result that is used in both layouts": f"""
        {X}
        %s = nv_tileaa.addf %x, %x : tensor<256xf32, #a>
        {convert("%c", "%s", "#a #b")}
        {use("%s", "#a")}
        {use("%c", "#b")}""",
    "after a load with an assigned layout": f"""
        %m = "test.op"() : () -> memref<256xf32, #smem>
        %x = nv_tileas.tiled_load %m {{atom = #nv_tileas<atom lds_32>, nv_tileas.layout = <(2, 32, 4, 1), (1, 2, 64, 0)>}} : memref<256xf32, #smem> -> tensor<256xf32, #a>
        {convert("%c", "%x", "#a #b")}
        {use("%c", "#b")}""",
    "from registers to shared memory": f"""
        {X}
        {convert("%c", "%x", "#a #smem")}
        {use("%c", "#smem")}""",
    "from shared to tensor memory": """
        %x = nv_tileas.alloc_tensor : tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #nv_tileas.memory<tmem>>
        "test.op"(%c) : (tensor<128x64xf16, #nv_tileas.memory<tmem>>) -> ()""",
    "behind a fence, of what is made before it": f"""
        {X}
        %s = nv_tileaa.addf %x, %x : tensor<256xf32, #a>
        %t = nv_tileaa.addf %s, %s : tensor<256xf32, #a>
        nv_tileas.fence acq_rel gpu
        {convert("%c", "%t", "#a #b")}
        {use("%c", "#b")}""",
    "before a fence, of what is used behind it": f"""
        {X}
        {convert("%c", "%x", "#a #b")}
        nv_tileas.fence acq_rel gpu
        %s = nv_tileaa.addf %c, %c : tensor<256xf32, #b>
        {convert("%d", "%s", "#b #a")}
        {use("%d", "#a")}""",
    "behind a wait": f"""
        {X}
        %w = "test.op"() : () -> !nv_tileas.async_token
        %s = nv_tileaa.addf %x, %x : tensor<256xf32, #a>
        nv_tileas.async.wait %w : !nv_tileas.async_token
        {convert("%c", "%s", "#a #b")}
        {use("%c", "#b")}""",
    "carried by a loop with a fence": f"""
        {X}{BOUNDS}
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<256xf32, #a>) {{
          {convert("%w", "%v", "#a #b")}
          nv_tileas.fence acq_rel gpu
          %s = nv_tileaa.addf %v, %v : tensor<256xf32, #a>
          {use("%w", "#b")}
          scf.yield %s : tensor<256xf32, #a>
        }}
        {use("%r", "#a")}""",
    "of a buffer that fills by a load with an assigned layout": """
        %m = "test.op"() : () -> memref<128x64xf16, #smem>
        %x = nv_tileas.tiled_load %m {nv_tileas.layout = <(128, 64), (64, 1)>} : memref<128x64xf16, #smem> -> tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #swizzled>
        "test.op"(%c) : (tensor<128x64xf16, #swizzled>) -> ()""",
    "of a buffer with a user that wants its layout": """
        %m = "test.op"() : () -> memref<128x64xf16, #smem>
        %x = nv_tileas.tiled_load %m : memref<128x64xf16, #smem> -> tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #swizzled>
        "test.op"(%x) : (tensor<128x64xf16, #plain>) -> ()
        "test.op"(%c) : (tensor<128x64xf16, #swizzled>) -> ()""",
    "of a buffer that somebody else makes": """
        %x = "test.op"() : () -> tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #swizzled>
        "test.op"(%c) : (tensor<128x64xf16, #swizzled>) -> ()""",
    "of a buffer that is used behind a fence": """
        %m = "test.op"() : () -> memref<128x64xf16, #smem>
        %x = nv_tileas.tiled_load %m : memref<128x64xf16, #smem> -> tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #swizzled>
        nv_tileas.fence acq_rel gpu
        "test.op"(%c) : (tensor<128x64xf16, #swizzled>) -> ()""",
    "of a buffer behind a fence": """
        %m = "test.op"() : () -> memref<128x64xf16, #smem>
        %x = nv_tileas.tiled_load %m : memref<128x64xf16, #smem> -> tensor<128x64xf16, #plain>
        nv_tileas.fence acq_rel gpu
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #swizzled>
        "test.op"(%c) : (tensor<128x64xf16, #swizzled>) -> ()""",
    "by way of another memory": f"""
        {X}
        {convert("%c", "%x", "#a #smem")}
        {convert("%d", "%c", "#smem #b")}
        {use("%d", "#b")}""",
    "given to agents": f"""
        {X}
        {convert("%c", "%x", "#a #b")}
        nv_tileas.async.pipeline.agent_switch %c {{num_agents_per_group = 1 : i32}} : (tensor<256xf32, #b>) {{
        ^bb0(%v: tensor<256xf32, #b>):
          {convert("%w", "%v", "#b #a")}
          {use("%w", "#a")}
          nv_tileas.async.pipeline.yield
        }}""",
}  # fmt: skip


@pytest.mark.parametrize("case", KEPT)
def test_a_conversion_stays(case: str):
    before = tools.to_text(tools.parse(ALIASES + KEPT[case]))
    assert run(KEPT[case]) == before


def test_behind_a_fence_nothing_is_made_again_of_what_is_before_it():
    """So the sum follows the layout of a neighbour: of two conversions one is left."""
    text = """
        %s = "test.op"() : () -> i32
        %r = nv_tileaa.make_range %s, %s : i32 -> tensor<256xi32, #b>
        nv_tileas.fence acq_rel gpu
        %d = nv_tileas.convert_layout %r : tensor<256xi32, #b> -> tensor<256xi32, #a>
        %i = arith.addi %d, %d : tensor<256xi32, #a>
        %c = nv_tileas.convert_layout %i : tensor<256xi32, #a> -> tensor<256xi32, #c>
        "test.op"(%c) : (tensor<256xi32, #c>) -> ()"""
    assert conversions(run(text)) == 1
    assert conversions(run(text.replace("nv_tileas.fence acq_rel gpu", ""))) == 0


def test_a_chain_becomes_one_conversion():
    text = f"""
        {X}
        {convert("%c", "%x", "#a #b")}
        {convert("%d", "%c", "#b #c")}
        {use("%d", "#c")}"""
    tools.check(
        run(text),
        """
        // CHECK: %d = nv_tileas.convert_layout %x :
        // CHECK-NEXT: "test.op"(%d)
        """,
    )
    assert conversions(run(text)) == 1


def test_two_conversions_to_one_layout_become_one():
    text = f"""
        {X}{FLAG}
        scf.if %flag {{
          {convert("%c", "%x", "#a #b")}
          {use("%c", "#b")}
        }} else {{
          {convert("%d", "%x", "#a #b")}
          {use("%d", "#b")}
        }}"""
    result = run(text)
    assert conversions(result) == 1
    tools.check(
        result,
        """
        // CHECK: %c = nv_tileas.convert_layout %x
        // CHECK-NEXT: scf.if %flag {
        """,
    )


def test_a_conversion_leaves_a_loop_that_does_not_change_its_source():
    text = f"""
        {X}{BOUNDS}
        scf.for %i = %c0 to %n step %c1 {{
          {convert("%c", "%x", "#a #b")}
          {use("%c", "#b")}
        }}"""
    tools.check(
        run(text),
        """
        // CHECK: %c = nv_tileas.convert_layout %x
        // CHECK-NEXT: scf.for
        // CHECK-NEXT: "test.op"(%c)
        """,
    )


def test_a_loop_carries_the_layout_of_its_body():
    """One conversion in the body and one behind it become one before the loop."""
    text = f"""
        {X}{BOUNDS}
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<256xf32, #a>) {{
          {convert("%c", "%v", "#a #b")}
          {use("%c", "#b")}
          %s = nv_tileaa.addf %v, %v : tensor<256xf32, #a>
          scf.yield %s : tensor<256xf32, #a>
        }}
        {convert("%d", "%r", "#a #b")}
        {use("%d", "#b")}"""
    result = run(text)
    assert conversions(result) == 1
    tools.check(
        result,
        """
        // CHECK: %[[C:.*]] = nv_tileas.convert_layout %x
        // CHECK-NEXT: %r = scf.for {{.*}} iter_args(%v = %[[C]])
        // CHECK-NEXT: "test.op"(%v)
        """,
    )


def test_of_two_places_the_one_outside_of_the_loop_is_taken():
    text = f"""
        {X}{BOUNDS}
        scf.for %i = %c0 to %n step %c1 {{
          %s = nv_tileaa.addf %x, %x : tensor<256xf32, #a>
          {convert("%c", "%s", "#a #b")}
          {use("%c", "#b")}
        }}"""
    tools.check(
        run(text),
        """
        // CHECK: %[[C:.*]] = nv_tileas.convert_layout %x
        // CHECK-NEXT: scf.for
        // CHECK-NEXT: %s = nv_tileaa.addf %[[C]], %[[C]] :
        // CHECK-NEXT: "test.op"(%s)
        """,
    )


def test_other_users_of_a_buffer_get_a_fresh_view():
    text = """
        %m = "test.op"() : () -> memref<128x64xf16, #smem>
        %x = nv_tileas.tiled_load %m : memref<128x64xf16, #smem> -> tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #swizzled>
        %r = nv_tileas.tiled_load %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16>
        "test.op"(%c, %r) : (tensor<128x64xf16, #swizzled>, tensor<128x64xf16>) -> ()
        """
    tools.check(
        run(text),
        """
        // CHECK: %x = nv_tileas.tiled_load %m : {{.*}} -> [[T:tensor<.*swizzle<3, 4, 3>>>>]]
        // CHECK-NEXT: %[[V:.*]] = nv_tileas.view %x : [[T]]
        // CHECK-NEXT: %r = nv_tileas.tiled_load %[[V]] : [[T]] ->
        // CHECK-NEXT: "test.op"(%x, %r) : ([[T]],
        """,
    )


VIEW = "!nv_tileaa.tiled_view<128x64xf16, !nv_tileaa.memref<256x256xf16, strides = [256, 1]>>"


def _load_by_tma(assigned: str, wanted: str) -> str:
    atom = f"{{atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = {assigned}}}"
    given = f"tensor<128x64xf16, #nv_tileas.memory<smem, {assigned}>>"
    return f"""
        %m, %i = "test.op"() : () -> ({VIEW}, i32)
        %x = nv_tileas.tiled_load weak %m[%i, %i] {atom} : {VIEW}[i32, i32] -> {given}
        %c = nv_tileas.convert_layout %x : {given} -> tensor<128x64xf16, {wanted}>
        "test.op"(%c) : (tensor<128x64xf16, {wanted}>) -> ()"""


def test_a_load_by_tma_fills_its_buffer_by_other_boxes():
    text = run(_load_by_tma("<(128, 64), (64, 1)>", "#swizzled"))
    tools.check(
        text,
        """
        // CHECK: tiled_load {{.*}}nv_tileas.layout = <(128, 64), (64, 1), swizzle<3, 4, 3>>
        // CHECK-SAME: -> tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>>
        // CHECK-NEXT: "test.op"(%x)
        """,
    )


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param("<(128, 64), (1, 128)>", id="of another order of dimensions"),
        pytest.param("<(128, 64), (72, 1)>", id="that boxes do not leave"),
    ],
)
def test_a_load_by_tma_keeps_its_layout_for_one(wanted: str):
    text = _load_by_tma("<(128, 64), (64, 1)>", f"#nv_tileas.memory<smem, {wanted}>")
    assert conversions(run(text)) == 1


def test_a_view_leaves_the_layout_open_where_it_was():
    text = """
        %x = nv_tileas.alloc_tensor : tensor<128x64xf16, #smem>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #smem> -> tensor<128x64xf16, #swizzled>
        "test.op"(%x) : (tensor<128x64xf16, #smem>) -> ()
        "test.op"(%c) : (tensor<128x64xf16, #swizzled>) -> ()
        """
    tools.check(
        run(text),
        """
        // CHECK: %x = nv_tileas.alloc_tensor : tensor<{{.*}}swizzle<3, 4, 3>>>>
        // CHECK-NEXT: nv_tileas.view %x : {{.*}} to tensor<128x64xf16, #nv_tileas.memory<smem>>
        // CHECK-NOT: convert_layout
        """,
    )


PIPELINE = """
%view = "test.op"() : () -> tensor<{depth}x256xf32, #smem>
%p, %k = nv_tileas.async.pipeline.create_pipeline %view {{numStages = {depth} : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8}} : tensor<{depth}x256xf32, #smem> -> !nv_tileas.async.pipeline.producer_token, !nv_tileas.async.pipeline.consumer_token
%i = nv_tileas.async.pipeline.create_iterator %k : !nv_tileas.async.pipeline.consumer_token -> !nv_tileas.async.pipeline.iterator<tensor<256xf32, #smem>>
%k1, %v = nv_tileas.async.pipeline.consume_one %k, %i {{consumer_idx = 0 : i32, consumer_types = [tensor<256xf32, #smem>]}} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<tensor<256xf32, #smem>>) -> (!nv_tileas.async.pipeline.consumer_token, tensor<256xf32, #b>) {{
^bb0(%s: tensor<256xf32, #smem>):
  %x = "test.op"(%s) : (tensor<256xf32, #smem>) -> tensor<256xf32, #a>
  %c = nv_tileas.convert_layout %x : tensor<256xf32, #a> -> tensor<256xf32, #b>
  nv_tileas.async.pipeline.yield %c : tensor<256xf32, #b>
}}
%d = nv_tileas.convert_layout %v : tensor<256xf32, #b> -> tensor<256xf32, #a>
"test.op"(%d) : (tensor<256xf32, #a>) -> ()
"""


def test_layouts_go_through_a_pipeline_of_one_stage_only():
    assert conversions(run(PIPELINE.format(depth=1))) == 0
    assert conversions(run(PIPELINE.format(depth=2))) == 2


def test_a_buffer_that_cannot_be_made_in_a_layout(monkeypatch: pytest.MonkeyPatch):
    """The pass fails, when everything else is rewritten."""

    def refuse(_op: nv_tileas.AllocTensorOp) -> None:
        raise VerifyException("no such layout")

    module = tools.parse(
        ALIASES
        + f"""
        %x = nv_tileas.alloc_tensor : tensor<128x64xf16, #plain>
        %c = nv_tileas.convert_layout %x : tensor<128x64xf16, #plain> -> tensor<128x64xf16, #swizzled>
        "test.op"(%c) : (tensor<128x64xf16, #swizzled>) -> ()
        {REMOVED["by way of another memory and back"].replace("%x", "%y").replace("%c", "%e")}"""
    )
    monkeypatch.setattr(nv_tileas.AllocTensorOp, "verify_", refuse)
    with pytest.raises(PassFailedException, match="failed to rewrite in buffer"):
        tools.run_passes(module, "tileas-remove-layout-conversions")
    monkeypatch.undo()
    text = tools.to_text(module)
    assert text.count("convert_layout") == 1
    assert (
        "alloc_tensor : tensor<128x64xf16, #nv_tileas.memory<smem, <(128, 64), (64, 1)>>>" in text
    )


def test_an_op_that_does_not_take_the_layout_it_is_given(monkeypatch: pytest.MonkeyPatch):
    def refuse(_op: nv_tileaa.AddFOp) -> None:
        raise VerifyException("no such layout")

    module = tools.parse(
        ALIASES
        + f"""
        %x = "test.op"() : () -> tensor<256xf32, #a>
        {convert("%c", "%x", "#a #b")}
        %s = nv_tileaa.addf %c, %c : tensor<256xf32, #b>
        {convert("%d", "%s", "#b #a")}
        {use("%d", "#a")}"""
    )
    monkeypatch.setattr(nv_tileaa.AddFOp, "verify_", refuse)
    with pytest.raises(PassFailedException, match="failed to rewrite in reg layout propagation"):
        tools.run_passes(module, "tileas-remove-layout-conversions", verify=False)


def test_locations_stay():
    text = """
        %x = "test.op"() : () -> tensor<256xf32, #a>
        %c = nv_tileas.convert_layout %x : tensor<256xf32, #a> -> tensor<256xf32, #b> loc("k":7:1)
        %s = nv_tileaa.addf %c, %c : tensor<256xf32, #b> loc("k":8:1)
        "test.op"(%s) : (tensor<256xf32, #b>) -> ()
        """
    module = tools.run_passes(tools.parse(ALIASES + text), "tileas-remove-layout-conversions")
    lines = {
        op.name: op.location.line.data
        for op in module.body.block.ops
        if isinstance(op.location, FileLineColLoc)
    }
    assert lines == {"nv_tileas.convert_layout": 7, "nv_tileaa.addf": 8}


def test_a_second_run_changes_nothing():
    for text in (*REMOVED.values(), *KEPT.values()):
        once = run(text)
        assert (
            tools.to_text(tools.run_passes(tools.parse(once), "tileas-remove-layout-conversions"))
            == once
        )


EXPLAINED = f"""
    {X}
    {convert("%c", "%x", "#a #b")}
    %s = nv_tileaa.addf %c, %c : tensor<256xf32, #b>
    {convert("%d", "%s", "#b #a")}
    {use("%d", "#a")}
    {convert("%e", "%x", "#a #c")}
    {use("%e", "#c")}"""


def test_the_report_says_what_went_and_what_stayed_and_why(tmp_path: Path):
    path = tmp_path / "report.json"
    run(EXPLAINED, f'{{explain="{path}"}}')
    count, *decisions = json.loads(path.read_text())["functions"]["module"]
    assert count == {"conversions before": 3, "conversions after": 1}
    assert decisions == [
        {
            "conversion": "#1 nv_tileas.convert_layout %c",
            "outcome": "removed",
            "reason": "the users take the tile in the layout that it has",
        },
        {
            "conversion": "#3 nv_tileas.convert_layout %d",
            "outcome": "removed",
            "reason": "the tile is made in this layout",
        },
        {
            "conversion": "#5 nv_tileas.convert_layout %e",
            "outcome": "kept",
            "reason": "the tile is made in one layout and used in another",
            "source fixed by": ["#0 test.op %x"],
            "result fixed by": ["#6 test.op"],
        },
    ]


def test_a_forced_conversion_stays_and_the_report_shows_what_that_changes(tmp_path: Path):
    path = tmp_path / "report.json"
    text = run(EXPLAINED, f'{{explain="{path}" force="keep=#1"}}')
    assert conversions(text) == 3
    *_, comparison = json.loads(path.read_text())["functions"]["module"]
    assert comparison == {
        "forced": ["#1 nv_tileas.convert_layout %c"],
        "conversions left": 3,
        "conversions left without force": 1,
        "changes": [
            "#1 nv_tileas.convert_layout %c: kept instead of removed",
            "#3 nv_tileas.convert_layout %d: kept instead of removed",
        ],
    }


@pytest.mark.parametrize(
    ("force", "message"),
    [
        (
            "keep=#0",
            "no nv_tileas.convert_layout has the number #0, expected one of "
            "#1 nv_tileas.convert_layout %c, #3 nv_tileas.convert_layout %d, "
            "#5 nv_tileas.convert_layout %e",
        ),
        (
            "drop=#1",
            "expects the option force to have a form such as keep=#4,#7, but got 'drop=#1'",
        ),
    ],
)
def test_force_names_conversions(force: str, message: str):
    with pytest.raises(PassFailedException) as failure:
        run(EXPLAINED, f'{{force="{force}"}}')
    assert str(failure.value) == message
