"""How many programs of the check have each op, by level: what a wrong pass can be found on.

    python -m tests.wrong_passes.coverage --seeds 60

Each program goes along the road for its target, and its ops are those of every step.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas
from tileir_xdsl.levels import CUDA_TILE, LEVELS, NV_TILEAA, NV_TILEAS, level_of
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.generating import random_program
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS
from tileir_xdsl.testing.pass_checks.subjects import TARGETS, road_from, run_road
from tileir_xdsl.testing.programs.coverage import NOT_GENERATED
from tileir_xdsl.transforms.pipeline_road import Step, steps
from tileir_xdsl.walking import ops_in

KINDS = ("dense", "loops", "cuda_tile", "nv_tileaa", "nv_tileas")
GENERATED_ONLY = 400
"""Programs of `cuda_tile` that are not taken along the road, as ops of that level are rare."""

NO_KERNEL = "no conversion makes it: it is of the roster of the dialect only"
DEVICES = "needs the memory of several devices"
OPTION = "made for an option, which the check does not set"

ABSENT: Mapping[str, str] = {
    **{op.name: reason for op, reason in NOT_GENERATED.items()},
    **dict.fromkeys(
        (
            "nv_tileaa.call",
            "nv_tileaa.conv_dot",
            "nv_tileaa.conv_tile",
            "nv_tileaa.elementwise_inline_asm",
            "nv_tileaa.inject_ir",
            "nv_tileaa.launch_func",
            "nv_tileaa.message",
            "nv_tileaa.plugin",
            "nv_tileas.async.pipeline.acquire_mutex",
            "nv_tileas.async.pipeline.create_mutex",
            "nv_tileas.async.pipeline.release_mutex",
            "nv_tileas.wgmma",
        ),
        NO_KERNEL,
    ),
    **dict.fromkeys(
        (
            "nv_tileaa.multimem_load_reduce",
            "nv_tileaa.multimem_reduce",
            "nv_tileaa.multimem_store",
        ),
        DEVICES,
    ),
    **dict.fromkeys(
        (
            "nv_tileaa.cancel_next_program_id",
            "nv_tileaa.current_program_id",
            "nv_tileaa.is_valid_program_id",
            "nv_tileas.async.cancel_next_program_id",
            "nv_tileas.read_program_id",
        ),
        f"{OPTION}: dynamic_persistent",
    ),
    "nv_tileas.async.tiled_tma_reduce": "only of atomic updates of whole tiles without results",
    "nv_tileas.make_device_tma_descs": "only of views whose memory is known on the device alone",
    "nv_tileas.pad": "only of copies that pad with a number which TMA has not",
    "nv_tileas.async.wait_mmas": "only of kernels that keep several MMAs in flight",
}
"""Ops that no program of the check has, and why."""

DIALECTS: Mapping[str, Dialect] = {
    "cuda_tile": cuda_tile.CudaTile,
    "nv_tileaa": nv_tileaa.NVTileAA,
    "nv_tileas": nv_tileas.NVTileAS,
}

Table = Counter[tuple[str, str]]
"""Programs by level and op."""


def counted(seeds: int) -> Table:
    """The programs that have each op, of so many of each kind and of the zoo."""
    table: Table = Counter()
    for module, road in _programs(seeds):
        table.update(_ops_by_level(module, road))
    for seed in range(seeds, GENERATED_ONLY):
        table.update(_ops_by_level(random_program("cuda_tile", seed).module, ()))
    return table


def _programs(seeds: int) -> Iterator[tuple[ModuleOp, Sequence[Step]]]:
    for kind in KINDS:
        level = next((each for each in LEVELS if each.name == kind), CUDA_TILE)
        for seed in range(seeds):
            target = TARGETS[seed % len(TARGETS)]
            module = random_program(kind, seed, target=target).module
            yield module, road_from(steps(target), level)
    for case in (*KERNELS.values(), *DIVISIBLE.values()):
        yield tools.parse(case.text_path.read_text("utf-8")), steps(TARGETS[0])


def _ops_by_level(module: ModuleOp, road: Sequence[Step]) -> set[tuple[str, str]]:
    """The ops that a program has at a step of the road, with the level they are at."""
    found = _ops_of(module)
    for step in road:
        try:
            run_road(module, [step])
        except DiagnosticException:
            break
        found |= _ops_of(module)
    return found


def _ops_of(module: ModuleOp) -> set[tuple[str, str]]:
    level = level_of(module).name
    return {(level, op.name) for op in ops_in(module)}


def rows(table: Table) -> Iterator[tuple[str, str, int, str]]:
    """Dialect, op, programs that have it at a level of the road, and why there are none."""
    for dialect, definition in DIALECTS.items():
        for name in sorted(op.name for op in definition.operations):
            most = max(table[level.name, name] for level in (CUDA_TILE, NV_TILEAA, NV_TILEAS))
            yield dialect, name, most, ABSENT.get(name, "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; 1 if an op without a reason is in no program."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.wrong_passes.coverage", description=__doc__
    )
    parser.add_argument("--seeds", type=int, default=60)
    missing = 0
    for _, name, programs, reason in rows(counted(parser.parse_args(arguments).seeds)):
        print(f"{name:50} {programs:5} {reason}")
        missing += not programs and not reason
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
