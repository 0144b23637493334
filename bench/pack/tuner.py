"""Group f, the tuner: all candidates of ten problems, and which of them it takes without a GPU."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bench.pack.compiling import add_ours, bound, with_maps
from bench.pack.devices import PackDevice
from bench.pack.items import Program, Unit, UnitSpec
from bench.pack.problem import Problem
from bench.pack.problems import ROW, problems
from bench.pack.times import Contender, arguments_of, host_array, timed_item
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.tuning import Measured, tune
from tileir_xdsl.testing.tools import parse

TUNED = (
    "matmul_bf16_8192", "matmul_f16_4096", "matmul_f8_4096", "matmul_tf32_4096", "matmul_i8_4096",
    "attention_128_4096", "attention_128_causal_4096", "attention_64_4096", "softmax", "layer_norm",
)  # fmt: skip

KEYS, STEPS = 512, 4
"""The keys, and the steps of a sum, of the small problems that candidates are counted on."""


def small_shapes(problem: Problem) -> list[tuple[int, ...]]:
    """The arrays of one tile block of a problem."""
    if problem.tile:
        m, n, depth = problem.tile
        k = STEPS * depth
        return [(m, k), (n, k) if problem.settings["transposed"] else (k, n), (m, n)]
    if problem.family.startswith("attention"):
        return [(1, KEYS, problem.arrays[0][1][2])] * len(problem.arrays)
    return [(ROW,) if shape == (ROW,) else (1, ROW)[: len(shape)] for _, shape, _ in problem.arrays]


def candidates(problem: Problem, target: str) -> list[Measured]:
    """All variants of a problem, best first as the tuner sees them without a GPU."""
    random = np.random.default_rng(0)
    arrays = [
        random.integers(-2, 3, shape).astype(host_array(dtype, (1,)).dtype)
        for shape, (dtype, _, _) in zip(small_shapes(problem), problem.arrays, strict=True)
    ]
    with ThreadPoolExecutor(1) as executor:
        arguments = arguments_of(problem, arrays)
        module = parse(problem.text())
        return tune(module, (1, 1, 1), arguments, gpu=target, executor=executor)


def make(device: PackDevice, name: str) -> Unit:
    """The candidates of a problem; those of the same code are one."""
    unit = Unit(device)
    problem = next(each for each in problems(device) if each.name == name)
    arrays: list[Array] = [host_array(dtype, shape) for dtype, shape, _ in problem.arrays]
    kernel, text = problem.case.name, problem.text()
    values = bound(text, kernel, arguments_of(problem, arrays))
    default, recipes = add_ours(unit, f"tuned_{name}", text, kernel)
    known = {unit.ptx[f"tuned_{name}"]: "default"}
    found = [Contender("default", default, problem.grid, with_maps(recipes, values))]
    chosen = None
    refused: dict[str, list[str]] = {}
    for number, measured in enumerate(candidates(problem, device.target)):
        made = measured.compiled
        if made is None or measured.instructions is None:
            refused.setdefault(measured.problem, []).append(str(measured.variant))
            continue
        if made.text not in known:
            known[made.text] = str(measured.variant)
            module = f"tuned_{name}_{number}"
            unit.ptx[module], unit.cubins[module] = made.text, made.cubin
            (launched,) = made.kernels
            assert launched.block is not None
            program = Program(module, kernel, launched.block, launched.dynamic_shared)
            given = with_maps(launched.tensor_maps, values)
            found.append(Contender(str(measured.variant), program, problem.grid, given))
        chosen = chosen or known[made.text]
    for reason, variants in refused.items():
        unit.notes.append(f"{name}: {len(variants)} candidates: {reason}")
    item = timed_item(problem, arrays, found, id=f"f/{name}", group="f", chosen=chosen)
    item["ours"] = [each.who for each in found]
    item["second_half"] = False
    unit.items.append(item)
    return unit


def units(_device: PackDevice) -> list[UnitSpec]:
    """A unit for each problem."""
    return [UnitSpec(f"f/{name}", make, (name,)) for name in TUNED]
