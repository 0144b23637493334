"""Gathers and scatters of rows: when TMA is chosen, what the report says, what can be forced."""

from pathlib import Path

import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.tileas_assign_load_store_layouts.test_options import (
    atoms,
    failure,
    kernel,
    report,
    run,
)

GATHER = 4
"""The number of the gather in a kernel."""

ROWS = """
      %rows = "test.op"() : () -> (tensor<COUNTxi32>)
      %x = nv_tileas.gather_load SEMANTICS %v[%rows, %i] {sparse_dim = 0 : i32HINT} : VIEW[tensor<COUNTxi32>, i32] -> tensor<COUNTxWIDTHxELEMENT>
      %y = nv_tileaa.addf %x, %x : tensor<COUNTxWIDTHxELEMENT>
      nv_tileas.scatter_store weak %y, %v[%rows, %i] {sparse_dim = 0 : i32} : tensor<COUNTxWIDTHxELEMENT>, VIEW[tensor<COUNTxi32>, i32]
"""


def rows(
    count: int = 64,
    width: int = 64,
    element: str = "f16",
    target: str = "sm_100a",
    align: int = 16,
    hint: str = "",
    semantics: str = "weak",
    pitch: int = 256,
) -> str:
    """Gathers rows of a matrix, and scatters their sums to it."""
    body = ROWS.replace("COUNT", str(count)).replace("WIDTH", str(width)).replace("HINT", hint)
    memref = f"!nv_tileaa.memref<512x256xELEMENT, strides = [{pitch}, 1]>"
    text = kernel(body.replace("SEMANTICS", semantics), element, target, align, memref=memref)
    sizes = f"{{tileSizes = array<i64: {count}, {width}>"
    text = text.replace("{tileSizes = array<i64: 64, 64>", sizes)
    return text.replace("tiled_view<64x64x", f"tiled_view<{count}x{width}x")


TMA = ["tma_gather4_2d", "tma_scatter4_2d"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (rows(), TMA),
        (rows(128, 64), TMA),
        (rows(64, 128), TMA),
        (rows(64, 64, "f32"), TMA),
        # Two barriers for few elements.
        (rows(8, 64), ["ldg_16", "stg_16"]),
        (rows(16, 32), ["ldg_16", "stg_16"]),
        (rows(target="sm_120a"), ["tma_gather4_2d", "stg_128"]),
        (rows(target="sm_90a"), ["ldg_128", "stg_128"]),
    ],
)
def test_what_costs_less_is_chosen(text: str, expected: list[str]):
    found = atoms(run(text))
    assert [atom if atom in TMA else atom[:3] for atom in found] == [
        atom if atom in TMA else atom[:3] for atom in expected
    ]


def test_each_way_can_be_forced():
    assert atoms(run(rows(8, 64), force=f"#{GATHER}=tma_gather4_2d"))[0] == "tma_gather4_2d"
    assert atoms(run(rows(), force=f"#{GATHER}=ldg_16"))[0] == "ldg_16"
    message = (
        "'nv_tileas.gather_load' op has no candidate 'tma_gather4_2d', expected one of ldg_128"
    )
    assert message in failure(rows(target="sm_90a"), force=f"#{GATHER}=tma_gather4_2d")


def test_the_report_has_both_ways(tmp_path: Path):
    groups = report(rows(), tmp_path)["functions"]["k"]
    considered = {
        candidate["name"]: candidate
        for group in groups
        for use in group["candidates"]
        for candidate in use["considered"]
        if "gather_load" in use["op"]
    }
    assert {"tma_gather4_2d", "ldg_16"} <= considered.keys()
    assert considered["tma_gather4_2d"]["score"] < considered["ldg_16"]["score"]


REASONS = [
    (rows(target="sm_90a"), "sm_90a has no cp.async.bulk.tensor.tile::gather4"),
    (rows(align=8), "a base or stride is not a multiple of 16 bytes, as far as is known"),
    (rows(pitch=260), "a base or stride is not a multiple of 16 bytes, as far as is known"),
    (rows(hint=", allow_tma = false"), "the hint allow_tma forbids TMA"),
    (rows(semantics="relaxed gpu"), "TMA gives no relaxed order"),
    (
        rows(hint=", padding_value = #nv_tileaa.padding_value<neg_inf>"),
        "TMA pads with zeros, not with neg_inf",
    ),
    (rows(2, 64), "TMA takes 4 rows at once, not 2"),
    (rows(64, 8), "4 rows of 16 bytes are not a multiple of 128 bytes"),
]


@pytest.mark.parametrize(("text", "reason"), REASONS, ids=[reason for _, reason in REASONS])
def test_why_there_is_no_such_way(text: str, reason: str, tmp_path: Path):
    groups = report(text, tmp_path)["functions"]["k"]
    pruned = [
        why
        for group in groups
        for use in group["candidates"]
        if "gather_load" in use["op"]
        for why in use["pruned"]
    ]
    assert pruned == [f"tma_gather4_2d: {reason}"]


def test_columns_cannot_be_listed(tmp_path: Path):
    text = rows().replace("sparse_dim = 0", "sparse_dim = 1").replace("[%rows, %i]", "[%i, %rows]")
    text = text.replace("[tensor<64xi32>, i32]", "[i32, tensor<64xi32>]")
    groups = report(text, tmp_path)["functions"]["k"]
    pruned = [why for g in groups for use in g["candidates"] for why in use["pruned"]]
    reason = "TMA takes rows along the first dimension of a tile"
    assert pruned == [f"tma_gather4_2d: {reason}", f"tma_scatter4_2d: {reason}"]


REDUCTION = """
      %x = "test.op"() : () -> (tensor<64x64xELEMENT>)
      %old = nv_tileas.tiled_atomic_rmw SEMANTICS %x, %v[%i, %i] {rmw_mode = #nv_tileas.rmw_mode<MODE>} : tensor<64x64xELEMENT>, VIEW[i32, i32] -> tensor<64x64xELEMENT>
      USE
"""


def reduction(
    mode: str = "add",
    element: str = "f32",
    semantics: str = "relaxed gpu",
    use: str = "",
    target: str = "sm_90a",
) -> str:
    """Combines a tile with memory, atomically."""
    body = REDUCTION.replace("SEMANTICS", semantics).replace("MODE", mode).replace("USE", use)
    return kernel(body, element, target)


OLD = '"test.op"(%old) : (tensor<64x64xf32>) -> ()'
WHY_BY_THREADS = [
    (reduction(target="sm_80"), "tma_redg_add_2d: sm_80 has no TMA"),
    (reduction(use=OLD), "tma_redg_add_2d: TMA does not return what was there before"),
    (reduction("max", "i32"), "tma_redg_max_2d: TMA has no atomic max of i32"),
    (reduction("max", "f16"), "tma_redg_max_2d: TMA has no atomic max of f16"),
    (
        reduction(semantics="relaxed sys"),
        "tma_redg_add_2d: TMA reduces relaxed and for one GPU, not relaxed for sys",
    ),
    (
        reduction(semantics="acq_rel gpu"),
        "tma_redg_add_2d: TMA reduces relaxed and for one GPU, not acq_rel for gpu",
    ),
]


@pytest.mark.parametrize(("text", "reason"), WHY_BY_THREADS, ids=[r for _, r in WHY_BY_THREADS])
def test_why_threads_reduce(text: str, reason: str, tmp_path: Path):
    groups = report(text, tmp_path)["functions"]["k"]
    pruned = [why for g in groups for use in g["candidates"] for why in use["pruned"]]
    assert pruned == [reason]
    assert atoms(run(text)) == []


def test_large_tiles_are_reduced_by_tma():
    assert atoms(run(reduction())) == ["tma_redg_add_2d"]
    assert atoms(run(reduction("umax", "i32"))) == ["tma_redg_max_2d"]
    number = next(
        n for n in range(3, 9) if not failure_or_none(reduction(), f"#{n}=tma_redg_add_2d")
    )
    assert atoms(run(reduction(), force=f"#{number}=atom_32")) == []


def failure_or_none(text: str, force: str) -> str:
    """Why a candidate cannot be forced; empty if it can."""
    try:
        run(text, force=force)
    except PassFailedException as error:
        return str(error)
    return ""
