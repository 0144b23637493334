"""Accesses by TMA become bulk copies: their form, what they share, and what they compute."""

import io
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import LateOrder, MemoryOrder, ProgramOrder, RandomOrder
from tileir_xdsl.testing import tools

LOWER = "lower-tma-load-store-to-async"
ATTACH = "tileas-attach-tma-desc-args"
ORDERS: tuple[MemoryOrder, ...] = (ProgramOrder(), RandomOrder(1), LateOrder())

KERNEL = "{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"
ROWS = "<(64, 64), (64, 1), swizzle<3, 4, 3>>"
COLUMNS = "<(64, 64), (1, 64), swizzle<3, 4, 3>>"
REGISTERS = "<(2, 32, 4, 1), (1, 2, 64, 0)>"


def kernel(body: str, memref: str = "?x?xf16, strides = [?, 1]", groups: str = "[0], [1]") -> str:
    """A kernel with views `%a` and `%b` of 64 x 64 tiles of two objects; `VIEW` is their type."""
    object_type = f"!nv_tileaa.memref<{memref}>"
    view = f"!nv_tileaa.tiled_view<64x64xf16, {object_type}>"
    strides = "strides = [%s : i32]" if "[?" in memref or "?]" in memref else ""
    views = "".join(
        f"%{name}_object = nv_tileaa.make_memref %{name}_pointer sizes = [%m, %n : i32, i32] "
        f"{strides} : !nv_tileaa.ptr<f16> -> {object_type}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_object {{tileSizes = array<i64: 64, 64>, "
        f"dimGroups = [{groups}]}} : {object_type} -> {view}\n"
        for name in "ab"
    )
    return f"""
    nv_tileaa.func @k(%a_pointer: !nv_tileaa.ptr<f16>, %b_pointer: !nv_tileaa.ptr<f16>,
        %m: i32, %n: i32, %s: i32, %i: i32, %j: i32) attributes {KERNEL} {{
      {views}
      {body.replace("VIEW", view)}
      nv_tileaa.return
    }}
    """


def load(name: str = "x", view: str = "a", place: str = "%i, %j", more: str = "") -> str:
    """A load of a tile into shared memory."""
    return (
        f"%{name} = nv_tileas.tiled_load weak %{view}[{place}] {{atom = #nv_tileas<atom "
        f"tma_load_2d>, nv_tileas.layout = {ROWS}{more}}} : VIEW[i32, i32] -> "
        f"tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>\n"
    )


def store(name: str = "x", view: str = "b", place: str = "%i, %j") -> str:
    """A store of a tile in shared memory."""
    return (
        f"nv_tileas.tiled_store weak %{name}, %{view}[{place}] {{atom = #nv_tileas<atom "
        f"tma_store_2d>, nv_tileas.layout = {ROWS}}} : "
        f"tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>, VIEW[i32, i32]\n"
    )


COPY = load() + store()


def lowered(text: str) -> ModuleOp:
    return tools.run_passes(tools.parse(text), LOWER)


def maps(module: ModuleOp) -> list[nv_tileas.MakeTiledTmaDescOp]:
    return [op for op in module.walk() if isinstance(op, nv_tileas.MakeTiledTmaDescOp)]


def run(
    module: ModuleOp, arguments: Sequence[NDArray[np.generic] | int], order: MemoryOrder | None
) -> None:
    launch(module, "k", (1, 1, 1), arguments, output=io.StringIO(), memory_order=order)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize(
    ("memref", "groups", "transposed"),
    [
        ("?x?xf16, strides = [?, 1]", "[0], [1]", False),
        ("?x?xf16, strides = [?, 1]", "[1], [0]", True),
        ("?x?xf16, strides = [1, ?]", "[0], [1]", True),
    ],
)
@pytest.mark.parametrize(("i", "j"), [(0, 0), (1, 1), (2, 0), (1 << 26, 0), (-1, 0)])
def test_the_same_elements_move(
    memref: str, groups: str, transposed: bool, i: int, j: int, order: MemoryOrder
):
    """Tiles that lie partly, or far, outside of the object too: before, after, and attached."""
    body = COPY.replace(ROWS, COLUMNS) if transposed else COPY
    text = kernel(body, memref, groups)
    rng = np.random.default_rng(0)
    data = rng.integers(0, 1 << 14, (100, 72)).astype(np.uint16).view(np.float16)
    m, n = (72, 100) if memref.endswith("[1, ?]") else (100, 72)
    outs: list[NDArray[np.float16]] = []
    module = tools.parse(text)
    for passes in (None, LOWER, ATTACH):
        if passes is not None:
            tools.run_passes(module, passes)
            tools.roundtrip(tools.to_text(module))
        out = np.zeros_like(data)
        run(module, [data.copy(), out, m, n, 72, i, j], order)
        outs.append(out)
    assert not maps(module)
    assert outs[0].any() == (0 <= i < 2)
    for out in outs[1:]:
        np.testing.assert_array_equal(out.view(np.uint16), outs[0].view(np.uint16))


FIRST_OUTSIDE = (1 << 31) // 64
"""The first number of a tile of 64 elements that starts outside of all objects."""
TILE_NUMBERS = (0, 1, 3, 127, FIRST_OUTSIDE - 1, FIRST_OUTSIDE, 1 << 31, -1, -3)
TYPES = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def started(number: int, width: int, step: int = 64) -> int:
    """Where a tile starts: a number in 32 bits, negative for all that are too far."""
    start = min(number % (1 << width) * step, 1 << 31)
    return start - (1 << 32 if start == 1 << 31 else 0)


def fits(number: int, width: int) -> bool:
    return -(1 << width - 1) <= number < 1 << width - 1


def first_coordinate(text: str) -> SSAValue:
    """Where the only load of a kernel starts along its first dimension."""
    (op,) = (op for op in lowered(text).walk() if isinstance(op, nv_tileas.AsyncTiledTmaLoadOp))
    assert all(coordinate.type == i32 for coordinate in op.coords)
    return op.coords[0]


@pytest.mark.parametrize(
    ("type", "number"), [(t, n) for t, w in TYPES.items() for n in TILE_NUMBERS if fits(n, w)]
)
def test_tile_numbers_that_are_constants_are_unsigned(type: str, number: int):
    text = kernel(f"%c = arith.constant {number} : {type}\n" + load(place="%c, %c"))
    owner = first_coordinate(
        text.replace("[i32, i32] -> tensor", f"[{type}, {type}] -> tensor")
    ).owner
    assert isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr)
    assert owner.value.value.data == started(number, TYPES[type])


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("step", [1, 64, 1 << 30, (1 << 30) + 16])
def test_tile_numbers_of_any_width_do_not_wrap_around(type: str, step: int):
    """The coordinate is computed by the interpreter for each number."""
    body = f'%c = "test.op"() : () -> {type}\n' + load(place="%c, %c")
    text = kernel(body).replace("[i32, i32] -> tensor", f"[{type}, {type}] -> tensor")
    text = text.replace("dimGroups", f"tileStrides = array<i64: {step}, 64>, dimGroups")
    coordinate = first_coordinate(text)
    for number in filter(lambda n: fits(n, TYPES[type]), TILE_NUMBERS):
        assert evaluated(coordinate, number) == started(number, TYPES[type], step)


def evaluated(value: SSAValue, number: int) -> int:
    """A value in 32 bits, as a number with a sign, of a number that the program does not know."""
    owner = value.owner
    assert isinstance(owner, Operation)
    if owner.name == "test.op":
        return number
    if isinstance(owner, arith.ConstantOp):
        assert isinstance(owner.value, IntegerAttr)
        return owner.value.value.data
    operands = [evaluated(operand, number) for operand in owner.operands]
    widths = [TYPES[str(operand.type)] for operand in owner.operands]
    unsigned = [operand % (1 << width) for operand, width in zip(operands, widths, strict=True)]
    match owner:
        case arith.MinUIOp():
            found = min(unsigned)
        case arith.MuliOp():
            found = unsigned[0] * unsigned[1]
        case arith.ExtUIOp() | arith.TruncIOp():
            found = unsigned[0]
        case arith.IndexCastOp():
            found = operands[0]
        case _:
            raise AssertionError(owner.name)
    width = TYPES[str(value.type)]
    found %= 1 << width
    return found - (1 << width if found >> width - 1 else 0)


def test_the_form():
    tools.check(
        tools.to_text(lowered(kernel(COPY))),
        """
// CHECK: %[[D:.*]] = nv_tileas.make_tiled_tma_desc %a[%{{.*}}, %{{.*}}] {atom = #nv_tileas<atom tma_load_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>, oob_mode = #nv_tileas.oob_mode<zero>, tmaIdx = 0 : i32}
// CHECK: %[[E:.*]] = nv_tileas.make_tiled_tma_desc %b{{.*}}atom tma_store_2d{{.*}}tmaIdx = 1 : i32
// CHECK: %[[T:.*]] = nv_tileaa.create_mem_token
// CHECK: %[[B:.*]] = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
// CHECK: %[[V:.*]] = nv_tileas.async.tiled_tma_load %[[D]], %[[B]][%{{.*}}, %{{.*}}], %[[T]] {atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32}
// CHECK-NEXT: %x = nv_tileas.async.future_wait %[[V]] :
// CHECK: nv_tileas.fence acq_rel tl_blk
// CHECK: %[[W:.*]] = nv_tileas.async.tiled_tma_store %[[E]], %x[%{{.*}}, %{{.*}}] {atom = #nv_tileas<atom tma_store_2d>, tmaIdx = 1 : i32}
// CHECK-NEXT: nv_tileas.async.wait %[[W]] :
        """,
    )


def test_a_store_is_waited_for_also_where_its_token_has_no_users():
    """Its buffer may be written again."""
    shared = f"tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>"
    body = f"""
      %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      {load()}
      %w = nv_tileas.tiled_store weak %x, %b[%i, %j] token = %t {{atom = #nv_tileas<atom tma_store_2d>, nv_tileas.layout = {ROWS}}} : {shared}, VIEW[i32, i32] -> !nv_tileaa.mem_token
    """
    tools.check(
        tools.to_text(lowered(kernel(body))),
        """
// CHECK: %[[W:.*]] = nv_tileas.async.tiled_tma_store
// CHECK-NEXT: nv_tileas.async.wait %[[W]] :
        """,
    )


def test_tiles_in_registers_pass_through_buffers():
    body = COPY.replace(
        f"tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>",
        f"tensor<64x64xf16, #nv_tileas.layout{REGISTERS}>",
    )
    text = tools.to_text(lowered(kernel(body)))
    assert text.count("nv_tileas.alloc_tensor") == 2
    tools.check(
        text,
        """
// CHECK: %[[W:.*]] = nv_tileas.async.future_wait
// CHECK-NEXT: %x = nv_tileas.convert_layout %[[W]] :
// CHECK: %[[B:.*]] = nv_tileas.alloc_tensor
// CHECK-NEXT: nv_tileas.copy %x into %[[B]] :
// CHECK-NEXT: nv_tileas.fence
        """,
    )


def test_tokens_go_on():
    shared = f"tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>"
    body = f"""
      %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %x, %u = nv_tileas.tiled_load weak %a[%i, %j] token = %t {{atom = #nv_tileas<atom tma_load_2d>, nv_tileas.layout = {ROWS}}} : VIEW[i32, i32] -> {shared}, !nv_tileaa.mem_token
      %w = nv_tileas.tiled_store weak %x, %b[%i, %j] token = %u {{atom = #nv_tileas<atom tma_store_2d>, nv_tileas.layout = {ROWS}}} : {shared}, VIEW[i32, i32] -> !nv_tileaa.mem_token
      "test.op"(%u, %w) : (!nv_tileaa.mem_token, !nv_tileaa.mem_token) -> ()
    """
    tools.check(
        tools.to_text(lowered(kernel(body))),
        """
// CHECK: %[[L:.*]] = nv_tileas.async.tiled_tma_load %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}], %t {atom
// CHECK: %u = nv_tileas.async.wait %[[L]] : !async.value<{{.*}}> -> !nv_tileaa.mem_token
// CHECK: %[[E:.*]] = nv_tileas.async.token_to_async %u
// CHECK-NEXT: nv_tileas.async.wait %[[E]] : !nv_tileas.async_token
// CHECK: %[[S:.*]] = nv_tileas.async.tiled_tma_store %{{.*}}, %x[%{{.*}}, %{{.*}}] {
// CHECK-NEXT: %w = nv_tileas.async.wait %[[S]] : !nv_tileas.async_token -> !nv_tileaa.mem_token
// CHECK-NEXT: "test.op"(%u, %w)
        """,
    )


def test_accesses_that_want_the_same_share_a_tensor_map():
    body = load("x") + load("y", place="%j, %i") + load("z", "b") + store("x") + store("y")
    module = lowered(kernel(body))
    assert [op.tma_index for op in maps(module)] == [IntegerAttr(n, i32) for n in range(3)]
    nan = load("w", more=", padding_value = #nv_tileaa.padding_value<nan>")
    modes = [op.oob_mode and op.oob_mode.data for op in maps(lowered(kernel(body + nan)))]
    assert modes == ["zero", "zero", "zero", "nan"]


NARROW_ROWS = "<(64, 32), (32, 1), swizzle<2, 4, 3>>"
FEW_ROWS = "<(32, 64), (64, 1), swizzle<3, 4, 3>>"
PLAIN_ROWS = "<(64, 64), (64, 1)>"


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        ({}, 1),
        ({"64x64": "32x64", ROWS: FEW_ROWS, "64, 64>": "32, 64>"}, 2),
        ({"64x64": "64x32", ROWS: NARROW_ROWS, "64, 64>": "64, 32>"}, 2),
        ({"[0], [1]": "[1], [0]", ROWS: COLUMNS}, 2),
        ({ROWS: PLAIN_ROWS}, 2),
    ],
    ids=["same", "fewer rows", "fewer columns", "other order", "no swizzle"],
)
def test_loads_of_tiles_of_two_kinds(changes: dict[str, str], number: int):
    """Another box, order of dimensions or swizzle of the same object is another tensor map."""
    object_type = "!nv_tileaa.memref<?x?xf16, strides = [?, 1]>"
    view = f"!nv_tileaa.tiled_view<64x64xf16, {object_type}>"
    other = (
        "%c = nv_tileaa.block_tile %a_object {tileSizes = array<i64: 64, 64>, "
        f"dimGroups = [[0], [1]]}} : {object_type} -> VIEW\n{load('y', 'c')}"
    ).replace("VIEW", view)
    for old, new in changes.items():
        other = other.replace(old, new)
    uses = f'"test.op"(%x) : (tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>) -> ()\n'
    assert len(maps(lowered(kernel(load("x") + uses + other)))) == number


def test_tensor_maps_are_made_before_everything_else():
    memref = "!nv_tileaa.memref<?x?xf16, strides = [?, 1]>"
    body = f"""
      %one = arith.constant 1 : i32
      scf.for %k = %one to %m step %one : i32 {{
        %c = nv_tileaa.block_tile %a_object {{tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]}} : {memref} -> VIEW
        {load("x", "c", "%k, %j")}
        "test.op"(%x) : (tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>) -> ()
      }}
    """
    tools.check(
        tools.to_text(lowered(kernel(body))),
        """
// CHECK: nv_tileaa.func
// CHECK-NEXT: %a_object = nv_tileaa.make_memref %a_pointer sizes = [%m, %n :
// CHECK-NEXT: %c = nv_tileaa.block_tile %a_object
// CHECK: nv_tileas.make_tiled_tma_desc %c
// CHECK: scf.for %k = %one to %m step %one :
// CHECK-NOT: block_tile
        """,
    )


def test_an_object_that_no_launch_knows_is_accessed_as_before():
    text = kernel(COPY).replace("sizes = [%m, %n", "sizes = [%q, %n", 1)
    program = "%q = nv_tileaa.get_program_id 0 : i32\n%a_object = nv_tileaa"
    module = lowered(text.replace("%a_object = nv_tileaa", program, 1))
    names = [op.name for op in module.walk() if "tiled_" in op.name]
    assert names == [
        "nv_tileas.make_tiled_tma_desc",
        "nv_tileas.tiled_load",
        "nv_tileas.async.tiled_tma_store",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (KERNEL, "{}", "LowerTMALoadStoreToAsync: missing or invalid KernelSpecAttr on function"),
        (ROWS, "<(64, 64), (128, 1)>", "smem layout is not TMA compatible"),
        (ROWS, COLUMNS, "smem layout is not TMA compatible"),
        (f", nv_tileas.layout = {ROWS}", "", "smem layout is not TMA compatible"),
    ],
)
def test_what_cannot_be_lowered(old: str, new: str, message: str):
    text = kernel(COPY)
    if not new:
        text = text.replace(f"#nv_tileas.memory<smem, {ROWS}>", "#nv_tileas.memory<smem>")
    with pytest.raises(PassFailedException) as raised:
        lowered(text.replace(old, new))
    assert str(raised.value) == message


IN_CLUSTER = "num_ctas = 4>, nv_tileaa.cluster_shape = array<i32: 2, 2>}"
CTA = "%r = nv_tileaa.get_cta_id 0 : i32\n"


@pytest.mark.parametrize(
    ("place", "group", "box"),
    [("%i, %j", (4, 1), [16, 64]), ("%r, %j", (2, 2), [32, 64])],
)
def test_ctas_that_make_the_same_load(place: str, group: tuple[int, int], box: list[int]):
    """Each has its share of the boxes of a tensor map."""
    text = kernel(CTA + load(place=place) + store(place="%r, %j"))
    module = lowered(text.replace("num_ctas = 1>}", IN_CLUSTER))
    (copy,) = (op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledTmaLoadOp))
    assert copy.multicast_group == group
    assert copy.tx_count == IntegerAttr(64 * 64 * 2, i32)
    owners = [extent.owner for extent in maps(module)[0].box_dims]
    values = [op.value for op in owners if isinstance(op, arith.ConstantOp)]
    assert [v.value.data for v in values if isinstance(v, IntegerAttr)] == box


def test_ctas_with_loads_of_their_own():
    text = kernel(CTA + "%c = nv_tileaa.get_cta_id 1 : i32\n" + load(place="%r, %c") + store())
    module = lowered(text.replace("num_ctas = 1>}", IN_CLUSTER))
    (copy,) = (op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledTmaLoadOp))
    assert copy.multicast_group == (1, 1)


def reduction(mode: str, atom: str = "tma_redg_add_2d") -> str:
    """An atomic reduction of a tile that is loaded to shared memory."""
    tile = f"tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>"
    return kernel(
        load() + f"%old = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %b[%i, %j] {{rmw_mode = "
        f"#nv_tileas.rmw_mode<{mode}>, atom = #nv_tileas<atom {atom}>, nv_tileas.layout = {ROWS}}} "
        f": {tile}, VIEW[i32, i32] -> {tile}\n"
    )


def test_an_atom_for_another_modification():
    with pytest.raises(PassFailedException) as raised:
        tools.run_passes(tools.parse(reduction("add", "tma_redg_max_2d")), LOWER)
    assert str(raised.value) == (
        "'nv_tileas.tiled_atomic_rmw' op expects the atom tma_redg_add_2d, but got tma_redg_max_2d"
    )


def test_a_reduction_that_returns_what_was_there_stays():
    text = reduction("add").replace(
        "nv_tileaa.return",
        f'"test.op"(%old) : (tensor<64x64xf16, #nv_tileas.memory<smem, {ROWS}>>) -> ()\n'
        "nv_tileaa.return",
    )
    assert "tiled_tma_reduce" not in tools.to_text(tools.run_passes(tools.parse(text), LOWER))
    done = tools.to_text(tools.run_passes(tools.parse(reduction("add")), LOWER))
    assert "tiled_tma_reduce" in done and "tiled_atomic_rmw" not in done
