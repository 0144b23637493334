"""Options of layout assignment: the report, forced candidates, and the preference for TMA."""

import json
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tests.unit.tools import REPOSITORY
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

PASS = "tileas-assign-load-store-layouts"
KERNEL = "{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"
MEMREF = "!nv_tileaa.memref<64x64xELEMENT, strides = [64, 1]>"
VIEW = f"!nv_tileaa.tiled_view<64x64xELEMENT, {MEMREF}>"


def kernel(
    body: str,
    element: str = "f32",
    target: str = "sm_90a",
    align: int = 16,
    name: str = "k",
    memref: str = MEMREF,
) -> str:
    """A kernel with a view `%v` of 64 x 64 tiles; `VIEW` in the body is its type."""
    view = VIEW.replace(MEMREF, memref)
    text = f"""
    nv_tileaa.func @{name}(%p: !nv_tileaa.ptr<ELEMENT>, %i: i32) attributes {KERNEL} {{
      %q = nv_tileaa.assume #nv_tileaa.div_by<{align}>, %p : !nv_tileaa.ptr<ELEMENT>
      %m = nv_tileaa.make_memref %q : !nv_tileaa.ptr<ELEMENT> -> {memref}
      %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 64, 64>, dimGroups = [[0], [1]]}} : {memref} -> {view}
      {body.replace("VIEW", view)}
      nv_tileaa.return
    }}
    """.replace("ELEMENT", element)
    return f'builtin.module attributes {{nv_tileaa.target_spec = "{target}"}} {{{text}}}'


COPY = """
      %x = nv_tileas.tiled_load weak %v[%i, %i] LOAD : VIEW[i32, i32] -> tensor<64x64xELEMENT>
      %y = nv_tileaa.addf %x, %x : tensor<64x64xELEMENT>
      nv_tileas.tiled_store weak %y, %v[%i, %i] : tensor<64x64xELEMENT>, VIEW[i32, i32]
"""
LOAD, STORE = 3, 5
"""The numbers of the load and of the store."""


def copy(load: str = "", **options: Any) -> str:
    return kernel(COPY.replace("LOAD", load), **options)


def run(text: str, **options: object) -> ModuleOp:
    spec = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in options.items())
    spec = spec.replace('"True"', "true").replace('"False"', "false")
    return tools.run_passes(tools.parse(text), f"{PASS}{{{spec}}}" if spec else PASS)


def atoms(module: ModuleOp) -> list[str]:
    found = (op.properties.get("atom") for op in module.walk())
    return [atom.data for atom in found if isinstance(atom, nv_tileas.AtomAttr)]


def failure(text: str, **options: object) -> str:
    with pytest.raises(PassFailedException) as caught:
        run(text, **options)
    return str(caught.value)


def report(text: str, path: Path, **options: object) -> dict[str, Any]:
    file = path / "report.json"
    run(text, explain=file, **options)
    return json.loads(file.read_text())


# The report


def test_the_report_has_candidates_costs_and_the_choice(tmp_path: Path):
    (group,) = report(copy(), tmp_path)["functions"]["k"]
    assert group["group"] == ["#3 nv_tileas.tiled_load %x", "#5 nv_tileas.tiled_store"]
    load, _ = group["candidates"]
    assert [candidate["name"] for candidate in load["considered"]] == [
        "ldg_128",
        "ldg_64",
        "ldg_32",
        "tma_load_2d",
    ]
    best = load["considered"][0]
    assert best == {
        "name": "ldg_128",
        "bucket": "A register",
        "memory": "register",
        "axis": None,
        "alignment": 16,
        "family": "blocked",
        "layout": "((4, 8), 32, 4, 1):((1, 512), 4, 128, 0)",
        "transactions": 0.0,
        "cycles": None,
        "registers": 32.0,
        # 16 KiB are 512 sectors, asked for by 32 instructions, over 64 rows.
        "sectors": 8.5,
        "score": 25.0,
    }
    assert load["pruned"] == [
        "ldg_8: moves 1 bytes, less than an element",
        "ldg_16: moves 2 bytes, less than an element",
    ]
    by_layout = {option["layout"]: option for option in group["layouts"]}
    chosen = by_layout[group["chosen"]]
    assert chosen["score"] == min(o["score"] for o in by_layout.values() if "score" in o)
    # The load and the store touch the same registers, which count once.
    assert (chosen["sectors"], chosen["registers"]) == (17.0, 32.0)
    (memory,) = (option for option in by_layout.values() if "pruned" in option)
    assert (
        memory["pruned"] == "keeps the tile in memory, but 'nv_tileaa.addf' takes it in registers"
    )
    assert [access["by"] for access in group["accesses"]] == ["ldg_128", "stg_128"]


def test_the_report_as_text(tmp_path: Path):
    file = tmp_path / "report.txt"
    run(copy(align=4), explain=file)
    text = file.read_text()
    assert text.startswith(f"{PASS}\n  @k\n    group:\n      - #3 nv_tileas.tiled_load %x\n")
    assert "- ldg_64: needs addresses aligned to 8 bytes, but only 4 is known" in text
    assert "tma_load_2d: a base or stride is not a multiple of 16 bytes, as far as is known" in text


def test_the_report_of_conversions_and_products(tmp_path: Path):
    body = """
      %a = nv_tileas.tiled_load weak %v[%i, %i] : VIEW[i32, i32] -> tensor<64x64xf16>
      %c = arith.constant dense<0.0> : tensor<64x64xf32>
      %d = nv_tileas.dot %a, %a, %c {atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> -> tile<64x64xf32>
      "test.op"(%d) : (tensor<64x64xf32>) -> ()
    """
    dot, *groups = report(kernel(body, element="f16"), tmp_path)["functions"]["k"]
    assert dot["dot"] == "#5 nv_tileas.dot %d"
    assert dot["chosen"] == "mma_f16_f16_f32_2x2" and dot["above the best"] == 0
    scores = {name: strategy["score"] for name, strategy in dot["strategies"].items()}
    assert list(scores) == [f"mma_f16_f16_f32_{split}" for split in ("1x4", "2x2", "4x1")]
    assert min(scores, key=scores.__getitem__) == dot["chosen"]
    (operands,) = (group for group in groups if len(group["accesses"]) == 3)
    axes = [c["axis"] for op in operands["candidates"] for c in op["considered"]]
    assert {"A", "B"} <= set(axes)
    buckets = {c["bucket"] for op in operands["candidates"] for c in op["considered"]}
    assert buckets == {"A register", "A memory", "B register"}
    converted = [access for access in operands["accesses"] if "conversion" in access]
    assert converted and all(access["conversion"] > 0 for access in converted)


def test_the_report_of_the_worked_example_has_all_three_scores(tmp_path: Path):
    """The two that the hardware cannot do here are pruned, with the reason."""
    example = REPOSITORY / "tests/filecheck/transforms" / f"{PASS}-example.mlir"
    file = tmp_path / "report.json"
    tools.run_passes(tools.parse(example.read_text()), f'{PASS}{{explain="{file}"}}')
    groups = json.loads(file.read_text())["functions"]["example"]
    (load,) = (
        op
        for group in groups
        for op in group.get("candidates", ())
        if op["op"] == "#1 nv_tileas.tiled_load %a"
    )
    scores = {candidate["name"]: candidate["score"] for candidate in load["considered"]}
    assert scores["ldsm_m88_x4"] == 12
    assert load["pruned"] == [
        "ldsm_m816_x4: it widens packed elements of 4 or 6 bits, these have 16, at a score of 18",
        "tma_load_2d: it loads from global memory, the tile is in shared memory, at a score of 1",
    ]


def test_a_report_changes_nothing(tmp_path: Path):
    for name in ("softmax_f32", "transpose", "attention"):
        text = KERNELS[name].text_path.read_text()
        stages = "convert-cuda-tile-to-tileaa,convert-tileaa-to-tileas"
        plain, explained = (tools.run_passes(tools.parse(text), stages) for _ in range(2))
        tools.run_passes(plain, PASS)
        tools.run_passes(explained, f'{PASS}{{explain="{tmp_path / "report"}"}}')
        assert tools.to_text(plain) == tools.to_text(explained)


# Forced candidates


def test_a_forced_candidate_is_taken_and_its_price_reported(tmp_path: Path):
    text = copy()
    assert atoms(run(text, force=f"#{LOAD}=ldg_32")) == ["ldg_32", "stg_32"]
    (group,) = report(text, tmp_path, force=f"#{LOAD}=ldg_32")["functions"]["k"]
    forced = group["forced"]
    assert forced["instead of"] == "((4, 8), 32, 4, 1):((1, 512), 4, 128, 0)"
    assert forced["change"] == forced["score"] - forced["score of the best"] > 0


def test_ops_of_a_group_can_be_forced_apart():
    module = run(copy(), force=f"#{LOAD}=ldg_128, k#{STORE}=stg_32")
    assert atoms(module) == ["ldg_128", "stg_32"]
    assert any(isinstance(op, nv_tileas.ConvertLayoutOp) for op in module.walk())


def test_an_attribute_forces_too():
    assert atoms(run(copy('{nv_tileas.force = "ldg_64"}'))) == ["ldg_64", "stg_64"]


def test_a_forced_way_to_multiply(tmp_path: Path):
    text = kernel(
        """
      %a, %c = "test.op"() : () -> (tensor<64x64xf16>, tensor<64x64xf32>)
      %d = nv_tileas.dot %a, %a, %c {atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> -> tile<64x64xf32>
    """
    )
    wide = "#nv_tileas.layout<((2, 2, 2, 4), (4, 8), 4, 1), ((1, 512, 8, 1024), (2, 64), 16, 0)>"
    assert wide in tools.to_text(run(text, force="#4=mma_f16_f16_f32_1x4"))
    assert wide not in tools.to_text(run(text))
    dot, *_ = report(text, tmp_path, force="#4=mma_f16_f16_f32_1x4")["functions"]["k"]
    assert dot["above the best"] > 0
    assert failure(text, force="#4=mma_f16_f16_f32_8x1") == (
        "'nv_tileas.dot' op has no candidate 'mma_f16_f16_f32_8x1', expected one of "
        "mma_f16_f16_f32_1x4, mma_f16_f16_f32_2x2, mma_f16_f16_f32_4x1"
    )


@pytest.mark.parametrize(
    ("force", "message"),
    [
        (
            "#3=ldg_16",
            "'nv_tileas.tiled_load' op has no candidate 'ldg_16', "
            "expected one of ldg_128, ldg_64, ldg_32",
        ),
        (
            "#3=tma_load_2d",
            "'nv_tileas.tiled_load' op cannot have candidate 'tma_load_2d': keeps the tile in "
            "memory, but 'nv_tileaa.addf' takes it in registers; expected one of ldg_128, ldg_64, "
            "ldg_32",
        ),
        (
            "#4=ldg_32",
            "'nv_tileaa.addf' op has no candidates to choose from, expected one of "
            "#3 nv_tileas.tiled_load %x, #5 nv_tileas.tiled_store",
        ),
        (
            "#99=ldg_32",
            "the option force names op #99, which 'k' does not have, expected one of "
            "#3 nv_tileas.tiled_load %x, #5 nv_tileas.tiled_store",
        ),
        ("f#3=ldg_32", "the option force names the function 'f', expected one of k"),
        (
            "3=ldg_32",
            "expected items like '#4=ldg_32' or 'kernel#4=ldg_32' in the option force, got '3=ldg_32'",
        ),
    ],
)
def test_what_cannot_be_forced(force: str, message: str):
    assert failure(copy(), force=force) == message


def test_of_several_functions_one_must_be_named():
    second = copy(name="l").partition("} {")[2]
    text = copy().removesuffix("}") + second
    assert failure(text, force="#3=ldg_32") == (
        "expected the name of a function before '#3' in the option force, one of k, l"
    )
    assert atoms(run(text, force="l#3=ldg_32")) == ["ldg_128", "stg_128", "ldg_32", "stg_32"]


# TMA


def test_tma_is_preferred_by_option_or_environment(monkeypatch: pytest.MonkeyPatch):
    plain, tma = ["ldg_128", "stg_128"], ["tma_load_2d", "tma_store_2d"]
    assert atoms(run(copy())) == plain
    assert atoms(run(copy(), prefer_tma=True)) == tma
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "true")
    assert atoms(run(copy())) == tma
    assert atoms(run(copy(), prefer_tma=False)) == plain
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "false")
    assert atoms(run(copy())) == plain
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "maybe")
    assert failure(copy()) == f"{PREFER_TMA_VARIABLE} must be true or false, but is 'maybe'"
    assert atoms(run(copy(), prefer_tma=True)) == tma


@pytest.mark.parametrize("element", ["f32", "f8E5M2"])
@pytest.mark.parametrize("padding", ["neg_inf", "pos_inf", "neg_zero", "nan", "zero"])
def test_no_padding_keeps_an_access_from_tma(padding: str, element: str):
    load = f"{{padding_value = #nv_tileaa.padding_value<{padding}>}}"
    assert "tma_load_2d" in atoms(run(copy(load=load, element=element), prefer_tma=True))


def test_what_keeps_an_access_from_tma(tmp_path: Path):
    def reason(**options: Any) -> str:
        text = copy(**options)
        assert "tma_load_2d" not in atoms(run(text, prefer_tma=True))
        (group,) = report(text, tmp_path)["functions"]["k"]
        (pruned,) = (p for p in group["candidates"][0]["pruned"] if p.startswith("tma_load_2d"))
        return pruned.removeprefix("tma_load_2d: ")

    assert reason(target="sm_80") == "sm_80 has no TMA"
    assert reason(load="{allow_tma = false}") == "the hint allow_tma forbids TMA"
    assert reason(align=8) == "a base or stride is not a multiple of 16 bytes, as far as is known"
    strided = "!nv_tileaa.memref<64x64xELEMENT, strides = [64, 2]>"
    assert reason(memref=strided) == "no dimension has its elements side by side in memory"
    tall = "!nv_tileaa.memref<2147483649x64xELEMENT, strides = [64, 1]>"
    limit = "coordinates of TMA reach 2147483648 elements along a dimension"
    assert reason(memref=tall) == limit
    apart = "!nv_tileaa.memref<64x64xELEMENT, strides = [274877906944, 1]>"
    assert reason(memref=apart) == "strides of tensor maps are up to 1099511627775 bytes"
    computed = (
        copy()
        .replace("make_memref %q", "make_memref %r")
        .replace("%m =", "%r = nv_tileaa.addptr %q, %i : !nv_tileaa.ptr<f32>, i32\n%m =")
    )
    assert "tma_load_2d" not in atoms(run(computed, prefer_tma=True))


def test_what_the_hardware_pads_with_goes_by_tma():
    for padding in ("zero", "nan"):
        load = f"{{padding_value = #nv_tileaa.padding_value<{padding}>}}"
        assert atoms(run(copy(load), prefer_tma=True)) == ["tma_load_2d", "tma_store_2d"]


def test_columns_that_are_side_by_side_go_by_tma():
    transposed = copy(memref="!nv_tileaa.memref<64x64xELEMENT, strides = [1, 64]>", element="f16")
    module = run(transposed, prefer_tma=True)
    assert atoms(module) == ["tma_load_2d", "tma_store_2d"]
    layout = "nv_tileas.layout = <(64, 64), (1, 64), swizzle<3, 4, 3>>"
    assert tools.to_text(module).count(layout) == 2


@pytest.mark.parametrize(("follows", "by_tma"), [("load", True), ("store", False)])
def test_a_load_that_follows_a_store_does_not_go_by_tma(follows: str, by_tma: bool):
    """Nor does one that does so through a loop."""
    access = {
        "load": "%z, %t1 = nv_tileas.tiled_load weak %v[%i, %i] token = %t0 : VIEW[i32, i32] "
        "-> tensor<64x64xELEMENT>, !nv_tileaa.mem_token",
        "store": "%t1 = nv_tileas.tiled_store weak %y, %v[%i, %i] token = %t0 : "
        "tensor<64x64xELEMENT>, VIEW[i32, i32] -> !nv_tileaa.mem_token",
    }[follows]
    module = run(
        kernel(
            f"""
      %c1 = arith.constant 1 : i32
      %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      %end = scf.for %j = %c1 to %i step %c1 iter_args(%t0 = %t) -> (!nv_tileaa.mem_token) : i32 {{
        %x, %tx = nv_tileas.tiled_load weak %v[%i, %i] token = %t0 : VIEW[i32, i32] -> tensor<64x64xELEMENT>, !nv_tileaa.mem_token
        %y = nv_tileaa.addf %x, %x : tensor<64x64xELEMENT>
        {access}
        scf.yield %t1 : !nv_tileaa.mem_token
      }}
      """
        ),
        prefer_tma=True,
    )
    assert (atoms(module)[0] == "tma_load_2d") == by_tma


def test_an_operand_of_a_warpgroup_goes_straight_to_shared_memory():
    body = """
      %a = nv_tileas.tiled_load weak %v[%i, %i] : VIEW[i32, i32] -> tensor<64x64xf16>
      %c = arith.constant dense<0.0> : tensor<64x64xf32>
      %f = nv_tileas.async.dot %a, %a, %c {atom = #nv_tileas<atom wgmma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> -> !async.value<tile<64x64xf32>>
      %d = nv_tileas.async.future_wait %f : !async.value<tile<64x64xf32>> -> tile<64x64xf32>
      "test.op"(%d) : (tensor<64x64xf32>) -> ()
    """
    module = run(kernel(body, element="f16"))
    assert atoms(module)[0] == "tma_load_2d"
    tools.check(
        tools.to_text(module),
        """
        // CHECK: %a = nv_tileas.tiled_load {{.*}} -> tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
        // CHECK-NOT: convert_layout
        """,
    )
    # Without TMA the threads load, and store to shared memory.
    tools.check(
        tools.to_text(run(kernel(body, element="f16", align=8))),
        """
        // CHECK: %a = nv_tileas.tiled_load {{.*}} {atom = #nv_tileas<atom ldg_64>
        // CHECK: convert_layout {{.*}} -> tensor<64x64xf16, #nv_tileas.memory<smem,
        """,
    )


# Other memories and ops


def test_tensor_memory_is_read_in_its_own_shapes():
    body = """
      %b = nv_tileas.alloc_tensor : tensor<128x32xf32, #nv_tileas.memory<tmem>>
      %x = nv_tileas.tiled_load %b : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32>
      "test.op"(%x) : (tensor<128x32xf32>) -> ()
    """
    module = run(kernel(body, target="sm_100a"))
    assert atoms(module) == ["tmem_load_32x32b_x32"]
    tools.check(
        tools.to_text(module),
        "// CHECK: -> tensor<128x32xf32, #nv_tileas.layout<(32, 32, 4, 1), (1, 32, 1024, 0)>>",
    )


def test_memories_without_an_atom():
    body = """
      %b = nv_tileas.alloc_tensor : tensor<128x32xf32, #nv_tileas.memory<tmem>>
      %x = nv_tileas.tiled_load %b : tensor<128x32xf32, #nv_tileas.memory<tmem>> -> tensor<128x32xf32>
    """
    message = "'nv_tileas.tiled_load' op accesses memory in a way that no copy atom supports"
    assert failure(kernel(body, target="sm_90a")) == message


def test_tiles_without_a_linear_layout_stay_as_they_are():
    body = """
      %x = nv_tileas.alloc_tensor : tensor<3x5xf32>
      %y = nv_tileaa.addf %x, %x : tensor<3x5xf32>
      "test.op"(%y) : (tensor<3x5xf32>) -> ()
    """
    module = run(kernel(body))
    assert "nv_tileaa.addf %x, %x : tensor<3x5xf32>" in tools.to_text(module)


def test_a_warp_gets_its_operands_from_a_buffer():
    body = """
      %b = nv_tileas.alloc_tensor : tensor<64x64xf16, #nv_tileas.memory<smem>>
      %c = arith.constant dense<0.0> : tensor<64x64xf32>
      %d = nv_tileas.dot %b, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>} : tensor<64x64xf16, #nv_tileas.memory<smem>>, tensor<64x64xf16, #nv_tileas.memory<smem>>, tile<64x64xf32> -> tile<64x64xf32>
      "test.op"(%d) : (tensor<64x64xf32>) -> ()
    """
    tools.check(
        tools.to_text(run(kernel(body))),
        """
        // CHECK: %[[A:.*]] = nv_tileas.convert_layout %b : tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8, 2), (4, 8), (2, 2), 1),
        // CHECK-NEXT: %[[B:.*]] = nv_tileas.convert_layout %b : tensor<64x64xf16, #nv_tileas.memory<smem>> -> tensor<64x64xf16, #nv_tileas.layout<
        // CHECK-NEXT: nv_tileas.dot %[[A]], %[[B]], %c
        """,
    )


def test_a_scan_has_neighbours_in_registers_first():
    body = """
      %x = nv_tileas.tiled_load weak %v[%i, %i] : VIEW[i32, i32] -> tensor<64x64xf32>
      %s = nv_tileas.scan %x {axis = 0 : i32, inclusive = true} : tensor<64x64xf32> -> tensor<64x64xf32> {
        ^bb0(%l: f32, %r: f32):
        %sum = nv_tileaa.addf %l, %r : f32
        nv_tileas.yield %sum : f32
      }
      nv_tileas.tiled_store weak %s, %v[%i, %i] : tensor<64x64xf32>, VIEW[i32, i32]
    """
    tools.check(
        tools.to_text(run(kernel(body))),
        """
        // CHECK: nv_tileas.scan {{.*}} : tensor<64x64xf32, #nv_tileas.layout<(32, (2, 16), 4, 1), (64, (2048, 1), 16, 0)>>
        """,
    )


def registers(op: Operation) -> str:
    return str(op.results[0].type)


def test_positions_of_gathered_rows_are_where_the_rows_are():
    body = """
      %rows = "test.op"() : () -> (tensor<64xi32>)
      %x = nv_tileas.gather_load weak %v[%rows, %i] {sparse_dim = 0 : i32} : VIEW[tensor<64xi32>, i32] -> tensor<64x64xf32>
      "test.op"(%x) : (tensor<64x64xf32>) -> ()
    """
    module = run(kernel(body))
    (gather,) = (op for op in module.walk() if isinstance(op, nv_tileas.GatherLoadOp))
    assert "((4, 8), 32, 4, 1), ((1, 512), 4, 128, 0)" in registers(gather)
    assert "(8, (16, 2), 4, 1), (8, (0, 1), 2, 0)" in str(gather.coords[0].type)


@pytest.mark.parametrize(
    ("target", "align", "atom"),
    [
        ("sm_80", 16, "ldgsts_128"),
        ("sm_120a", 16, "tma_load_2d"),
        ("sm_80", 8, "ldg_64"),
    ],
)
def test_a_loop_loads_factors_to_shared_memory(target: str, align: int, atom: str):
    """So that pipelines can start them early; fragments are read from there each time."""
    body = """
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c = arith.constant dense<0.0> : tensor<64x64xf32>
      %r = scf.for %j = %c0 to %i step %c1 iter_args(%s = %c) -> (tensor<64x64xf32>) : i32 {
        %a = nv_tileas.tiled_load weak %v[%i, %j] : VIEW[i32, i32] -> tensor<64x64xf16>
        %b = nv_tileas.tiled_load weak %v[%j, %i] : VIEW[i32, i32] -> tensor<64x64xf16>
        %d = nv_tileas.dot %a, %b, %s {atom = #nv_tileas<atom mma_f16_f16_f32>} : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> -> tile<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      "test.op"(%r) : (tensor<64x64xf32>) -> ()
    """
    module = run(kernel(body, element="f16", target=target, align=align))
    assert atoms(module) == [atom, atom, "mma_f16_f16_f32"]
    text = tools.to_text(module)
    in_memory = "tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>"
    assert text.count(f"-> {in_memory}") == (2 if align == 16 else 0)


def test_a_tile_that_threads_look_at_stays_in_registers():
    body = """
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      scf.for %j = %c0 to %i step %c1 : i32 {
        %a = nv_tileas.tiled_load weak %v[%i, %j] : VIEW[i32, i32] -> tensor<64x64xf16>
        %b = nv_tileaa.addf %a, %a : tensor<64x64xf16>
        "test.op"(%b) : (tensor<64x64xf16>) -> ()
      }
    """
    assert atoms(run(kernel(body, element="f16", target="sm_80"))) == ["ldg_128"]
