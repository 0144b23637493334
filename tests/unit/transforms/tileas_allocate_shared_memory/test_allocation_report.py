"""The report of shared memory: pieces that add up, and remarks on pipelines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.matrix_kernels import CASES
from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_pipelines import one_agent
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_allocate_shared_memory import TileASAllocateSharedMemoryPass


def allocations(name: str, path: Path) -> list[Mapping[str, Any]]:
    module, context = tools.parse(CASES[name].text_path.read_text()), tools.context()
    for module_pass in passes("sm_90a"):
        if isinstance(module_pass, TileASAllocateSharedMemoryPass):
            module_pass = TileASAllocateSharedMemoryPass(explain=str(path))
        module_pass.apply(context, module)
    return json.loads(path.read_text())["functions"][name]


@pytest.mark.parametrize(
    ("name", "remarks"),
    [
        ("product_128x128x64", ["share pipeline buffer", None]),
        (
            "attention_128x128x128",
            [
                "share pipeline buffer",
                "mbarrier has wait-like users, cannot share pipeline buffer.",
            ],
        ),
    ],
)
def test_stages_and_what_takes_their_place(name: str, remarks: list[str | None], tmp_path: Path):
    found = allocations(name, tmp_path / "places.json")
    stages = [allocation for allocation in found if allocation["use"] == "stages of a pipeline"]
    assert [allocation.get("remark") for allocation in stages] == remarks
    starts = [int(allocation["bytes"].split()[0]) for allocation in found]
    assert starts == sorted(starts) and starts[0] == 0


def test_barriers_lie_behind_buffers(tmp_path: Path):
    path = tmp_path / "places.json"
    text = one_agent(2).text(maps_are_arguments=True)
    tools.run_passes(tools.parse(text), f'tileas-allocate-shared-memory{{explain="{path}"}}')
    (found,) = json.loads(path.read_text())["functions"].values()
    assert [(allocation["use"], allocation["bytes"]) for allocation in found] == [
        ("stages of a pipeline", "0 to 16383"),
        ("stages of a pipeline", "16384 to 32767"),
        ("barriers", "32768 to 32799"),
    ]
    assert not any("remark" in allocation for allocation in found)
