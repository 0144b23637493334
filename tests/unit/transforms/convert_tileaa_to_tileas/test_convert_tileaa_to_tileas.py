"""The second conversion: every op has a place, and keeps what describes it."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import PassFailedException

from tests.unit.dialects.nv_tileaa.samples import VALID, text
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.interpreters import launch
from tileir_xdsl.targets.mma import MMA_ATOMS
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileaa_to_tileas import ConvertTileAAToTileASPass, counterparts
from tileir_xdsl.transforms.convert_tileaa_to_tileas.dots import OPERAND_BITS_IN_MEMORY, ScaledMMA

PASS = "convert-tileaa-to-tileas"
FAILURE = "failed to convert nv_tileaa to nv_tileas"
PTR = "!nv_tileaa.ptr<f32>"
MEMREF = "!nv_tileaa.memref<8x8xf32, strides = [8, 1]>"
VIEW = f"!nv_tileaa.tiled_view<4x4xf32, {MEMREF}>"
TOKEN = "!nv_tileaa.mem_token"

BYTES = {"nv_tileaa.pack", "nv_tileaa.unpack"}
"""What becomes a `reinterpret`."""
QUEUES = {f"nv_tileaa.{name}" for name in ("create_queue", "queue.get", "queue.put", "queue.yield")}
"""What becomes pipelines, as `execute` becomes agents."""


def convert(source: str, target: str | None = None, options: str = "") -> ModuleOp:
    """A module after the pass with options, for a target."""
    module = tools.parse(source)
    if target is not None:
        module.attributes["nv_tileaa.target_spec"] = StringAttr(target)
    return tools.run_passes(module, PASS + options)


def line(module: ModuleOp, name: str) -> str:
    """The text of the only op of a name."""
    (op,) = (op for op in module.walk() if op.name == name)
    return str(op)


def failure(source: str, target: str | None = None) -> tuple[str, str]:
    """The diagnostic of the pass, and the op that its note names."""
    with pytest.raises(PassFailedException) as caught:
        convert(source, target)
    return caught.value.args[0], caught.value.__notes__[0].split("'")[1]


def test_ops_with_counterparts_are_converted_and_the_rest_stays():
    ours = {op.name for op in nv_tileaa.NVTileAA.operations}
    twins = {op.name.replace("nv_tileas.", "nv_tileaa.") for op in nv_tileas.NVTileAS.operations}
    renamed = QUEUES | BYTES | {"nv_tileaa.execute"}
    assert {op.name for op in counterparts()} == (ours & twins) | renamed


INTRODUCED = "nv_tileaa.create_mem_token"


def test_tokens_come_in_pairs():
    """An access gives a token only where it takes one: a new one, where another access follows."""
    load = f"%y, %u = nv_tileaa.tiled_load weak %v[%i, %i] : {VIEW}[i32, i32] -> tensor<4x4xf32>, {TOKEN}\n"
    store = f"%w = nv_tileaa.tiled_store weak %y, %v[%i, %i] token = %u : tensor<4x4xf32>, {VIEW}[i32, i32] -> {TOKEN}"
    tools.check(
        tools.to_text(convert(access(load + store))),
        """
        // CHECK: %t = nv_tileaa.create_mem_token
        // CHECK-NEXT: %[[NEW:.*]] = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
        // CHECK-NEXT: %y, %[[DONE:.*]] = nv_tileas.tiled_load weak %v[%i, %i] token = %[[NEW]] :
        // CHECK-NEXT: %w = nv_tileas.tiled_store weak %y, %v[%i, %i] token = %[[DONE]] :
        """,
    )


@pytest.mark.parametrize("name", VALID)
def test_every_form_of_every_op(name: str):
    module = tools.parse(text(VALID[name]))
    expected = [
        op.name
        for op in module.walk()
        if type(op) not in counterparts() and op.name not in INTRODUCED
    ]
    module = convert(text(VALID[name]), "sm_100a")
    tools.roundtrip(tools.to_text(module))
    # An access without a token, after which another comes, takes a new one.
    left = [op.name for op in module.walk() if op.name not in INTRODUCED]
    assert [name for name in left if name.startswith("nv_tileaa.")] == [
        name for name in expected if name.startswith("nv_tileaa.")
    ]


def test_all_counterparts_are_made():
    made = {op.name for path in VALID.values() for op in convert(text(path), "sm_100a").walk()}
    expected = {op.name for ops in counterparts().values() for op in ops} - {"arith.extui"}
    assert expected <= made


# Accesses


def access(body: str) -> str:
    return f"""
    nv_tileaa.func @k(%p: {PTR}, %v: {VIEW}, %i: i32, %x: tensor<4x4xf32>, %n: tensor<4xi32>) {{
      %t = nv_tileaa.create_mem_token : {TOKEN}
      {body}
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "%y, %u = nv_tileaa.load acquire gpu %p token = %t {copy_atom = #cute_nvgpu.copy_atom<ldg_32>, latency = 4 : i32, cache_modifier = #nv_tileaa.cache_modifier<cg>, mine = 1 : i32} : "
            f"{PTR} -> f32, {TOKEN}",
            "%y, %u = nv_tileas.load acquire gpu %p token = %t {atom = #nv_tileas<atom ldg_32>, latency = 4 : i32} {cache_modifier = #nv_tileaa.cache_modifier<cg>, mine = 1 : i32} : "
            f"{PTR} -> f32, {TOKEN}",
        ),
        (
            "%u = nv_tileaa.tiled_store release sys %x, %v[%i, %i] token = %t {in_bounds = array<i1: true, false>, allow_tma = false, copy_atom = #cute_nvgpu.copy_atom<stg_128>} : "
            f"tensor<4x4xf32>, {VIEW}[i32, i32] -> {TOKEN}",
            "%u = nv_tileas.tiled_store release sys %x, %v[%i, %i] token = %t {atom = #nv_tileas<atom stg_128>, in_bounds = array<i1: true, false>, allow_tma = false} : "
            f"tensor<4x4xf32>, {VIEW}[i32, i32] -> {TOKEN}",
        ),
        (
            "%y, %u = nv_tileaa.tiled_load weak %v[%i, %i] {in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<nan>} : "
            f"{VIEW}[i32, i32] -> tensor<4x4xf32>, {TOKEN}",
            "%y = nv_tileas.tiled_load weak %v[%i, %i] {in_bounds = array<i1: true, false>, padding_value = #nv_tileaa.padding_value<nan>} : "
            f"{VIEW}[i32, i32] -> tensor<4x4xf32>",
        ),
        (
            "%y, %u = nv_tileaa.tiled_load weak %v[%i, %i] {in_bounds = array<i1: true, true>, padding_value = #nv_tileaa.padding_value<nan>} : "
            f"{VIEW}[i32, i32] -> tensor<4x4xf32>, {TOKEN}",
            "%y = nv_tileas.tiled_load weak %v[%i, %i] {in_bounds = array<i1: true, true>} : "
            f"{VIEW}[i32, i32] -> tensor<4x4xf32>",
        ),
        (
            "%u = nv_tileaa.tiled_atomic_rmw relaxed gpu max %x, %v[%i, %i] token = %t : "
            f"tensor<4x4xf32>, {VIEW}[i32, i32] -> {TOKEN}",
            "%u, %u_1 = nv_tileas.tiled_atomic_rmw relaxed gpu %x, %v[%i, %i] token = %t {rmw_mode = #nv_tileas.rmw_mode<max>} : "
            f"tensor<4x4xf32>, {VIEW}[i32, i32] -> tensor<4x4xf32>, {TOKEN}",
        ),
        (
            "%y, %u = nv_tileaa.gather_load weak %v[%n, %i] token = %t {sparse_dim = 0 : i32, copy_atom = #cute_nvgpu.copy_atom<tma_gather4_2d>} : "
            f"{VIEW}[tensor<4xi32>, i32] -> tensor<4x4xf32>, {TOKEN}",
            "%y, %u = nv_tileas.gather_load weak %v[%n, %i] token = %t {sparse_dim = 0 : i32, atom = #nv_tileas<atom tma_gather4_2d>, copy_atom = #cute_nvgpu.copy_atom<tma_gather4_2d>} : "
            f"{VIEW}[tensor<4xi32>, i32] -> tensor<4x4xf32>, {TOKEN}",
        ),
    ],
    ids=["load", "tiled_store", "tiled_load", "in bounds", "tiled_atomic_rmw", "gather_load"],
)
def test_accesses_keep_what_describes_them(before: str, after: str):
    name = after.split(" = ")[1].split()[0]
    assert line(convert(access(before)), name) == after


def test_locations_are_kept():
    module = tools.parse(access(f"%y, %u = nv_tileaa.load weak %p : {PTR} -> f32, {TOKEN}"))
    (load,) = (op for op in module.walk() if op.name == "nv_tileaa.load")
    location = load.location
    tools.run_passes(module, PASS)
    (load,) = (op for op in module.walk() if op.name == "nv_tileas.load")
    assert load.location is location


def test_a_tile_of_a_convolution():
    memref = "!nv_tileaa.memref<2x4x4x8xf32, strides = [128, 32, 8, 1]>"
    view = f"!nv_tileaa.tiled_view<8x4xf32, {memref}>"
    out = "!nv_tileaa.memref<8x4xf32, strides = [4, 1]>"
    out_view = f"!nv_tileaa.tiled_view<8x4xf32, {out}>"
    source = f"""
    nv_tileaa.func @k(%p: {PTR}, %q: {PTR}) attributes
        {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %m = nv_tileaa.make_memref %p : {PTR} -> {memref}
      %v = nv_tileaa.conv_tile %m {{tileSizes = array<i64: 8, 4>, dimGroups = [[0, 1, 2], [3]],
        filterSize = array<i64: 2, 1>, channel = 3 : i64, convParams =
        #nv_tileaa.conv_params<padding = [1, 0], stride = [1, 1], dilation = [1, 1]>}} : {memref} -> {view}
      %zero = arith.constant 0 : i32
      %x, %t = nv_tileaa.tiled_load weak %v[%zero, %zero]
        {{padding_value = #nv_tileaa.padding_value<neg_inf>}} : {view}[i32, i32] -> tensor<8x4xf32>, {TOKEN}
      %o = nv_tileaa.make_memref %q : {PTR} -> {out}
      %w = nv_tileaa.block_tile %o {{tileSizes = array<i64: 8, 4>, dimGroups = [[0], [1]]}} : {out} -> {out_view}
      %u = nv_tileaa.tiled_store weak %x, %w[%zero, %zero] : tensor<8x4xf32>, {out_view}[i32, i32] -> {TOKEN}
      nv_tileaa.return
    }}
    """
    data = np.arange(256, dtype=np.float32).reshape(2, 4, 4, 8)
    # The first filter position of the first two rows of outputs: padding, then the first row.
    expected = np.concatenate([np.full((4, 4), -np.inf, np.float32), data[0, 0, :, :4]])
    for module in (tools.parse(source), convert(source)):
        result = np.zeros((8, 4), np.float32)
        launch(module, "k", (1, 1, 1), [data, result])
        assert (result == expected).all()


# Slices


@pytest.mark.parametrize(
    ("type_", "extent", "slices", "index"),
    [("i32", 4, 2, 1), ("i8", 1, 256, 200), ("i64", 2, 4, 3), ("i16", 8, 1, 0)],
)
@pytest.mark.parametrize("constant", [False, True])
def test_slices(type_: str, extent: int, slices: int, index: int, constant: bool):
    dtype = np.dtype(f"i{int(type_[1:]) // 8}")
    number = int(np.array(index).astype(dtype))
    given = f"%i = arith.constant {number} : {type_}" if constant else ""
    size = extent * slices
    whole, part = f"tensor<{size}xi32>", f"tensor<{extent}xi32>"
    source = f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>, %{"unused" if constant else "i"}: {type_}) attributes
        {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      {given}
      %zero = arith.constant 0 : i32
      %end = arith.constant {size} : i32
      %x = nv_tileaa.make_range %zero, %end : i32 -> {whole}
      %s = nv_tileaa.extract_slice %x[%i : {type_}] : {whole} -> {part}
      %d = nv_tileaa.addi %s, %s : {part}
      %y = nv_tileaa.insert_slice %d into %x[%i : {type_}] : {part}, {whole} -> {whole}
      %ps = nv_tileaa.splat %p : !nv_tileaa.ptr<i32> -> tensor<{size}x!nv_tileaa.ptr<i32>>
      %qs = nv_tileaa.addptr %ps, %x : tensor<{size}x!nv_tileaa.ptr<i32>>, {whole}
      %t = nv_tileaa.store weak %qs, %y : tensor<{size}x!nv_tileaa.ptr<i32>>, {whole} -> {TOKEN}
      nv_tileaa.return
    }}
    """
    expected = np.arange(size, dtype=np.int32)
    expected[extent * index : extent * (index + 1)] *= 2
    for module in (tools.parse(source), convert(source)):
        out = np.zeros(size, np.int32)
        launch(module, "k", (1, 1, 1), [out, np.array(index).astype(dtype)[()]])
        assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("indices", [("i", "i"), ("i", "j"), ("j", "i")])
@pytest.mark.parametrize("extents", [(4, 4), (4, 8), (8, 4), (1, 4), (4, 1), (2, 16)])
def test_slices_at_one_index_start_where_their_extents_say(
    extents: tuple[int, int], indices: tuple[str, str]
):
    """They share an offset where it is the same."""
    whole, half = "tensor<32xi32>", "nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>"
    taken = ""
    for number, (extent, index) in enumerate(zip(extents, indices, strict=True)):
        part, pointers = f"tensor<{extent}xi32>", f"tensor<{extent}x!nv_tileaa.ptr<i32>>"
        taken += f"""
      %s{number} = nv_tileaa.extract_slice %x[%{index} : i32] : {whole} -> {part}
      %end{number} = arith.constant {extent} : i32
      %r{number} = nv_tileaa.make_range %zero, %end{number} : i32 -> {part}
      %o{number} = nv_tileaa.splat %{"pq"[number]} : !nv_tileaa.ptr<i32> -> {pointers}
      %a{number} = nv_tileaa.addptr %o{number}, %r{number} : {pointers}, {part}
      %t{number} = nv_tileaa.store weak %a{number}, %s{number} : {pointers}, {part} -> {TOKEN}"""
    source = f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>, %q: !nv_tileaa.ptr<i32>, %i: i32, %j: i32)
        attributes {{nv_tileaa.kernel_spec = #{half}}} {{
      %zero = arith.constant 0 : i32
      %last = arith.constant 32 : i32
      %x = nv_tileaa.make_range %zero, %last : i32 -> {whole}{taken}
      nv_tileaa.return
    }}"""
    for module in (tools.parse(source), convert(source)):
        outs = [np.zeros(extent, np.int32) for extent in extents]
        launch(module, "k", (1, 1, 1), [*outs, 1, 0])
        starts = [extent * (index == "i") for extent, index in zip(extents, indices, strict=True)]
        for out, start in zip(outs, starts, strict=True):
            assert out.tolist() == list(range(start, start + len(out)))


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("depth", [0, 1])
def test_a_poison_that_slices_are_inserted_into_is_an_allocation(position: int, depth: int):
    """At once, or in a loop that carries it at any position."""
    tile, part = "tensor<8xf32>", "tensor<4xf32>"
    insert = f"%n = nv_tileaa.insert_slice %s into %X[%c : i32] : {part}, {tile} -> {tile}"
    body = insert.replace("%X", "%u")
    if depth:
        names = ["%v0", "%v1", "%v2"]
        given = [f"%{name} = %x" for name in ("v0", "v1", "v2")]
        given[position] = f"{names[position]} = %u"
        yielded = [*names]
        yielded[position] = "%n"
        types = ", ".join([tile] * 3)
        body = f"""%l:3 = scf.for %k = %c to %c step %c iter_args({", ".join(given)}) -> ({types}) : i32 {{
          {insert.replace("%X", names[position])}
          scf.yield {", ".join(yielded)} : {types}
        }}"""
    source = f"""
    nv_tileaa.func @f(%x: {tile}, %s: {part}) {{
      %c = arith.constant 1 : i32
      %u = ub.poison : {tile}
      {body}
      nv_tileaa.return
    }}"""
    names = [op.name for op in convert(source).walk()]
    assert names.count("nv_tileas.alloc_tensor") == 1 and "ub.poison" not in names


@pytest.mark.parametrize("op", ["extract_slice", "insert_slice"])
def test_slices_of_tensor_memory(op: str):
    whole = "tensor<8xf32, #nv_tileas.memory<tmem>>"
    body = {
        "extract_slice": f"%s = nv_tileaa.extract_slice %x[%i : i32] : {whole} -> tensor<4xf32>",
        "insert_slice": f"%s = nv_tileaa.insert_slice %x into %y[%i : i32] : {whole}, tensor<16xf32> -> tensor<16xf32>",
    }[op]
    source = (
        f"nv_tileaa.func @f(%x: {whole}, %y: tensor<16xf32>, %i: i32) {{ {body} nv_tileaa.return }}"
    )
    message = "TODO: only reg and smem layouts are supported at the moment"
    assert failure(source) == (message, f"nv_tileaa.{op}")


# Matrix products


def dot(a: str, b: str, c: str, scales: str = "", attributes: str = "", warps: int = 4) -> str:
    """A function with one product."""
    names = ("a", "b", "c", *(("sfa", "sfb") if scales else ()))
    types = [f"tensor<{type}>" for type in (a, b, c, *scales.split())]
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip(names, types, strict=True))
    scaled = "scaled by %sfa, %sfb" if scales else ""
    return f"""
    nv_tileaa.func @f({arguments}) attributes
        {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = {warps}, num_ctas = 1>}} {{
      %d = nv_tileaa.dot %a, %b, %c {scaled} {{{attributes}}} : {", ".join(types)}
      nv_tileaa.return
    }}
    """


LARGE = ("128x64xf16", "64x128xf16", "128x128xf32")
SIGNS = (
    "signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<unsigned>"
)
F32 = ("16x8xf32", "8x8xf32", "16x8xf32")
FP8_SCALED = ("128x64xf8E4M3FN", "64x128xf8E5M2", "128x128xf32", "128x2xf8E8M0FNU 2x128xf8E8M0FNU")
FP4 = ("128x64xf4E2M1FN", "64x128xf4E2M1FN", "128x128xf32")
FP4_SCALED = (*FP4, "128x4xf8E4M3FN 4x128xf8E4M3FN")


@pytest.mark.parametrize(
    ("target", "source", "op", "atom"),
    [
        ("sm_80", dot(*LARGE), "dot", "mma_f16_f16_f32"),
        ("sm_90", dot(*LARGE), "dot", "mma_f16_f16_f32"),
        ("sm_90a", dot(*LARGE), "async.dot", "wgmma_f16_f16_f32"),
        ("sm_90a", dot(*LARGE, warps=8), "async.dot", "wgmma_f16_f16_f32"),
        ("sm_90a", dot(*LARGE, warps=2), "dot", "mma_f16_f16_f32"),
        ("sm_90a", dot("32x16xf16", "16x8xf16", "32x8xf32"), "dot", "mma_f16_f16_f32"),
        ("sm_100a", dot(*LARGE), "async.dot", "umma_f16_f16_f32"),
        # Two blocks of 128 rows, whose accumulators take all columns, and more than there are.
        (
            "sm_100a",
            dot("256x64xf16", "64x256xf16", "256x256xf32", warps=8),
            "async.dot",
            "umma_f16_f16_f32",
        ),
        ("sm_100a", dot("256x64xf16", "64x512xf16", "256x512xf32"), "dot", "mma_f16_f16_f32"),
        ("sm_120a", dot(*LARGE), "dot", "mma_f16_f16_f32"),
        (
            "sm_90a",
            dot("2x64x16xbf16", "2x16x8xbf16", "2x64x8xf32"),
            "async.dot",
            "wgmma_bf16_bf16_f32",
        ),
        ("sm_90a", dot("8x16xf16", "16x8xf16", "8x8xf32"), "dot", "mma_f16_f16_f32"),
        ("sm_90a", dot("16x16xf16", "16x2xf16", "16x2xf32"), "dot", "mma_f16_f16_f32"),
        ("sm_90a", dot("8x4xf16", "4x8xf16", "8x8xf32"), "dot", None),
        ("sm_90a", dot(*F32), "dot", None),
        ("sm_90a", dot(*F32, attributes='input_precision = "ieee"'), "dot", None),
        (
            "sm_90a",
            dot(*F32, attributes='input_precision = "tf32"'),
            "dot",
            "mma_tf32_tf32_f32",
        ),
        ("sm_80", dot("16x32xf8E4M3FN", "32x8xf8E4M3FN", "16x8xf32"), "dot", None),
        ("sm_89", dot("16x32xf8E4M3FN", "32x8xf8E5M2", "16x8xf16"), "dot", "mma_e4m3_e5m2_f16"),
        ("sm_90a", dot("16x4xf64", "4x8xf64", "16x8xf64"), "dot", "mma_f64_f64_f64"),
        (
            "sm_90a",
            dot("64x32xi8", "32x16xi8", "64x16xi32", attributes=SIGNS),
            "async.dot",
            "wgmma_s8_u8_s32",
        ),
        ("sm_80", dot("64x32xi16", "32x16xi16", "64x16xi32", attributes=SIGNS), "dot", None),
        ("sm_100a", dot(*FP8_SCALED), "async.dot", "umma_mxf8f6f4_e4m3_e5m2_f32"),
        ("sm_120a", dot(*FP8_SCALED), "dot", "mma_mxf8f6f4_e4m3_e5m2_f32"),
        ("sm_100f", dot(*FP4_SCALED), "async.dot", "umma_mxf4nvf4_e2m1_e2m1_f32"),
    ],
)
def test_products_by_target(target: str, source: str, op: str, atom: str | None):
    module = convert(source, target)
    (found,) = (op for op in module.walk() if op.name.endswith(".dot"))
    written = found.properties.get("atom")
    assert found.name == f"nv_tileas.{op}"
    assert (None if written is None else str(written)) == (atom and f"#nv_tileas<atom {atom}>")
    waits = [op.name for op in module.walk() if op.name == "nv_tileas.async.future_wait"]
    assert len(waits) == (op == "async.dot")


F8 = ("128x64xf8E4M3FN", "64x64xf8E5M2", "128x64xf32")
WIDE_F8 = ("128x64xf8E4M3FN", "64x128xf8E5M2", "128x128xf32")


@pytest.mark.parametrize(
    ("target", "source", "promoted"),
    [
        *(
            ("sm_90a", dot(f"128x64x{a}", f"64x64x{b}", "128x64xf32", attributes=fast), not fast)
            for a in ("f8E4M3FN", "f8E5M2")
            for b in ("f8E4M3FN", "f8E5M2")
            for fast in ("", "fast_acc")
        ),
        ("sm_90a", dot(*WIDE_F8), False),
        ("sm_90a", dot(*WIDE_F8, warps=8), True),
        ("sm_90a", dot("128x64xf8E4M3FN", "64x64xf8E4M3FN", "128x64xf16"), False),
        ("sm_90a", dot("128x64xf16", "64x64xf16", "128x64xf32"), False),
        ("sm_89", dot(*F8), False),
        ("sm_100a", dot(*F8), False),
    ],
)
def test_sums_of_short_floats_are_added_by_threads(target: str, source: str, promoted: bool):
    module = convert(source, target)
    (found,) = (op for op in module.walk() if op.name.endswith(".dot"))
    sums = [op for op in module.walk() if op.name == "nv_tileaa.addf"]
    assert (str(found.operands[2].name_hint) != "c") == promoted
    assert [op.operands[0].name_hint for op in sums] == ["c"] * promoted


def loop_of_doubles(m: int, n: int, k: int, *, loaded: bool = True) -> str:
    """A loop that multiplies f64, of which it loads A, and B transposed."""
    a, b, c = (f"tensor<{rows}x{columns}xf64>" for rows, columns in ((m, k), (k, n), (m, n)))
    memory = "!nv_tileaa.memref<?x?xf64, strides = [?, 1]>"

    def load(name: str, rows: int, columns: int) -> str:
        view = f"!nv_tileaa.tiled_view<{rows}x{columns}xf64, {memory}>"
        return f"""
        %v_{name} = nv_tileaa.block_tile %o {{tileSizes = array<i64: {rows}, {columns}>,
            dimGroups = [[0], [1]]}} : {memory} -> {view}
        %{name}, %t_{name} = nv_tileaa.tiled_load weak %v_{name}[%i, %i] token = %t :
            {view}[i32, i32] -> tensor<{rows}x{columns}xf64>, !nv_tileaa.mem_token"""

    return f"""
    nv_tileaa.func @f(%o: {memory}, %given: {a}, %c: {c}, %zero: i32, %end: i32, %one: i32)
        attributes
        {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %r = scf.for %i = %zero to %end step %one iter_args(%x = %c) -> ({c}) : i32 {{
        {load("a", m, k)}
        {load("y", n, k)}
        %b = nv_tileaa.permute %y {{permutation = array<i32: 1, 0>}}
            : tensor<{n}x{k}xf64> -> {b}
        %d = nv_tileaa.dot {"%a" if loaded else "%given"}, %b, %x : {a}, {b}, {c}
        scf.yield %d : {c}
      }}
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize(
    ("target", "sizes", "loaded", "has_atom"),
    [
        ("sm_80", (16, 16, 16), True, True),
        ("sm_89", (16, 16, 16), True, True),
        ("sm_90a", (16, 16, 16), True, True),
        ("sm_100a", (16, 16, 16), True, True),
        ("sm_103a", (16, 16, 16), True, False),
        ("sm_110a", (16, 16, 16), True, False),
        ("sm_120a", (16, 16, 16), True, False),
        ("sm_121a", (16, 16, 16), True, False),
        # A is in registers already.
        ("sm_120a", (16, 16, 16), False, True),
        # Operands and accumulator in registers: 400 fit, 448 do not.
        ("sm_120a", (16, 64, 32), True, False),
        ("sm_120a", (32, 128, 16), True, True),
        # 48 KiB of operands, and then 64; narrow ones of 144.
        ("sm_120a", (128, 64, 32), True, False),
        ("sm_120a", (64, 64, 64), True, True),
        ("sm_120a", (256, 32, 64), True, False),
        # Too few rows and steps, too many columns, and too many steps of a narrow tile.
        ("sm_120a", (32, 64, 32), True, True),
        ("sm_120a", (128, 64, 16), True, True),
        ("sm_120a", (64, 128, 32), True, True),
        ("sm_120a", (256, 32, 128), True, True),
    ],
)
def test_multiply_adds_replace_a_padded_mma(
    target: str, sizes: tuple[int, int, int], loaded: bool, has_atom: bool
):
    module = convert(loop_of_doubles(*sizes, loaded=loaded), target)
    (found,) = (op for op in module.walk() if op.name == "nv_tileas.dot")
    written = found.properties.get("atom")
    expected = "#nv_tileas<atom mma_f64_f64_f64>" if has_atom else None
    assert (None if written is None else str(written)) == expected


@pytest.mark.parametrize(("target", "kind"), [("sm_80", "dot"), ("sm_90a", "async.dot")])
def test_an_accumulator_of_zeros_is_allocated_where_the_zeros_are(target: str, kind: str):
    c = "tensor<64x64xf32>"
    source = f"""
    %a, %b, %n, %one, %end = "test.op"() : () -> (tensor<64x64xf16>, tensor<64x64xf16>, i32, i32, i32)
    %z = arith.constant dense<0.0> : {c}
    scf.for %i = %n to %end step %one : i32 {{
      %d = nv_tileaa.dot %a, %b, %z : tensor<64x64xf16>, tensor<64x64xf16>, {c}
      "test.op"(%d) : ({c}) -> ()
    }}
    """
    tools.check(
        str(convert(source, target)),
        f"""
        // CHECK: nv_tileas.alloc_tensor : {c}
        // CHECK: [[ACC:%.*]] = nv_tileas.insert_slice
        // CHECK: scf.for
        // CHECK: nv_tileas.{kind} %a, %b, [[ACC]] {{
        """,
    )
    # Sums of -0.0 keep their sign only where -0.0 is added to them.
    negative = convert(source.replace("dense<0.0>", "dense<-0.0>"), target)
    assert "alloc_tensor" not in str(negative)


@pytest.mark.parametrize("option", ["warp-scaled-mma", "warp-scaled-products"])
@pytest.mark.parametrize(
    ("target", "atom"), [("sm_100a", None), ("sm_120a", "mma_mxf8f6f4_e4m3_e5m2_f32")]
)
def test_scaled_dots_may_keep_to_mma_sync(target: str, atom: str | None, option: str):
    module = convert(dot(*FP8_SCALED), target, f"{{{option}=true}}")
    (found,) = (op for op in module.walk() if op.name == "nv_tileas.dot")
    written = found.properties.get("atom")
    assert (None if written is None else str(written)) == (atom and f"#nv_tileas<atom {atom}>")


def test_fewer_choices_of_scaled_instructions_are_among_more():
    atoms = [atom for atom in MMA_ATOMS.values() if atom.scale and atom.a in OPERAND_BITS_IN_MEMORY]
    every, packed, warps = (
        [atom.name for atom in atoms if choice.has(atom)]
        for choice in (ScaledMMA.ANY, ScaledMMA.PACKED, ScaledMMA.OF_WARPS)
    )
    assert set(warps) < set(packed) < set(every) and len(every) == len(atoms)


def rows_of_scaled_dot(m: int, n: int) -> str:
    """A dot of so many rows and columns."""
    scales = f"{m}x4xf8E8M0FNU 4x{n}xf8E8M0FNU"
    return dot(f"{m}x128xf8E4M3FN", f"128x{n}xf8E4M3FN", f"{m}x{n}xf32", scales)


@pytest.mark.parametrize(
    ("source", "atom"),
    [
        (dot(*FP8_SCALED), "umma_mxf8f6f4_e4m3_e5m2_f32"),
        (dot(*FP8_SCALED, warps=2), None),
        (dot(*FP4_SCALED), "umma_mxf4nvf4_e2m1x2_e2m1x2_f32"),
        (dot(*FP4, "128x2xf8E8M0FNU 2x128xf8E8M0FNU"), "umma_mxf4_e2m1x2_e2m1x2_f32"),
        (dot(*FP4_SCALED, warps=2), None),
        (dot("64x32xf8E4M3FN", "32x8xf8E4M3FN", "64x8xf32", "64x1xf8E8M0FNU 1x8xf8E8M0FNU"), None),
        (rows_of_scaled_dot(256, 128), "umma_mxf8f6f4_e4m3_e4m3_f32"),
        (rows_of_scaled_dot(512, 64), "umma_mxf8f6f4_e4m3_e4m3_f32"),
        # The accumulator leaves no columns for scales.
        (rows_of_scaled_dot(256, 256), None),
        (rows_of_scaled_dot(512, 128), None),
    ],
)
def test_scaled_dots_in_tensor_memory_have_bytes(source: str, atom: str | None):
    module = convert(source, "sm_100a", "{packed-scaled-mma=true}")
    (found,) = (op for op in module.walk() if op.name in ("nv_tileas.dot", "nv_tileas.async.dot"))
    written = found.properties.get("atom")
    assert (None if written is None else str(written)) == (atom and f"#nv_tileas<atom {atom}>")
    remarks = str(module.attributes.get("nv_tileaa.remarks", ""))
    assert ("RemarkTensorCoreScaledByThreads" in remarks) == (atom is None)


def unpacking_dot(a: str, b: str, warps: int = 4) -> str:
    """A dot of 128 x 64 and 64 x 128 elements of four bits, which these ops make."""
    return f"""
    nv_tileaa.func @f(%x: tensor<128x32xi8>, %u: tensor<128x64xf4E2M1FN>,
                      %v: tensor<64x128xf4E2M1FN>, %c: tensor<128x128xf32>,
                      %s: tensor<128x4xf8E4M3FN>, %t: tensor<4x128xf8E4M3FN>) attributes
        {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = {warps}, num_ctas = 1>}} {{
      %row = nv_tileaa.view %x : tensor<128x32xi8> -> tensor<4096xi8>
      %octets = nv_tileaa.unpack %row : tensor<4096xi8> -> tensor<8192xf4E2M1FN>
      %p = nv_tileaa.view %octets : tensor<8192xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
      %q = nv_tileaa.permute %p {{permutation = array<i32: 1, 0>}}
          : tensor<128x64xf4E2M1FN> -> tensor<64x128xf4E2M1FN>
      %d = nv_tileaa.dot %{a}, %{b}, %c scaled by %s, %t : tensor<128x64xf4E2M1FN>,
          tensor<64x128xf4E2M1FN>, tensor<128x128xf32>, tensor<128x4xf8E4M3FN>,
          tensor<4x128xf8E4M3FN>
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize("target", ["sm_100a", "sm_120a"])
@pytest.mark.parametrize("a", ["p", "u"])
@pytest.mark.parametrize("b", ["q", "v"])
def test_elements_that_were_unpacked_for_a_dot_stay_packed(target: str, a: str, b: str):
    text = str(convert(unpacking_dot(a, b), target, "{packed-scaled-mma=true}"))
    (found,) = (each for each in text.splitlines() if "e2m1x2" in each)
    assert "tile<128x32xi8>, tile<32x128xi8>" in found
    assert ("dot %x," in found) == (a == "p")
    # Others are packed.
    assert text.count("f4E2M1FN> -> tensor<4096xi8>") == (a == "u") + (b == "v")
    assert ("nv_tileas.reinterpret" in text) == ((a, b) != ("p", "q"))


def test_elements_of_four_bits_without_an_instruction_stay_apart():
    text = str(convert(unpacking_dot("p", "q", warps=2), "sm_100a", "{packed-scaled-mma=true}"))
    assert "i8> -> tensor<8192xf4E2M1FN>" in text
    assert "tile<128x64xf4E2M1FN>, tile<64x128xf4E2M1FN>" in text


@pytest.mark.parametrize(
    ("source", "atom"),
    [
        (dot(*FP4_SCALED), "mma_mxf4nvf4_e2m1_e2m1_f32"),
        (dot(*FP4, "128x2xf8E8M0FNU 2x128xf8E8M0FNU"), "mma_mxf4_e2m1_e2m1_f32"),
        (
            dot("8x32xf4E2M1FN", "32x8xf4E2M1FN", "8x8xf32", "8x1xf8E8M0FNU 1x8xf8E8M0FNU"),
            "mma_mxf8f6f4_e2m1_e2m1_f32",
        ),
        (dot("8x32xf4E2M1FN", "32x8xf4E2M1FN", "8x8xf32", "8x2xf8E4M3FN 2x8xf8E4M3FN"), None),
    ],
)
def test_a_scaled_dot_has_the_instruction_that_divides_it(source: str, atom: str | None):
    module = convert(source, "sm_120a", "{warp-scaled-mma=true}")
    (found,) = (op for op in module.walk() if op.name == "nv_tileas.dot")
    written = found.properties.get("atom")
    assert (None if written is None else str(written)) == (atom and f"#nv_tileas<atom {atom}>")
    remarks = str(module.attributes.get("nv_tileaa.remarks", ""))
    assert ("RemarkTensorCoreScaledByThreads" in remarks) == (atom is None)


def test_a_product_keeps_its_attributes():
    attributes = 'propagate_nan, fast_acc, input_precision = "tf32", mine = 3 : i32'
    assert line(convert(dot(*F32, attributes=attributes), "sm_80"), "nv_tileas.dot") == (
        '%d = nv_tileas.dot %a, %b, %c {propagate_nan, fast_acc, input_precision = "tf32", '
        "atom = #nv_tileas<atom mma_tf32_tf32_f32>, mine = 3 : i32} : "
        "tile<16x8xf32>, tile<8x8xf32>, tile<16x8xf32> -> tile<16x8xf32>"
    )


@pytest.mark.parametrize(
    ("target", "source", "message"),
    [
        (None, dot(*LARGE), "failed to get the target spec"),
        ("sm_999", dot(*LARGE), "failed to get the target spec"),
        (
            "sm_90a",
            dot(*FP8_SCALED),
            "mma block scale is not supported by compute capability < sm100",
        ),
        ("sm_100", dot(*FP8_SCALED), "failed to find available mma partition"),
        ("sm_100a", dot(*FP4), "fp4 mma should expect scaling factors"),
        (
            "sm_100a",
            dot(*FP4, "128x4xf8E4M3FN 4x128xf8E8M0FNU"),
            "sfa and sfb element type mismatch",
        ),
        (
            "sm_100a",
            dot("128x64xf8E4M3FN", "64x128xf8E4M3FN", "128x128xf16", FP8_SCALED[3]),
            "expects c type to be Float32",
        ),
        (
            "sm_100a",
            dot(*FP8_SCALED[:3], "128x2xf8E8M0FNU 4x128xf8E8M0FNU"),
            "Scale factor vector size mismatch: 32, 16",
        ),
        (
            "sm_100a",
            dot(*FP8_SCALED[:3], "128x4xf8E8M0FNU 4x128xf8E8M0FNU"),
            "unsupported block-scaled mma configuration",
        ),
    ],
)
def test_products_that_no_target_has(target: str | None, source: str, message: str):
    assert failure(source, target) == (message, "nv_tileaa.dot")


# Regions


def test_a_reduction_keeps_its_witness_and_its_body():
    source = """
    nv_tileaa.func @f(%x: tensor<8x32xf32>) {
      %r = nv_tileaa.reduce %x {axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>, identities = [0.0 : f32]} : tensor<8x32xf32> -> tensor<8xf32> {
      ^bb0(%l: f32, %e: f32):
        %m = nv_tileaa.addf %l, %e : f32
        nv_tileaa.yield %m : f32
      }
      nv_tileaa.return
    }
    """
    tools.check(
        tools.to_text(convert(source)),
        """
        // CHECK: %r = nv_tileas.reduce %x {axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>, identities = [0.000000e+00 : f32]} : tensor<8x32xf32> -> tensor<8xf32> {
        // CHECK-NEXT: ^bb0(%l: f32, %e: f32):
        // CHECK-NEXT: %m = nv_tileaa.addf %l, %e : f32
        // CHECK-NEXT: nv_tileas.yield %m : f32
        """,
    )


# Ops that stay

LAYOUTS = {
    "z": "#nv_tileas.layout<((2, 2), (32), 1, 1), ((1, 64), (2), 0, 0)>",
    "half": "#nv_tileas.layout<(2, (32), 1, 1), (1, (2), 0, 0)>",
    "other": "#nv_tileas.layout<(2, (32), 1, 1), (32, (1), 0, 0)>",
    "split": "#nv_tileas.layout<((2, 2), (32), 1, 1), ((1, 2), (4), 0, 0)>",
}
"""Layouts of 128 elements with the halves in registers, of 64 of them, and of two lanes' halves."""


def cat(source: str, result: str) -> str:
    """The concatenation of two tiles of 64 elements in one layout, to one in another layout."""
    part = f"tensor<64xf32, {LAYOUTS[source]}>" if source else "tensor<64xf32>"
    whole = f"tensor<128xf32, {LAYOUTS[result]}>" if result else "tensor<128xf32>"
    return f"""
    nv_tileaa.func @f(%a: {part}, %b: {part}) {{
      %c = nv_tileaa.cat %a, %b {{axis = 0 : i32}} : {part}, {part} -> {whole}
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize(
    ("source", "result", "conversions"),
    [("", "", 0), ("half", "", 0), ("half", "z", 0), ("other", "z", 2)],
)
def test_a_cat_takes_the_halves_of_its_layout(source: str, result: str, conversions: int):
    module = convert(cat(source, result))
    names = [op.name for op in module.walk()]
    assert names.count("nv_tileas.convert_layout") == conversions
    if conversions:
        (found,) = (op for op in module.walk() if op.name == "nv_tileaa.cat")
        assert len({operand.type for operand in found.operands}) == 1
        again = tools.parse(tools.to_text(module))
        ConvertTileAAToTileASPass().apply(tools.context(), again)
        assert tools.to_text(again) == tools.to_text(module)


@pytest.mark.parametrize(
    ("source", "result", "message"),
    [
        ("", "z", "missing source layout"),
        ("half", "split", "failed to infer source layout"),
    ],
)
def test_a_cat_without_source_layouts(source: str, result: str, message: str):
    assert failure(cat(source, result)) == (message, "nv_tileaa.cat")


def plugin(attributes: str) -> str:
    return f"""
    nv_tileaa.func @f(%a: tensor<64xf32>) {{
      %c = nv_tileaa.plugin "fft"(%a) {{{attributes}}} : (tensor<64xf32>) -> tensor<64xf32>
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize(
    ("attributes", "target", "message"),
    [
        ("tmem_bytes = 512 : i32", "sm_90a", "plugin has unsupported feature"),
        (f"input_layouts = [{LAYOUTS['z']}]", "sm_90a", "fails to assign layout"),
        ("output_layouts = [1 : i32]", "sm_90a", "fails to assign layout"),
    ],
)
def test_plugins_that_do_not_fit(attributes: str, target: str, message: str):
    assert failure(plugin(attributes), target) == (message, "nv_tileaa.plugin")


def test_plugins_that_fit():
    source = plugin(f"tmem_bytes = 512 : i32, input_layouts = [{LAYOUTS['half']}]")
    assert "nv_tileaa.plugin" in tools.to_text(convert(source, "sm_100a"))


def test_what_is_left_of_cuda_tile_is_refused():
    module = tools.parse("cuda_tile.module @m { entry @k() { } }")
    with pytest.raises(PassFailedException, match=FAILURE) as caught:
        ConvertTileAAToTileASPass().apply(tools.context(), module)
    assert caught.value.__notes__[0].startswith("see 'cuda_tile.module' op")


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        # What is selected is known.
        ("%k = arith.constant true\n%s = tile.select %k, %a, %b : tensor<16x32xi8>", "plain"),
        # Zero, where the condition does not hold.
        ("%s = tile.select %p, %a, %z : tensor<16x32xi8>", "guarded"),
        ("%s = tile.select %p, %a, %b : tensor<16x32xi8>", "selected"),
    ],
)
def test_dots_of_selects_are_simplified(select: str, expected: str):
    signs = (
        "signedness_a = #nv_tileaa.signedness<signed>, signedness_b = #nv_tileaa.signedness<signed>"
    )
    module = convert(
        f"""
        nv_tileaa.func @f(%a: tensor<16x32xi8>, %b: tensor<16x32xi8>, %y: tensor<32x8xi8>,
                          %c: tensor<16x8xi32>, %p: i1) attributes
            {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
          %n = arith.constant 0 : i8
          %z = nv_tileaa.splat %n : i8 -> tensor<16x32xi8>
          {select}
          %d = nv_tileaa.dot %s, %y, %c {{{signs}}}
              : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32>
          "test.op"(%d) : (tensor<16x8xi32>) -> ()
          nv_tileaa.return
        }}
        """,
        "sm_80",
    )
    (found,) = (op for op in module.walk() if op.name == "nv_tileas.dot")
    assert found.properties.get("atom") is not None
    assert str(found).count("%s") == (expected == "selected")
    branches = [op for op in module.walk() if op.name == "scf.if"]
    assert (found.parent_op() in branches) == (expected == "guarded")
