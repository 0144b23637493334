"""Which accesses the thread blocks of a cluster make alike."""

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from bench.matrix_kernels import CASES
from tileir_xdsl.analysis.buffers.cta_sharing import (
    SharingGroup,
    differing_axes,
    shared_pipelines,
    sharing_group,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_unspecialized_pipeline import TileASUnspecializedPipelinePass

PROGRAM = """
nv_tileaa.func @f(%n: i32) attributes {
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 8>,
    nv_tileaa.cluster_shape = array<i32: 2, 4>} {
  %x = nv_tileaa.get_program_id 0 : i32
  %r = nv_tileaa.get_cta_id 0 : i32
  %c = nv_tileaa.get_cta_id 1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = arith.cmpi slt, %c, %one : i32
  "test.op"(%x) {tag = "neither"} : (i32) -> ()
  %xr = arith.addi %x, %r : i32
  "test.op"(%xr) {tag = "rows"} : (i32) -> ()
  "test.op"(%c) {tag = "columns"} : (i32) -> ()
  "test.op"(%xr, %c) {tag = "both"} : (i32, i32) -> ()
  %s:2 = scf.for %i = %zero to %n step %one iter_args(%a = %zero, %b = %zero) -> (i32, i32) : i32 {
    "test.op"(%i, %b) {tag = "in a loop"} : (i32, i32) -> ()
    "test.op"(%a) {tag = "carried"} : (i32) -> ()
    %a1 = arith.addi %a, %r : i32
    %b1 = arith.addi %b, %i : i32
    scf.yield %a1, %b1 : i32, i32
  }
  "test.op"(%s#1) {tag = "behind a loop"} : (i32) -> ()
  scf.for %i = %zero to %r step %one : i32 {
    "test.op"(%x) {tag = "as often"} : (i32) -> ()
  }
  %q = scf.if %p -> (i32) {
    "test.op"(%x) {tag = "in a branch"} : (i32) -> ()
    scf.yield %zero : i32
  } else {
    scf.yield %one : i32
  }
  "test.op"(%q) {tag = "chosen"} : (i32) -> ()
  %w = scf.while (%y = %zero) : (i32) -> i32 {
    %more = arith.cmpi slt, %y, %c : i32
    scf.condition(%more) %y : i32
  } do {
  ^bb0(%z: i32):
    "test.op"(%x) {tag = "while"} : (i32) -> ()
    %next = arith.addi %z, %one : i32
    scf.yield %next : i32
  }
  "test.op"(%w) {tag = "behind while"} : (i32) -> ()
  nv_tileaa.return
}
"""

ALL, SAME_ROWS, SAME_COLUMNS = SharingGroup(8, 1), SharingGroup(4, 2), SharingGroup(2, 1)


def tagged(text: str, tag: str) -> Operation:
    ops = tools.parse(text).walk()
    (op,) = (op for op in ops if op.attributes.get("tag") == StringAttr(tag))
    return op


@pytest.mark.parametrize(
    ("tag", "axes", "group"),
    [
        ("neither", set(), ALL),
        ("rows", {0}, SAME_ROWS),
        ("columns", {1}, SAME_COLUMNS),
        ("both", {0, 1}, None),
        ("in a loop", set(), ALL),
        ("carried", {0}, SAME_ROWS),
        ("behind a loop", set(), ALL),
        ("as often", {0}, SAME_ROWS),
        ("in a branch", {1}, SAME_COLUMNS),
        ("chosen", {1}, SAME_COLUMNS),
        ("while", {1}, SAME_COLUMNS),
        ("behind while", {1}, SAME_COLUMNS),
    ],
)
def test_groups(tag: str, axes: set[int], group: SharingGroup | None):
    op = tagged(PROGRAM, tag)
    assert differing_axes(op) == axes
    assert sharing_group(op) == group


def test_one_row_of_ctas_shares_nothing_along_it():
    text = PROGRAM.replace("num_ctas = 8", "num_ctas = 4").replace("i32: 2, 4>", "i32: 1, 4>")
    assert sharing_group(tagged(text, "columns")) is None
    assert sharing_group(tagged(text, "rows")) == SharingGroup(4, 1)


def test_without_a_cluster():
    text = PROGRAM.replace("num_ctas = 8", "num_ctas = 1").replace("i32: 2, 4>", "i32: 1, 1>")
    assert sharing_group(tagged(text, "neither")) is None


@pytest.mark.parametrize(("ctas", "shared"), [(1, 0), (2, 1)])
def test_pipelines(ctas: int, shared: int):
    """Both operands come through one pipeline."""
    hints = f"default = {{num_cta_in_cga = {ctas}}}"
    text = CASES["product_128x128x64"].text_path.read_text().replace("default = {}", hints)
    module, context = tools.parse(text), tools.context()
    for module_pass in passes("sm_90a"):
        if isinstance(module_pass, TileASUnspecializedPipelinePass):
            break
        module_pass.apply(context, module)
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    assert len(shared_pipelines(function)) == shared
