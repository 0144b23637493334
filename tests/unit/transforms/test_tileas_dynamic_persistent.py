"""Kernels whose tile blocks take over others compute the same, whatever is taken over when."""

import json
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.interpreters import launch
from tileir_xdsl.options import Options
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments
from tileir_xdsl.transforms.pipeline_road import steps

SPEC = "attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"
PTR = "!nv_tileaa.ptr<i32>"
TOKEN = "!nv_tileaa.mem_token"
PASS = "tileas-dynamic-persistent"

COUNTING = f"""
builtin.module {{
  nv_tileaa.func @k(%counts: {PTR}, %starts: {PTR}) {SPEC} {{
    %one = arith.constant 1 : i32
    %x = nv_tileaa.get_program_id 0 : i32
    %y = nv_tileaa.get_program_id 1 : i32
    %z = nv_tileaa.get_program_id 2 : i32
    %w = nv_tileaa.get_num_programs 0 : i32
    %h = nv_tileaa.get_num_programs 1 : i32
    %planes = arith.muli %z, %h : i32
    %row = arith.addi %planes, %y : i32
    %rows = arith.muli %row, %w : i32
    %at = arith.addi %rows, %x : i32
    %p = nv_tileaa.addptr %counts, %at : {PTR}, i32
    %old, %t = nv_tileaa.atomic_rmw relaxed gpu add %p, %one : {PTR}, i32 -> i32, {TOKEN}
    nv_tileaa.return
  }}
}}
"""
"""Adds one to the count of each tile block."""

KERNEL_NAMES = ("vector_add", "softmax_f32", "matmul_f16", "attention", "grid_coordinates")


def persistent(text: str, options: str = "") -> ModuleOp:
    return tools.run_passes(tools.parse(text), PASS + options)


@pytest.mark.parametrize("seed", range(8))
def test_every_tile_block_runs_once(seed: int):
    rng = np.random.default_rng(seed)
    x, y, z = (int(extent) for extent in rng.integers(1, 6, 3))
    counts = np.zeros(x * y * z, np.int32)
    order = [int(number) for number in rng.permutation(x * y * z)]
    module = persistent(COUNTING)
    launch(module, "k", (x, y, z), [counts, np.zeros(1, np.int32)], order=order)
    assert counts.tolist() == [1] * (x * y * z)


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_kernels_compute_the_same_bits(name: str):
    case = KERNELS[name]
    module = tools.run_passes(
        tools.parse(case.text_path.read_text()),
        "convert-cuda-tile-to-tileaa,canonicalize,convert-tileaa-to-tileas",
    )
    expected, actual = (case.make_arguments(case.typical) for _ in range(2))
    grid = case.grid(case.typical)
    launch(module, case.name, grid, launch_arguments(expected))
    tools.run_passes(module, PASS)
    assert "nv_tileas.cancel_next_program_id" in str(module)
    launch(module, case.name, grid, launch_arguments(actual))
    for before, after in zip(expected, actual, strict=True):
        if isinstance(before, np.ndarray):
            assert isinstance(after, np.ndarray)
            assert after.tobytes() == before.tobytes()


def test_what_stays_before_the_loop():
    before, _, loop = str(persistent(COUNTING)).partition("scf.while")
    assert before.count("get_num_programs") == 2 and before.count("arith.constant") == 1
    assert "get_num_programs" not in loop and loop.count(" of %program") == 3


def test_tiles_are_made_in_the_loop():
    text = COUNTING.replace("%one =", "%tile = arith.constant dense<1> : tensor<8xi32>\n%one =")
    before, _, loop = str(persistent(text)).partition("scf.while")
    assert "dense" not in before and "dense" in loop


def test_coordinates_in_nested_regions():
    text = COUNTING.replace(
        f"%p = nv_tileaa.addptr %counts, %at : {PTR}, i32",
        f"""
        %never = arith.constant false
        %first = scf.if %never -> (i32) {{
          %again = nv_tileaa.get_program_id 0 : i32
          scf.yield %again : i32
        }} else {{
          scf.yield %at : i32
        }}
        %p = nv_tileaa.addptr %counts, %first : {PTR}, i32
        """,
    )
    module = persistent(text)
    counts = np.zeros(6, np.int32)
    launch(module, "k", (3, 2, 1), [counts, np.zeros(1, np.int32)])
    assert counts.tolist() == [1] * 6
    assert str(module).count(" of %program") == 4


def test_a_second_time_warns(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    report = tmp_path / "report.json"
    once = persistent(COUNTING)
    text = str(once)
    assert capsys.readouterr().err == ""
    tools.run_passes(once, f'{PASS}{{explain="{report}"}}')
    assert str(once) == text
    assert capsys.readouterr().err == "warning: Kernel is already dynamic persistent: @k\n"
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts == {"remark": "Kernel is already dynamic persistent"}


AGENTS = "nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32} {\n  nv_tileas.async.pipeline.yield\n}"
NO_COORDINATES = f"builtin.module {{ nv_tileaa.func @k() {SPEC} {{ nv_tileaa.return }} }}"
CALL = '%i = nv_tileaa.inject_ir "ret i32 0"() : () -> (i32)'

STAYING = {
    "no coordinate in the grid is asked for: the kernel stays as it is": NO_COORDINATES,
    "agents start once: the kernel stays as it is": COUNTING.replace(
        "nv_tileaa.return", f"{AGENTS}\nnv_tileaa.return"
    ),
    "a function that is called may read the grid: the kernel stays as it is": COUNTING.replace(
        "nv_tileaa.return", f"{CALL}\nnv_tileaa.return"
    ),
    "blocks of a cluster start together: the kernel stays as it is": COUNTING.replace(
        "num_ctas = 1", "num_ctas = 2"
    ),
}


@pytest.mark.parametrize("remark", STAYING)
def test_kernels_that_stay(remark: str, tmp_path: Path):
    report = tmp_path / "report.json"
    text = str(persistent(STAYING[remark], f'{{explain="{report}"}}'))
    assert text == str(tools.parse(STAYING[remark]))
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts == {"remark": remark}


@pytest.mark.parametrize(("target", "stays"), [("sm_100", True), ("sm_100a", False)])
def test_clusters_where_the_target_tells_all_blocks(target: str, stays: bool):
    text = COUNTING.replace("num_ctas = 1", "num_ctas = 2").replace(
        "builtin.module {",
        f'builtin.module attributes {{nv_tileaa.target_spec = "{target}"}} {{',
    )
    assert (str(persistent(text)) == str(tools.parse(text))) == stays


def test_a_function_that_is_no_kernel_stays():
    text = COUNTING.replace(SPEC, "")
    assert str(persistent(text)) == str(tools.parse(text))


def test_the_option_of_the_pipeline():
    names = [step.name for step in steps("sm_100a", Options(dynamic_persistent=True))]
    after = names.index("convert-tileaa-to-tileas") + 1
    assert names[after : after + 3] == ["tileas-slicing", "tileas-canonicalize", PASS]
    assert PASS not in [step.name for step in steps("sm_100a")]
