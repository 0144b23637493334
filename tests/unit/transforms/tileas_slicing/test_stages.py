"""Regions of pipelines become slices: what is divided, what stays whole, what is refused."""

import pytest
from xdsl.dialects import test
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.tileas_slicing.test_diagnostics import (
    COPY_ATOM,
    COUNT,
    INITIAL_VALUE,
    OPERATION,
    UNEXPECTED,
)
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass, plan_slicing, slice_module

P = "!nv_tileas.async.pipeline.producer_token"
C = "!nv_tileas.async.pipeline.consumer_token"
PIPE = "nv_tileas.async.pipeline"
MEMREF = "!nv_tileaa.memref<?x64xf32, strides = [64, 1]>"
VIEW = f"!nv_tileaa.tiled_view<128x64xf32, {MEMREF}>"
TILE = "tensor<128x64xf32>"
TOKEN = "!nv_tileaa.mem_token"


def iterator(payload: str) -> str:
    return f"!nv_tileas.async.pipeline.iterator<{payload}>"


def given(payload: str = TILE) -> str:
    return f"""
    %p, %c, %i, %object, %n, %zero, %t, %tile = "test.op"() : () -> ({P}, {C}, {iterator(payload)}, {MEMREF}, i32, i32, {TOKEN}, {payload})
    %v = nv_tileaa.block_tile %object {{tileSizes = array<i64: 128, 64>, dimGroups = [[0 : i64], [1 : i64]]}} : {MEMREF} -> {VIEW}
    """


def produce(body: str, yielded: str, count: str = "2 : i32", payload: str = TILE) -> str:
    return f"""{given(payload)}
    %q = {PIPE}.produce_one %p, %i {{producer_types = [{payload}], sliceCount = {count}}} : ({P}, {iterator(payload)}) -> {P} {{
    ^bb0(%stage: {payload}):
      {body}
      {PIPE}.yield {yielded} : {payload}
    }}
    """


def consume(body: str, count: str = "2 : i32", payload: str = TILE) -> str:
    return f"""{given(payload)}
    %q = {PIPE}.consume_one %c, %i {{consumer_idx = 0 : i32, consumer_types = [{payload}], sliceCount = {count}}} : ({C}, {iterator(payload)}) -> {C} {{
    ^bb0(%stage: {payload}):
      {body}
      {PIPE}.yield %stage : {payload}
    }}
    """


LOAD = f"%a = nv_tileas.tiled_load weak %v[%n, %zero] : {VIEW}[i32, i32] -> {TILE}"
STORE = f"%s = nv_tileas.tiled_store weak %b, %v[%n, %zero] token = %t : {TILE}, {VIEW}[i32, i32] -> {TOKEN}"


def sliced(text: str) -> str:
    module = tools.parse(text)
    TileASSlicingPass().apply(tools.context(), module)
    module.verify()
    return tools.to_text(module)


def test_narrow_coordinates_do_not_wrap_around():
    narrow = "nv_tileas.tiled_load weak %v[%m, %m]"
    load = f"""%m = arith.trunci %n : i32 to i8
      %a = {narrow} : {VIEW}[i8, i8] -> {TILE}"""
    tools.check(
        sliced(produce(load, "%a")),
        """
// CHECK:      %m = arith.trunci %n : i32 to i8
// CHECK-NEXT: %[[ROW:.*]] = arith.extui %m : i8 to i32
// CHECK-NEXT: %[[COLUMN:.*]] = arith.extui %m : i8 to i32
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[ROW]], %[[TWO]] : i32
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[ONE]] : i32
// CHECK-NEXT: nv_tileas.tiled_load weak %{{.*}}[%[[FIRST]], %[[COLUMN]]] : {{.*}}[i32, i32]
// CHECK-NEXT: nv_tileas.tiled_load weak %{{.*}}[%[[SECOND]], %[[COLUMN]]] : {{.*}}[i32, i32]
""",
    )


def test_a_stage_is_filled_slice_by_slice():
    tools.check(
        sliced(produce(LOAD, "%a")),
        """
// CHECK:      %[[V:.*]] = nv_tileaa.block_tile %object {tileSizes = array<i64: 64, 64>
// CHECK:      produce_one %p, %i {producer_types = [tile<128x64xf32>]}
// CHECK-NEXT: ^bb0(%stage : tile<128x64xf32>):
// CHECK-NEXT:   %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT:   %[[FIRST:.*]] = arith.muli %n, %[[TWO]] : i32
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT:   %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[ONE]] : i32
// CHECK-NEXT:   %[[A0:.*]] = nv_tileas.tiled_load weak %[[V]][%[[FIRST]], %zero] : {{.*}} -> tensor<64x64xf32>
// CHECK-NEXT:   %[[A1:.*]] = nv_tileas.tiled_load weak %[[V]][%[[SECOND]], %zero] : {{.*}} -> tensor<64x64xf32>
// CHECK-NEXT:   %[[S0:.*]] = nv_tileas.insert_slice %[[A0]] into %stage[0, 0][64, 64][1, 1]
// CHECK-NEXT:   %[[S1:.*]] = nv_tileas.insert_slice %[[A1]] into %[[S0]][64, 0][64, 64][1, 1]
// CHECK-NEXT:   nv_tileas.async.pipeline.yield %[[S1]] : tile<128x64xf32>
""",
    )


def test_tokens_of_slices_are_joined():
    body = f'%b = nv_tileaa.addf %stage, %stage : {TILE} {STORE} %u = nv_tileaa.print "x" token = %s -> {TOKEN}'
    tools.check(
        sliced(consume(body)),
        """
// CHECK:      %[[X0:.*]] = nv_tileas.extract_slice %stage[0, 0][64, 64][1, 1]
// CHECK-NEXT: %[[X1:.*]] = nv_tileas.extract_slice %stage[64, 0][64, 64][1, 1]
// CHECK-NEXT: %[[B0:.*]] = nv_tileaa.addf %[[X0]], %[[X0]] :
// CHECK-NEXT: %[[B1:.*]] = nv_tileaa.addf %[[X1]], %[[X1]] :
// CHECK:      %[[S0:.*]] = nv_tileas.tiled_store weak %[[B0]], %[[VIEW:.*]][%{{.*}}, %zero] token = %t
// CHECK-NEXT: %[[S1:.*]] = nv_tileas.tiled_store weak %[[B1]], %[[VIEW]][%{{.*}}, %zero] token = %t
// CHECK-NEXT: %[[S:.*]] = nv_tileaa.join_mem_token[%[[S0]], %[[S1]]]
// CHECK-NEXT: nv_tileaa.print "x" token = %[[S]] ->
// CHECK-NEXT: nv_tileas.async.pipeline.yield %stage
""",
    )


def test_slices_of_a_masked_store_take_slices_of_its_mask():
    bits = "tensor<128x64xi1>"
    store = STORE.replace("token = %t", f"token = %t mask = %m : {bits}")
    add = f"%b = nv_tileaa.addf %stage, %stage : {TILE}"
    tools.check(
        sliced(consume(f"{add} %m = arith.constant dense<true> : {bits} {store}")),
        """
// CHECK:      %[[M0:.*]] = arith.constant dense<true> : tensor<64x64xi1>
// CHECK-NEXT: %[[M1:.*]] = arith.constant dense<true> : tensor<64x64xi1>
// CHECK:      token = %t mask = %[[M0]] : tensor<64x64xi1> : tensor<64x64xf32>
// CHECK-NEXT: token = %t mask = %[[M1]] : tensor<64x64xi1> : tensor<64x64xf32>
""",
    )


def layout(rows: int) -> str:
    """Four warps hold rows of 64; registers take turns through the rows that are left."""
    return f"#nv_tileas.layout<((2, {rows // 4}), 32, 4, 1), ((1, 256), 2, 64, 0)>"


def test_layouts_of_slices_hold_the_registers_of_their_rows():
    tile = f"tensor<128x64xf32, {layout(128)}>"
    load = (
        f"%a = nv_tileas.tiled_load weak %v[%n, %zero] {{atom = #nv_tileas<atom ldg_64>, "
        f"nv_tileas.layout = {layout(128).removeprefix('#nv_tileas.layout')}}} "
        f": {VIEW}[i32, i32] -> {tile}"
    )
    text = sliced(produce(load, "%a", payload=tile))
    part = layout(64)
    assert text.count(f"-> tensor<64x64xf32, {part}>") == 2
    assert text.count(f"nv_tileas.layout = {part.removeprefix('#nv_tileas.layout')}") == 2
    # Threads that hold rows of one slice only cannot do the same for each slice.
    columns = tile.replace(layout(128), "#nv_tileas.layout<(64, 32, 4, 1), (1, 64, 2048, 0)>")
    whole = load.replace(tile, columns)
    assert sliced(produce(whole, "%a", payload=columns)).count("tiled_load") == 1


@pytest.mark.parametrize(
    "load",
    [
        LOAD.replace("%v[%n, %zero]", "%v[%n, %zero] offset [%o, %o]").replace(
            "%a =", "%o = arith.constant 1 : index %a ="
        ),
        LOAD.replace("%zero] :", "%zero] {atom = #nv_tileas<atom tma_load_2d>} :"),
        f'%w = "nv_tileas.view"(%v) <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : ({VIEW}) -> {VIEW} '
        + LOAD.replace("%v", "%w"),
        LOAD.replace(f"-> {TILE}", f"-> {TILE}, !nv_tileas.async_token")
        .replace("%zero] :", "%zero] async_token = %work :")
        .replace("%a =", "%a, %done ="),
    ],
    ids=["offsets", "a tensor map", "an unknown view", "an asynchronous token"],
)
def test_other_loads_are_done_for_the_whole_tile(load: str):
    work = '%work = "test.op"() : () -> !nv_tileas.async_token\n'
    text = sliced(work + produce(load, "%a"))
    assert text.count("tiled_load") == 1
    assert "sliceCount" not in text and "slice" not in text


@pytest.mark.parametrize(
    ("columns", "atom", "loads"),
    [(64, "ldg_128", 2), (4, "ldg_128", 2), (2, "ldg_64", 2), (2, "ldg_128", 1), (1, "ldg_64", 1)],
)
def test_a_slice_has_rows_that_fill_the_vectors_of_its_copy(columns: int, atom: str, loads: int):
    """A row may be as long as what a thread moves at once, and no shorter."""
    load = LOAD.replace("%zero] :", f"%zero] {{atom = #nv_tileas<atom {atom}>}} :")
    text = produce(load, "%a").replace("128x64", f"128x{columns}")
    text = text.replace("array<i64: 128, 64>", f"array<i64: 128, {columns}>")
    assert sliced(text).count("tiled_load") == loads


@pytest.mark.parametrize(("rows", "mmas"), [(128, 2), (64, 1)])
def test_rows_of_one_instruction_stay_together(rows: int, mmas: int):
    tile, shared = f"tensor<{rows}x64xf32>", f"tensor<{rows}x64xf32, #nv_tileas.memory<smem>>"
    text = sliced(
        consume(
            f"""
            %b = nv_tileas.alloc_tensor : tensor<64x64xf16>
            %acc = nv_tileas.alloc_tensor : {tile}
            %m = nv_tileas.alloc_tensor : {shared}
            %d = nv_tileas.wgmma %stage, %b, %acc : tensor<{rows}x64xf16>, tensor<64x64xf16>, {tile} -> {tile}
            %e = nv_tileas.copy %d into %m {{atom = #nv_tileas<atom sts_32>}} : {tile} into {shared} -> {shared}
            """,
            payload=f"tensor<{rows}x64xf16>",
        )
    )
    assert text.count("wgmma") == mmas
    assert text.count("nv_tileas.copy") == 2


def of_two_tiles(count: int) -> str:
    """A region for a stage of two tiles, of 128 and of 32 rows."""
    small = TILE.replace("128", "32")
    both = f"{TILE}, {small}"
    return f"""
    %p, %i = "test.op"() : () -> ({P}, {iterator(both)})
    %q = {PIPE}.produce_one %p, %i {{producer_types = [{both}], sliceCount = {count} : i32}} : ({P}, {iterator(both)}) -> {P} {{
    ^bb0(%stage: {TILE}, %other: {small}):
      {PIPE}.yield %stage, %other : {both}
    }}
    """


def test_the_rows_of_all_tiles_are_divided():
    assert sliced(of_two_tiles(32)).count(f"{PIPE}.yield") == 1


REFUSED = {
    "rows of one of two tiles are not divisible": (of_two_tiles(64), COUNT),
    "count is an array": (produce(LOAD, "%a", "[2 : i32]"), COUNT),
    "count is zero": (produce(LOAD, "%a", "0 : i32"), COUNT),
    "rows are not divisible": (produce(LOAD, "%a", "3 : i32"), COUNT),
    "more slices than rows": (produce(LOAD, "%a", "256 : i32"), COUNT),
    "a stage without tiles": (produce("", "%stage", payload="i32"), COUNT),
    "op of another dialect": (consume('"test.op"() : () -> ()'), OPERATION),
    "copy without an atom": (
        consume(
            f"%m = nv_tileas.copy %stage : {TILE} -> tensor<128x64xf32, #nv_tileas.memory<smem>>"
        ),
        COPY_ATOM,
    ),
    "region that is given an iterator": (
        consume("")
        .replace(f"(%stage: {TILE}", f"(%it: {iterator(TILE)}")
        .replace("yield %stage", "yield %tile"),
        INITIAL_VALUE,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    text, message = REFUSED[name]
    module = tools.parse(text)
    before = tools.to_text(module)
    with pytest.raises(PassFailedException) as raised:
        TileASSlicingPass().apply(tools.context(), module)
    assert str(raised.value).encode() == message.encode()
    assert tools.to_text(module) == before


def test_the_region_may_not_change_between_plan_and_rewrite():
    module = tools.parse(produce(LOAD, "%a"))
    plan = plan_slicing(module)
    (stage,) = (op for op in module.walk() if isinstance(op, nv_tileas.ProduceOneOp))
    Rewriter.insert_op(test.TestOp(), InsertPoint.at_start(stage.body.block))
    with pytest.raises(PassFailedException) as raised:
        slice_module(module, plan)
    assert str(raised.value).encode() == UNEXPECTED.encode()
