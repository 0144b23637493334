"""Groups d and e: timed problems with all who compute them, and what is predicted of ours."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from bench.pack.compiling import add_ours, add_tileiras, bound, with_maps
from bench.pack.devices import PackDevice
from bench.pack.items import (
    TIMED_SECONDS,
    TOOL_SECONDS,
    HostArrays,
    Item,
    Program,
    Unit,
    UnitSpec,
)
from bench.pack.problem import Problem
from bench.pack.problems import persistent_case, problems, with_twice_the_rows
from bench.pack.triton_rivals import triton_rivals
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.gpu_launching import DeviceArgument
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_generate_schedule import TileASGenerateSchedulePass

DYNAMIC = ("matmul", "scaled_matmul", "attention")
"""The references of problems whose blocks may ask for more tiles."""

EIGHT_WARPS = "num_worker_warps_per_cta = 8"
TWO_CTAS = "num_cta_in_cga = 2"

PROFILED = (
    "matmul_bf16_4096", "matmul_f8_4096", "matmul_mxfp8_ordered_4096", "matmul_tf32_4096",
    "attention_128_4096", "attention_128_causal_4096", "attention_64_4096",
    "copy", "softmax", "layer_norm", "transpose",
)  # fmt: skip
"""The problems whose counters are read."""


@dataclass(frozen=True)
class Contender:
    """Who computes a problem, and the launch."""

    who: str
    program: Program
    grid: tuple[int, int, int]
    arguments: Sequence[DeviceArgument]
    then: Sequence[Contender] = ()
    """The launches that follow, of the other kernels of the problem."""

    @property
    def launches(self) -> Sequence[Contender]:
        """All launches, in order."""
        return (self, *self.then)


def host_array(dtype: str, shape: tuple[int, ...]) -> Array:
    """An array that stands for one of the device; its memory is never touched."""
    return np.empty(shape, np.dtype(getattr(ml_dtypes, dtype, None) or dtype))


def hinted(text: str, hints: str) -> str:
    """A kernel's text with a hint."""
    return text.replace("default = {}", f"default = {{{hints}}}")


def arguments_of(problem: Problem, arrays: Sequence[Array]) -> list[Array | float]:
    """What a caller passes."""
    return [*arrays, *problem.scalars]


def _in_order(launches: Sequence[Contender]) -> Contender:
    """One contender of several launches."""
    return replace(launches[0], then=tuple(launches[1:]))


def _tile_ir(
    unit: Unit, problem: Problem, hints: str, who: str, arrays: Sequence[Array]
) -> list[Contender]:
    """Ours and tileiras' of the kernels of a problem; `who` is added to their names."""
    ours: list[Contender] = []
    theirs: list[Contender] = []
    for step in problem.steps:
        kernel, text = step.case.name, step.text()
        name = f"{kernel}{who.replace(', ', '_').replace(' ', '_')}"
        given = [*(arrays[number] for number in step.arrays), *step.scalars]
        values = bound(text, kernel, given)
        program = hinted(text, hints) if hints else text
        made, recipes = add_ours(unit, f"{name}_ours", program, kernel)
        ours.append(Contender(f"ours{who}", made, step.grid, with_maps(recipes, values)))
        other = add_tileiras(unit, f"{name}_tileiras", program, kernel)
        if other is not None:
            theirs.append(Contender(f"tileiras{who}", other, step.grid, values))
    found = [_in_order(ours)]
    return [*found, _in_order(theirs)] if len(theirs) == len(ours) else found


def _dynamic(
    unit: Unit, problem: Problem, text: str, arrays: Sequence[Array], who: str = ""
) -> Contender:
    """Ours whose blocks go on with other tiles of the grid; `who` is added to its name."""
    kernel = problem.case.name
    module = f"{problem.family}{who.replace(', ', '_').replace(' ', '_')}_dynamic_ours"
    program, recipes = add_ours(unit, module, text, kernel, dynamic=True)
    values = with_maps(recipes, bound(text, kernel, arguments_of(problem, arrays)))
    return Contender(f"ours, tiles on request{who}", program, problem.grid, values)


def contenders(unit: Unit, problem: Problem, arrays: Sequence[Array]) -> list[Contender]:
    """All who compute a problem, ours first."""
    text = problem.text()
    found = _tile_ir(unit, problem, "", "", arrays)
    found += _tile_ir(unit, problem, EIGHT_WARPS, ", 8 warps", arrays)
    # CTAs do not divide dots with block scales.
    if unit.device.has_clusters and problem.reference in ("matmul", "attention"):
        found += _tile_ir(unit, with_twice_the_rows(problem), TWO_CTAS, ", 2 CTAs", arrays)
    if unit.device.has_work_requests and problem.reference in DYNAMIC:
        found.append(_dynamic(unit, problem, text, arrays))
    if problem.family == "matmul_bf16":
        found += _persistent(unit, problem, arrays)
    return found + triton(unit, problem, arrays)


def _persistent(unit: Unit, problem: Problem, arrays: Sequence[Array]) -> list[Contender]:
    """Ours and tileiras' whose blocks loop over tiles."""
    case = persistent_case()
    grid = (min(unit.device.multiprocessors, math.prod(problem.grid)), 1, 1)
    looping = replace(problem, case=case, grid=grid)
    found = _tile_ir(unit, looping, "", ", persistent", arrays)
    if unit.device.has_clusters:
        # A grid counts clusters, each of which takes two multiprocessors.
        count = min(unit.device.multiprocessors // 2, math.prod(problem.grid) // 2)
        clustered = replace(with_twice_the_rows(looping), grid=(count, 1, 1))
        found += _tile_ir(unit, clustered, TWO_CTAS, ", persistent, 2 CTAs", arrays)
    if unit.device.has_clusters and unit.device.has_work_requests:
        wide = with_twice_the_rows(problem)
        found.append(_dynamic(unit, wide, hinted(wide.text(), TWO_CTAS), arrays, ", 2 CTAs"))
    return found


def triton(unit: Unit, problem: Problem, arrays: Sequence[Array]) -> list[Contender]:
    """Triton's kernels of a problem, in several choices of which the best counts."""
    return [
        _in_order([Contender(f"Triton, {rival.choice}", *each) for each in rival.launches])
        for rival in triton_rivals(unit, problem, arrays)
    ]


# Items.


def timed_item(
    problem: Problem, arrays: Sequence[Array], found: Sequence[Contender], **described: Any
) -> Item:
    """An item that measures contenders on arrays that the runner fills."""
    launched = [one for each in found for one in each.launches]
    host = HostArrays([*arrays, *(a for one in launched for a in one.arguments)])
    placed = host.described_arrays()
    fills: dict[int, Item] = {}
    for array, (dtype, shape, recipe) in zip(placed, problem.arrays, strict=False):
        fills[array["region"]] = {**recipe, "dtype": dtype, "elements": math.prod(shape)}
    regions = [
        {"bytes": high - low, "fill": fills[number]}
        for number, (low, high) in enumerate(host.regions)
    ]

    def launch(one: Contender) -> Item:
        return one.program.launch(one.grid, [host.described(a) for a in one.arguments])

    launches: list[Item] = []
    for each in found:
        following = {"then": [launch(one) for one in each.then]} if each.then else {}
        launches.append({"who": each.who, **launch(each), **following})
    return {
        "kind": "time",
        "title": problem.name,
        "seconds": TIMED_SECONDS,
        "regions": regions,
        "arrays": placed,
        "inputs": len(problem.arrays),
        "outputs": list(problem.outputs),
        "contenders": launches,
        "ours": [each.who for each in found if each.who.startswith("ours")],
        "work": problem.work,
        "unit": problem.unit,
        "reference": problem.reference,
        "settings": dict(problem.settings),
        "tolerance": problem.tolerance,
        "second_half": problem.second_half,
        **described,
    }


def make(device: PackDevice, family: str) -> Unit:
    """All problems of one family, which share their kernels."""
    unit = Unit(device)
    for problem in (each for each in problems(device) if each.family == family):
        arrays = [host_array(dtype, shape) for dtype, shape, _ in problem.arrays]
        found = contenders(unit, problem, arrays)
        timed = timed_item(problem, arrays, found, id=f"d/{problem.name}", group="d", torch=True)
        unit.items.append(timed)
        if problem.name in PROFILED:
            unit.items.append(
                {
                    **{key: timed[key] for key in ("title", "regions", "arrays")},
                    "id": f"e/{problem.name}",
                    "group": "e",
                    "kind": "profile",
                    "seconds": TOOL_SECONDS,
                    "launch": timed["contenders"][0],
                    "prediction": prediction(problem, device),
                }
            )
    return unit


def intervals(text: str, target: str) -> list[int]:
    """The cycles of an iteration of each pipelined loop, as the scheduler sees them."""
    context, parsed = tools.context(), tools.parse(text)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "schedule.json")
        for module_pass in passes(target):
            if isinstance(module_pass, TileASGenerateSchedulePass):
                replace(module_pass, explain=str(report)).apply(context, parsed)
                break
            module_pass.apply(context, parsed)
        functions = json.loads(report.read_text("utf-8"))["functions"]
    return [loop["interval"] for loops in functions.values() for loop in loops]


def prediction(problem: Problem, device: PackDevice) -> Item:
    """The cycles of the device that the compiler expects of a launch, and how they come about."""
    rates = throughput_of(get_target(device.target))
    moved = sum(
        math.prod(shape) * host_array(dtype, (1,)).itemsize for dtype, shape, _ in problem.arrays
    )
    by_memory = moved / (rates.memory_bytes * device.multiprocessors)
    found = intervals(problem.text(), device.target)
    if not found:
        return {"cycles": by_memory, "bound": "memory"}
    if problem.tile:
        iterations = float(-(-problem.arrays[0][1][1] // problem.tile[2]))
    else:
        causal = problem.settings.get("causal", False)
        iterations = problem.arrays[1][1][1] / 128 / (2 if causal else 1)
    blocks = math.prod(problem.grid)
    in_loops = max(found) * iterations * blocks / device.multiprocessors
    return {
        "cycles": max(in_loops, by_memory),
        "bound": "loop" if in_loops >= by_memory else "memory",
        "interval": max(found),
        "iterations": iterations,
        "blocks": blocks,
    }


def units(device: PackDevice) -> list[UnitSpec]:
    """A unit for each family, in the order of the problems."""
    families = dict.fromkeys(problem.family for problem in problems(device))
    return [UnitSpec(f"d/{family}", make, (family,)) for family in families]
