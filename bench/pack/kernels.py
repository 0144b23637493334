"""Group c, kernels: the zoo, variants and those of matrix units, by us and by NVIDIA's compiler.

Where compute-sanitizer is there, ours run under its racecheck and synccheck too.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench import matrix_kernels
from bench.grouped_kernels import GROUPED_CASES
from bench.pack.compiling import add_ours, add_tileiras, bound, with_maps
from bench.pack.devices import PackDevice
from bench.pack.items import TOOL_SECONDS, Output, Program, Unit, UnitSpec, checked_item
from bench.variants import CASES as VARIANTS
from tests.unit.road.zoo import gpus_of
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.testing.kernels.case import KernelCase
from tileir_xdsl.testing.kernels.generate import text as generated

TOOLS = ("racecheck", "synccheck")
SELF_CONTAINED = "tile"
"""In ids: ours once more, for the launcher of cuTile (ABI `tile`)."""
AT_ONCE = 20
"""Kernels of one run of a tool, so that one that hangs takes few others with it."""


def cases(device: PackDevice) -> dict[str, KernelCase]:
    """The kernels that a device can run; variants, whose text is not checked in, last."""
    large = matrix_kernels.CASES | matrix_kernels.TYPED_CASES | matrix_kernels.SCALED_CASES
    large |= matrix_kernels.TALL_CASES | matrix_kernels.PERSISTENT_CASES | GROUPED_CASES
    if device.has_clusters:
        large |= matrix_kernels.PAIR_CASES
    named = KERNELS | {f"matrix_{name}": case for name, case in large.items()}
    found = {name: case for name, case in named.items() if device.target in gpus_of(case)}
    return found | {f"variant_{name}": case for name, case in VARIANTS.items()}


def text_of(case: KernelCase) -> str:
    """The Tile IR of a kernel, from the checked-in file or else from NVIDIA's front end."""
    return case.text_path.read_text("utf-8") if case.text_path.exists() else generated(case)


def make(device: PackDevice, name: str) -> Unit:
    """One kernel by both compilers, ours in both ABIs, on its typical problem."""
    unit, case = Unit(device), cases(device)[name]
    with tempfile.TemporaryDirectory() as folder:
        if name.startswith("variant_"):
            case = replace(case, folder=Path(folder))
        text = text_of(case)
    problem = case.typical
    arguments = case.make_arguments(problem)
    expected = case.expected(arguments)
    values = bound(text, case.name, arguments)
    try:
        ours, recipes = add_ours(unit, f"kernel_{name}_ours", text, case.name)
    except InputError as error:
        unit.notes.append(f"{name}: ours: {error}")
        return unit
    alone, _ = add_ours(unit, f"kernel_{name}_tile", text, case.name, ABI.TILE)
    programs: list[tuple[str, Program]] = [("ours", ours), (SELF_CONTAINED, alone)]
    theirs = add_tileiras(unit, f"kernel_{name}_tileiras", text, case.name)
    if theirs is not None:
        programs.append(("tileiras", theirs))
    arrays = {i: a for i, a in enumerate(arguments) if isinstance(a, np.ndarray)}
    for who, program in programs:
        given = with_maps(recipes, values) if who == "ours" else values
        outputs = [
            Output(arrays[position], output.values, output.error)
            for position, output in zip(case.outputs, expected, strict=True)
        ]
        unit.items.append(
            checked_item(
                unit,
                f"kernels_{name}",
                program,
                case.grid(problem),
                given,
                outputs,
                id=f"c/{who}/{name}",
                group="c",
                title=f"{name}, ABI tile" if who == SELF_CONTAINED else name,
                who="ours" if who == SELF_CONTAINED else who,
            )
        )
    return unit


def make_tools(device: PackDevice, names: tuple[str, ...], number: int) -> Unit:
    """Our kernels of these names under each tool."""
    return Unit(
        device,
        items=[
            {
                "id": f"c/{tool}/{number}",
                "group": "c",
                "kind": "sanitize",
                "title": f"{tool}: {names[0]} to {names[-1]}",
                "tool": tool,
                "items": [f"c/ours/{name}" for name in names],
                "seconds": TOOL_SECONDS,
            }
            for tool in TOOLS
        ],
    )


def units(device: PackDevice) -> list[UnitSpec]:
    """A unit for each kernel, then the tools."""
    names = tuple(cases(device))
    made = [UnitSpec(f"c/{name}", make, (name,)) for name in names]
    for number, first in enumerate(range(0, len(names), AT_ONCE)):
        group = names[first : first + AT_ONCE]
        made.append(UnitSpec(f"c/tools/{number}", make_tools, (group, number)))
    return made
