"""Kernels divided among thread blocks compute the same; what cannot be divided stays whole."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from bench.matrix_kernels import CASES
from tileir_xdsl.analysis.threads import cluster_shapes
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase, launch_arguments

PASSES = 'convert-cuda-tile-to-tileaa{{compute-capability="{gpu}"}},canonicalize'


def tile_program(case: KernelCase, ctas: int, gpu: str = "sm_90a") -> ModuleOp:
    """A kernel with a hint that asks for clusters, where the pass takes it."""
    hints = f"optimization_hints=<default = {{num_cta_in_cga = {ctas}}}>"
    text = case.text_path.read_text().replace("optimization_hints=<default = {}>", hints)
    assert hints in text
    return tools.run_passes(tools.parse(text), PASSES.format(gpu=gpu))


def planned(module: ModuleOp, folder: Path) -> dict[str, Any]:
    """Runs the pass; what it reports on the only kernel."""
    path = folder / "report.json"
    tools.run_passes(module, f'tileas-plan-cta{{explain="{path}"}}')
    (facts,) = json.loads(path.read_text())["functions"].values()
    return facts[0]


def kernel_of(module: ModuleOp) -> nv_tileaa.FuncOp:
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    return function


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("name", "ctas", "shape"),
    [
        ("product_128x128x64", 2, (2, 1)),
        ("product_128x128x64", 4, (2, 2)),
        ("product_128x128x64", 16, (2, 4)),
        ("product_128x256x64", 2, (1, 2)),
        ("attention_128x128x128_causal", 2, (2, 1)),
        ("attention_128x128x128", 4, (2, 1)),
    ],
)
def test_kernels_compute_the_same(name: str, ctas: int, shape: tuple[int, int], tmp_path: Path):
    case = CASES[name]
    module = tile_program(case, ctas)
    report = planned(module, tmp_path)
    assert report == {"parts of rows": shape[0], "parts of columns": shape[1]}
    module.verify()
    kernel = kernel_of(module)
    assert cluster_shape(kernel) == shape and kernel.kernel_spec is not None
    assert kernel.kernel_spec.num_ctas.data == shape[0] * shape[1]
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    launch(module, case.name, case.grid(case.typical), launch_arguments(arguments))
    case.check(arguments, expected)


@pytest.mark.parametrize(
    ("name", "ctas", "had"),
    [
        ("product_128x128x64", 4, 4),
        ("attention_128x128x128", 2, 2),
        ("attention_128x128x128", 4, 2),
        ("attention_128x128x128", 8, 2),
    ],
)
def test_a_smaller_cluster_than_asked_for_is_remarked(
    name: str, ctas: int, had: int, tmp_path: Path
):
    module = tile_program(CASES[name], ctas)
    report = planned(module, tmp_path)
    assert report["parts of rows"] * report["parts of columns"] == had
    remarks = str(module.attributes.get(REMARKS_ATTRIBUTE, ""))
    assert (f"num_cta_in_cga of {ctas} is reduced to {had}: " in remarks) == (had < ctas)
    assert ("reduced" in remarks) == (had < ctas)


WHOLE = ("split_k_matmul",)
"""A kernel with atomic operations."""

MMA_OPS = [
    name
    for name, case in KERNELS.items()
    if re.search(r"\bmma[fi](_scaled)?\b", case.text_path.read_text()) and name not in WHOLE
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", MMA_OPS)
def test_small_parts(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Products of the zoo, as if an instruction multiplied single rows."""
    for bound in ("LEAST_ROWS", "LEAST_COLUMNS"):
        monkeypatch.setattr(cluster_shapes, bound, 1)
    case = KERNELS[name]
    module = tile_program(
        case, 4, "sm_100a" if "scaled" in case.text_path.read_text() else "sm_90a"
    )
    report = planned(module, tmp_path)
    assert "remark" not in report
    module.verify()
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    launch(module, case.name, case.grid(case.typical), launch_arguments(arguments))
    case.check(arguments, expected)


def test_the_pass_is_run_once(tmp_path: Path):
    module = tile_program(CASES["product_128x128x64"], 2)
    planned(module, tmp_path)
    text = str(module)
    assert str(tools.run_passes(module, "tileas-plan-cta")) == text


def test_warps_fit_the_part_of_a_thread_block():
    """Two warpgroups where a CTA has 128 rows, one where it has 64."""
    for name, ctas, warps in (("product_128x128x64", 2, 4), ("product_128x256x64", 2, 8)):
        spec = kernel_of(tile_program(CASES[name], ctas)).kernel_spec
        assert spec is not None and spec.num_warps.data == warps


REMARKS = {
    "vector_add": "there is no dot to divide",
    "matmul_f16": "dots of 32 x 32 are too small to divide",
    "atomic_sums_f32": "'nv_tileaa.atomic_rmw' op happens once",
    "checked_print": "'nv_tileaa.assert' op happens once",
}


@pytest.mark.parametrize("name", REMARKS)
def test_kernels_that_stay_whole(name: str, tmp_path: Path):
    module = tile_program(KERNELS[name], 2)
    remark = planned(module, tmp_path)["remark"]
    assert remark == f"{REMARKS[name]}: the kernel runs without clusters"
    spec = kernel_of(module).kernel_spec
    assert spec is not None and spec.num_ctas.data == 1
    assert cluster_shape(kernel_of(module)) == (1, 1)


@pytest.mark.parametrize("gpu", ("sm_90", "sm_120a"))
def test_targets_without_multicast(gpu: str, tmp_path: Path):
    module = tile_program(CASES["product_128x128x64"], 2, gpu)
    remark = f"{gpu} does not load for several thread blocks at once"
    assert planned(module, tmp_path)["remark"] == f"{remark}: the kernel runs without clusters"


TILE = "tensor<128x64xf16>"
OBJECT = "!nv_tileaa.memref<128x128xf16, strides = [128, 1]>"
VIEW = f"!nv_tileaa.tiled_view<128x64xf16, {OBJECT}>"
SUMS = "tensor<128x128xf32>"
OUT = "!nv_tileaa.memref<128x128xf32, strides = [128, 1]>"
OUT_VIEW = f"!nv_tileaa.tiled_view<128x128xf32, {OUT}>"
TOKEN = "!nv_tileaa.mem_token"
SPEC = "attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 2>}"
GROUPS = "dimGroups = [[0], [1]]"
PERMUTE = f"{{permutation = array<i32: 1, 0>}} : {TILE} -> tensor<64x128xf16>"


def program(rest: str, right: str = "%y") -> str:
    """The sums of a product of two tiles of %v, and more."""
    return f"""
    nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %q: !nv_tileaa.ptr<f32>) {SPEC} {{
      %i = nv_tileaa.get_program_id 0 : i32
      %zero = arith.constant 0.0 : f32
      %c = nv_tileaa.splat %zero : f32 -> {SUMS}
      %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f16> -> {OBJECT}
      %n = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> {OUT}
      %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 128, 64>, {GROUPS}}} : {OBJECT} -> {VIEW}
      %o = nv_tileaa.block_tile %n {{tileSizes = array<i64: 128, 128>, {GROUPS}}} : {OUT} -> {OUT_VIEW}
      %t = nv_tileaa.create_mem_token : {TOKEN}
      %x, %tx = nv_tileaa.tiled_load weak %v[%i, %i] token = %t : {VIEW}[i32, i32] -> {TILE}, {TOKEN}
      %y, %ty = nv_tileaa.tiled_load weak %v[%i, %i] token = %t : {VIEW}[i32, i32] -> {TILE}, {TOKEN}
      %w = nv_tileaa.permute {right} {PERMUTE}
      %d = nv_tileaa.dot %x, %w, %c : {TILE}, tensor<64x128xf16>, {SUMS}
      {rest}
      nv_tileaa.return
    }}
    """


def store(value: str = "%d", token: str = "%t") -> str:
    return (
        f"%s{token[1:]} = nv_tileaa.tiled_store weak {value}, %o[%i, %i] token = {token} "
        f": {SUMS}, {OUT_VIEW}[i32, i32] -> {TOKEN}"
    )


SCALAR_STORE = (
    f"%s = nv_tileaa.store weak %q, %zero token = %t : !nv_tileaa.ptr<f32>, f32 -> {TOKEN}"
)
AGAIN = f"%e, %te = nv_tileaa.tiled_load weak %o[%i, %i] token = %t : {OUT_VIEW}[i32, i32] -> {SUMS}, {TOKEN}"
AFTER_STORE = f"%z, %tz = nv_tileaa.tiled_load weak %v[%i, %i] token = %st : {VIEW}[i32, i32] -> {TILE}, {TOKEN}"
OTHER_VIEW = (
    "nv_tileaa.block_tile {} {{tileSizes = array<i64: 128, 128>, dimGroups = {}}} : "
    f"{OUT} -> {OUT_VIEW}"
)
ADD = f"%g = nv_tileaa.addf %d, %e : {SUMS}"
SUM_OF_COLUMNS = """%r = nv_tileaa.reduce %d {axis = 0 : i32} : tensor<128x128xf32> -> tensor<128xf32> {
  ^bb0(%l: f32, %k: f32): %f = nv_tileaa.addf %l, %k : f32 nv_tileaa.yield %f : f32 }"""
SUM_OF_ROWS = SUM_OF_COLUMNS.replace("axis = 0", "axis = 1").replace("%r", "%u")

PROGRAMS = {
    "a store": (store(), None),
    "a store behind loads of other objects": (
        store(token="%tx"),
        "'nv_tileaa.tiled_store' op follows another access of memory",
    ),
    "a store behind a load of the same tile": (f"{AGAIN} {ADD} {store('%g', '%te')}", None),
    "a store behind a branch with a load of another object": (
        f"%go = arith.constant true %ti = scf.if %go -> ({TOKEN}) {{ scf.yield %tx : {TOKEN} }}"
        f" else {{ scf.yield %t : {TOKEN} }} {store(token='%ti')}",
        "'nv_tileaa.tiled_store' op follows another access of memory",
    ),
    "loads of another object behind the stores of a loop": (
        f"%once = arith.constant 1 : i32 %tl = scf.for %k = %i to %once step %once iter_args(%ti = %t)"
        f" -> ({TOKEN}) : i32 {{ {AFTER_STORE.replace('%st', '%ti')} {store()} scf.yield %st : {TOKEN} }}",
        "'nv_tileaa.tiled_load' op follows another access of memory",
    ),
    "a store behind a load of the transposed tile": (
        f"%ot = {OTHER_VIEW.format('%n', '[[1], [0]]')} {AGAIN.replace('%o', '%ot')} {ADD} {store('%g', '%te')}",
        "'nv_tileaa.tiled_store' op follows another access of memory",
    ),
    "a store behind a load of another object": (
        f"%n2 = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> {OUT}"
        f" %o2 = {OTHER_VIEW.format('%n2', '[[0], [1]]')} {AGAIN.replace('%o', '%o2')} {ADD} {store('%g', '%te')}",
        "'nv_tileaa.tiled_store' op follows another access of memory",
    ),
    "a load behind a store to another object": (
        f"{store()} {AFTER_STORE}",
        "'nv_tileaa.tiled_load' op follows another access of memory",
    ),
    "two stores of one tile": (f"{store()} {store(token='%st')}", None),
    "a scalar store": (
        SCALAR_STORE,
        "'nv_tileaa.store' op stores a tile that is not divided",
    ),
    "sums of rows": (f"{SUM_OF_ROWS} {store()}", None),
    "sums of rows and of columns": (
        f"{SUM_OF_COLUMNS} {SUM_OF_ROWS} {store()}",
        "the rows of dots cannot be divided",
    ),
    "an access of a cluster": (
        store().replace("weak", "relaxed gpu"),
        "'nv_tileaa.tiled_store' op with other semantics than weak happens once",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_accesses_allow(name: str, tmp_path: Path):
    rest, remark = PROGRAMS[name]
    report = planned(tools.parse(program(rest)), tmp_path)
    if remark is None:
        assert "remark" not in report
    else:
        assert report["remark"] == f"{remark}: the kernel runs without clusters"


def test_one_tile_as_both_operands(tmp_path: Path):
    """The rows of the left operand are the columns of the right one."""
    report = planned(tools.parse(program(store(), right="%x")), tmp_path)
    remark = "the rows of dots cannot be divided"
    assert report["remark"] == f"{remark}: the kernel runs without clusters"


WIDE = """
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f16>, %i: TYPE) SPEC {
  %zero = arith.constant 0.0 : f16
  %c = nv_tileaa.splat %zero : f16 -> tensor<128x128xf16>
  %a = nv_tileaa.splat %zero : f16 -> tensor<128x64xf16>
  %b = nv_tileaa.splat %zero : f16 -> tensor<64x128xf16>
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f16> -> OBJECT
  %o = nv_tileaa.block_tile %m {tileSizes = array<i64: 128, 128>, GROUPS} : OBJECT -> VIEW
  %d = nv_tileaa.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf16>
  %s = nv_tileaa.tiled_store weak %d, %o[%i, %i] : tensor<128x128xf16>, VIEW[TYPE, TYPE] -> TOKEN
  nv_tileaa.return
}
"""


@pytest.mark.parametrize("type", ("i32", "i64"))
def test_coordinates_do_not_wrap_around(type: str):
    """A tile far outside stays outside, whatever it is multiplied by."""
    text = WIDE.replace("TYPE", type).replace("SPEC", SPEC).replace("GROUPS", GROUPS)
    text = text.replace("VIEW", VIEW.replace("128x64", "128x128")).replace("TOKEN", TOKEN)
    module = tools.run_passes(tools.parse(text.replace("OBJECT", OBJECT)), "tileas-plan-cta")
    assert cluster_shape(kernel_of(module)) == (2, 1)
    stored = np.arange(128 * 128, dtype=np.float16)
    before = stored.copy()
    for far in (1 << 30, 1 << 31, (1 << 32) - 1):
        value = far - (1 << 32) if type == "i32" and far >> 31 else far
        launch(module, "k", (1, 1, 1), [stored, value])
    assert np.array_equal(stored, before)
    launch(module, "k", (1, 1, 1), [stored, 0])
    assert not stored.any()
