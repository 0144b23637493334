"""The hint `latency` of a load: the stages of its pipeline, or a remark that says why not."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tests.unit.road.agreement import run_at_both_levels
from tileir_xdsl.diagnostics import HINT_NOT_HAD
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.options import DEFAULT_OPTIONS, Options
from tileir_xdsl.runtime.diagnostics import remarks_of
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

STEPS, SIZE, DEPTH = 14, 64, 16
"""Iterations, rows and columns of the result, and what an iteration adds up: a stage is 4 KiB."""


def view(
    number: int, element: str, tile: tuple[int, int], shape: tuple[int, int]
) -> tuple[str, str]:
    """The ops that make a view of argument `number`, and its type."""
    tensor = f"tensor_view<{shape[0]}x{shape[1]}x{element}, strides=[{shape[1]},1]>"
    parts = f"partition_view<tile=({tile[0]}x{tile[1]}), {tensor}>"
    return (
        f"""
    %a{number} = assume div_by<16>, %p{number} : tile<ptr<{element}>>
    %t{number} = make_tensor_view %a{number}, shape = [{shape[0]}, {shape[1]}], strides = [{shape[1]}, 1] : {tensor}
    %v{number} = make_partition_view %t{number} : {parts}
    """,
        parts,
    )


def program(first: str, second: str, store: str = "") -> str:
    """A matmul in a loop; the arguments are the hints of both loads and of the store."""
    (a, a_type), (b, b_type), (c, c_type) = (
        view(0, "f16", (SIZE, DEPTH), (SIZE, DEPTH * STEPS)),
        view(1, "f16", (DEPTH, SIZE), (DEPTH * STEPS, SIZE)),
        view(2, "f32", (SIZE, SIZE), (SIZE, SIZE)),
    )
    left, right, result = f"{SIZE}x{DEPTH}xf16", f"{DEPTH}x{SIZE}xf16", f"{SIZE}x{SIZE}xf32"
    parameters = "%p0: tile<ptr<f16>>, %p1: tile<ptr<f16>>, %p2: tile<ptr<f32>>"
    return f"""cuda_tile.module @m {{ entry @k({parameters}) {{ {a} {b} {c}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %steps = constant <i32: {STEPS}> : tile<i32>
    %start = constant <f32: 0.0> : tile<{result}>
    %sum = for %k in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<{result}>) {{
      %x, %tx = load_view_tko weak %v0[%zero, %k] {first} : {a_type}, tile<i32> -> tile<{left}>, token
      %y, %ty = load_view_tko weak %v1[%k, %zero] {second} : {b_type}, tile<i32> -> tile<{right}>, token
      %n = mmaf %x, %y, %acc : tile<{left}>, tile<{right}>, tile<{result}>
      continue %n : tile<{result}>
    }}
    %s = store_view_tko weak %sum, %v2[%zero, %zero] {store} : tile<{result}>, {c_type}, tile<i32> -> token
    return }} }}"""


def hint(gpu: str, latency: int | None) -> str:
    return (
        ""
        if latency is None
        else f"optimization_hints = <{gpu.rstrip('a')} = {{latency = {latency}}}>"
    )


def compiled(text: str, gpu: str, options: Options = DEFAULT_OPTIONS) -> tuple[set[int], list[str]]:
    """The stages of the pipelines of a kernel, and what is remarked on its hints."""
    stages: set[int] = set()

    def observe(_pass: ModulePass, module: ModuleOp) -> None:
        stages.update(
            op.num_stages.value.data
            for op in module.walk()
            if isinstance(op, nv_tileas.CreatePipelineOp)
        )

    module = tools.parse(text)
    lower(tools.context(), module, "ptx", gpu=gpu, file="m", options=options, observe=observe)
    remarks = remarks_of(module, "m")
    return stages, [remark.message for remark in remarks if remark.name == HINT_NOT_HAD.name]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("latency", [None, 1, 4, 10])
def test_a_latency_is_the_stages_of_a_pipeline(gpu: str, latency: int | None):
    given = hint(gpu, latency)
    stages, said = compiled(program(given, given), gpu)
    assert (stages, said) == ({8 if latency is None else latency + 1}, [])


def test_loads_of_one_pipeline_have_the_greater_latency():
    stages, said = compiled(program(hint("sm_90a", 2), hint("sm_90a", 5)), "sm_90a")
    assert stages == {6}
    assert said == ["latency of 2 asks for 3 stages: the pipeline has 6"]


def test_an_option_wins():
    given = hint("sm_90a", 7)
    stages, said = compiled(program(given, ""), "sm_90a", Options(stages=3))
    assert stages == {3}
    assert said == ["latency of 7 asks for 8 stages: the pipeline has 3"]


@pytest.mark.parametrize("opt_level", [0, 3])
def test_accesses_without_a_pipeline(opt_level: int):
    """A store is in none, and at level 0 there are no pipelines."""
    text = program(hint("sm_90a", 4), "", hint("sm_90a", 6))
    _, said = compiled(text, "sm_90a", Options(opt_level=opt_level))
    unmet = "latency of {} is not followed: the access is in no pipeline"
    assert said == [unmet.format(latency) for latency in ((4, 6) if opt_level == 0 else (6,))]


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
def test_values_with_more_stages_than_usual(gpu: str):
    given = hint(gpu, 10)
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-4, 5, (SIZE, DEPTH * STEPS)).astype(np.float16) for _ in range(2))
    b = np.ascontiguousarray(b.T)
    arguments = [a.ravel(), b.ravel(), np.zeros(SIZE * SIZE, np.float32)]
    _, last = run_at_both_levels(program(given, given), arguments, gpu)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    assert (last[2].reshape(SIZE, SIZE) == wanted).all()
