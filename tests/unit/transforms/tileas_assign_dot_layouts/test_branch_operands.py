"""Operands that either branch of an `if` loads: copied to one buffer, where copies are legal."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import scf

from bench.road_coverage import observe
from bench.road_rows import Row
from tests.unit.transforms.tileas_assign_dot_layouts.tools import after, atoms, changed
from tileir_xdsl import load
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing.kernels.written import WRITTEN

CASE = WRITTEN["joined_product"]
GPUS = ("sm_80", "sm_90a", "sm_100a")


@pytest.mark.parametrize("gpu", GPUS)
def test_both_branches_fill_one_buffer(gpu: str):
    module = after("tileas-remove-buffer-alias", changed(CASE), gpu)
    copies = [op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledLoadOp)]
    assert atoms(module) == ["ldgsts_128"] * 2
    first, second = (op.destination for op in copies)
    assert first is not None and first is second
    (branch,) = (op for op in module.walk() if isinstance(op, scf.IfOp))
    # What the `if` gave is the buffer, which has a name outside of it.
    assert not branch.results


def permuted(name: str) -> tuple[str, str]:
    """A branch gives its tile with rows for columns."""
    type = "tile<64x64xf16>"
    changed = f"%{name}_t = permute %{name}_operand [1, 0] : {type} -> {type}"
    return f"yield %{name}_operand", f"{changed}\n        yield %{name}_t"


@pytest.mark.parametrize("gpu", GPUS)
def test_branches_change_shapes_in_memory_step_by_step(gpu: str):
    program = changed(CASE, permuted("a"), permuted("h"))
    assert atoms(after("tileas-assign-load-store-layouts", program, gpu)) == ["ldgsts_128"] * 2


@pytest.mark.parametrize("gpu", GPUS)
def test_permuted_operands_are_those_of_numpy(gpu: str):
    rng = np.random.default_rng(0)
    a, h = (rng.integers(-3, 4, (1, 64, 64)).astype(np.float16) for _ in range(2))
    b = rng.integers(-3, 4, (128, 64)).astype(np.float16)
    c = np.zeros((1, 64, 64), np.float32)
    program = load(changed(CASE, permuted("a"), permuted("h")), gpu)
    program.run(1, a, h, b, c, level="ptx")
    joined = np.concatenate((a[0].T, h[0].T), axis=1).astype(np.float32)
    assert np.array_equal(c[0], joined @ b.astype(np.float32))


PATTERNS = ("EraseUnusedAlias", "ReplaceInBranch", "ReplaceTerminator")


def test_the_road_replaces_what_branches_give():
    rows = [Row("", "pattern", name) for name in PATTERNS]
    found = observe("joined_product", changed(CASE), ["sm_80"], rows)
    assert found == [[row.key for row in rows]]


ALIGNED = ("%h_base = assume div_by<16>, %h", "%h_base = assume div_by<8>, %h")
PADDED = (
    "%vh = make_partition_view %th : partition_view<tile=(1x64x64), padding_value = zero",
    "%vh = make_partition_view %th : partition_view<tile=(1x64x64), padding_value = nan",
)
PADDED_LOAD = (
    "%vh[%k, %i, %rest] token = %token : partition_view<tile=(1x64x64), padding_value = zero",
    "%vh[%k, %i, %rest] token = %token : partition_view<tile=(1x64x64), padding_value = nan",
)
COMPUTED = (
    "yield %h_operand : tile<64x64xf16>",
    "%twice = addf %h_operand, %h_operand : tile<64x64xf16>\n"
    "        yield %twice : tile<64x64xf16>",
)
TWICE = (
    "%next = mmaf %x, %y, %acc",
    "%square = addf %x, %x : tile<64x64xf16>\n      %next = mmaf %square, %y, %acc",
)
PRINTED = tuple(
    (
        "yield %h_operand",
        f'print_tko "%f", %{value} : tile<{shape}xf16> -> token\n        yield %h_operand',
    )
    for value, shape in (("h_operand", "64x64"), ("h_tile", "1x64x64"))
)
TRANSPOSED = (
    ("[%h_outer, %h_row, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>",
     "[%h_outer, 1, %h_row] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,1,?]>"),
    ("%vh = make_partition_view %th : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>",
     "%vh = make_partition_view %th : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,1,?]>>"),
    ("%vh[%k, %i, %rest] token = %token : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>",
     "%vh[%k, %i, %rest] token = %token : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,1,?]>>"),
)  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [TRANSPOSED, (ALIGNED,), (PADDED, PADDED_LOAD), (COMPUTED,), (TWICE,)]
    + [(change,) for change in (*PRINTED, permuted("h"))],
)
def test_other_branches_give_registers(changes: tuple[tuple[str, str], ...]):
    module = after("tileas-assign-load-store-layouts", changed(CASE, *changes), "sm_80")
    assert atoms(module) == []
