"""Groups d and e: timed problems with all who compute them, and what is predicted of ours."""

from __future__ import annotations

import importlib
import json
import math
import tempfile
from collections.abc import Mapping, Sequence
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
from bench.pack.problems import Problem, persistent_case, problems, with_twice_the_rows
from tests.kernels.generate import text as generated
from tests.unit import tools
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.gpu_launching import DeviceArgument
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.transforms.tileas_generate_schedule import TileASGenerateSchedulePass
from tileir_xdsl.transforms.tileir_pipeline import passes

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


def host_array(dtype: str, shape: tuple[int, ...]) -> Array:
    """An array that stands for one of the device; its memory is never touched."""
    return np.empty(shape, np.dtype(getattr(ml_dtypes, dtype, None) or dtype))


def hinted(text: str, hints: str) -> str:
    """A kernel's text with a hint."""
    return text.replace("default = {}", f"default = {{{hints}}}")


def arguments_of(problem: Problem, arrays: Sequence[Array]) -> list[Array | float]:
    """What a caller passes."""
    return [*arrays, *problem.scalars]


def _tile_ir(
    unit: Unit, problem: Problem, text: str, hints: str, who: str, arrays: Sequence[Array]
) -> list[Contender]:
    """Ours and tileiras' of one program; `who` is added to their names."""
    name, kernel = f"{problem.family}{who.replace(', ', '_').replace(' ', '_')}", problem.case.name
    values = bound(text, kernel, arguments_of(problem, arrays))
    program = hinted(text, hints) if hints else text
    ours, recipes = add_ours(unit, f"{name}_ours", program, kernel)
    found = [Contender(f"ours{who}", ours, problem.grid, with_maps(recipes, values))]
    theirs = add_tileiras(unit, f"{name}_tileiras", program, kernel)
    if theirs is not None:
        found.append(Contender(f"tileiras{who}", theirs, problem.grid, values))
    return found


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
    found = _tile_ir(unit, problem, text, "", "", arrays)
    is_matmul, is_attention = (problem.family.startswith(f) for f in ("matmul", "attention"))
    if not (is_matmul or is_attention):
        return found + triton(unit, problem, arrays)
    found += _tile_ir(unit, problem, text, EIGHT_WARPS, ", 8 warps", arrays)
    # CTAs do not divide dots with block scales.
    if unit.device.has_clusters and problem.reference != "scaled_matmul":
        wide = with_twice_the_rows(problem)
        found += _tile_ir(unit, wide, wide.text(), TWO_CTAS, ", 2 CTAs", arrays)
    if unit.device.has_work_requests:
        found.append(_dynamic(unit, problem, text, arrays))
    if problem.family == "matmul_bf16":
        case = persistent_case()
        grid = (min(unit.device.multiprocessors, math.prod(problem.grid)), 1, 1)
        looping = replace(problem, case=case, grid=grid)
        found += _tile_ir(unit, looping, generated(case), "", ", persistent", arrays)
        if unit.device.has_clusters:
            # A grid counts clusters, each of which takes two multiprocessors.
            wide = with_twice_the_rows(looping)
            count = min(unit.device.multiprocessors // 2, math.prod(problem.grid) // 2)
            clustered = replace(wide, grid=(count, 1, 1))
            who = ", persistent, 2 CTAs"
            found += _tile_ir(unit, clustered, wide.text(), TWO_CTAS, who, arrays)
        if unit.device.has_clusters and unit.device.has_work_requests:
            wide = with_twice_the_rows(problem)
            found.append(_dynamic(unit, wide, hinted(wide.text(), TWO_CTAS), arrays, ", 2 CTAs"))
    return found + triton(unit, problem, arrays)


# Triton.


def triton(unit: Unit, problem: Problem, arrays: Sequence[Array]) -> list[Contender]:
    """Triton's kernel of a problem, where there is one."""
    kernels: Any = importlib.import_module("bench.triton_kernels")
    rows: Any = importlib.import_module("bench.rows")
    size = arrays[0].shape
    match problem.family:
        case "matmul_bf16":
            m, n, k = problem.tile
            boxes = ((m, k), (k, n), (m, n))
            types = {
                name: f"tensordesc<bf16[{box[0]},{box[1]}]>"
                for name, box in zip("abc", boxes, strict=True)
            }
            settings = {"M": m, "N": n, "STEP": k}
            values = (np.int32(size[1]),)
            options = (kernels.matmul, {**types, "k": "i32"}, settings, 8, 4)
            return [_described(unit, problem, options, arrays, values, ("k",))]
        case "softmax" | "layer_norm":
            row = next(r for r in rows.ROWS if r.case.name == f"row_of_{problem.family}")
            options = (row.triton, row.signature, {"SIZE": rows.SIZE}, 4, 3)
            values = (np.int32(size[1]), *map(np.float32, problem.scalars))
            return [_described(unit, problem, options, arrays, values, row.multiples)]
        case family if family.startswith("attention"):
            causal, depth = bool(problem.settings["causal"]), size[2]
            queries, keys = problem.settings["queries"], problem.settings["keys"]
            own, read = (f"tensordesc<bf16[{extent},{depth}]>" for extent in (queries, keys))
            types = {"q": own, "k": read, "v": read, "out": own}
            settings = {"ROWS": queries, "KEYS": keys, "D": depth, "CAUSAL": causal}
            options = (
                kernels.attention,
                {**types, "length": "i32", "scale": "fp32"},
                settings,
                8,
                2,
            )
            flat = [each.reshape(-1, depth) for each in arrays]
            values = (np.int32(size[1]), np.float32(problem.scalars[0]))
            return [_described(unit, problem, options, flat, values, ("length",))]
        case _:
            return []


def _described(
    unit: Unit,
    problem: Problem,
    options: tuple[Any, Mapping[str, str], Mapping[str, Any], int, int],
    arrays: Sequence[Array],
    values: Sequence[np.generic],
    multiples: tuple[str, ...],
) -> Contender:
    """Compiles a kernel of Triton for the target, ahead of time."""
    compiler: Any = importlib.import_module("tests.triton_compiler")
    function, types, constants, warps, stages = options
    made = compiler.compile_triton(
        function,
        types,
        constants,
        capability=get_target(unit.device.target).compute_capability,
        warps=warps,
        stages=stages,
        multiples=multiples,
    )
    module = f"{problem.family}_triton"
    if module not in unit.cubins:
        unit.cubins[module] = assemble(made.ptx, unit.device.target, "-O3").cubin
    arguments: list[DeviceArgument] = []
    if made.boxes:
        for array, (box, swizzle) in zip(arrays, made.boxes, strict=True):
            # A descriptor is followed by sizes, strides and whether NaN is filled in.
            sizes = [np.int32(size) for size in array.shape]
            strides = [np.int64(stride // array.itemsize) for stride in array.strides]
            arguments += [TensorMap(array, box, swizzle), *sizes, *strides]
    else:
        arguments += arrays
    # Two pointers to scratch memory, of which these kernels need none.
    arguments += [*values, np.uint64(0), np.uint64(0)]
    program = Program(module, made.name, (made.threads, 1, 1), made.shared)
    return Contender("Triton", program, problem.grid, arguments)


# Items.


def timed_item(
    problem: Problem, arrays: Sequence[Array], found: Sequence[Contender], **described: Any
) -> Item:
    """An item that measures contenders on arrays that the runner fills."""
    host = HostArrays([*arrays, *(a for each in found for a in each.arguments)])
    placed = host.described_arrays()
    fills: dict[int, Item] = {}
    for array, (dtype, shape, recipe) in zip(placed, problem.arrays, strict=False):
        fills[array["region"]] = {**recipe, "dtype": dtype, "elements": math.prod(shape)}
    regions = [
        {"bytes": high - low, "fill": fills[number]}
        for number, (low, high) in enumerate(host.regions)
    ]
    launches = [
        {
            "who": each.who,
            **each.program.launch(each.grid, [host.described(a) for a in each.arguments]),
        }
        for each in found
    ]
    return {
        "kind": "time",
        "title": problem.name,
        "seconds": TIMED_SECONDS,
        "regions": regions,
        "arrays": placed,
        "inputs": len(problem.arrays),
        "output": problem.output,
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
        functions = json.loads(report.read_text())["functions"]
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
