"""The report of shared memory: pieces that add up, and remarks on pipelines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.products import CASES
from tests.unit import tools
from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_pipelines import one_agent
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.tileir_pipeline import passes


def pieces(name: str, path: Path) -> list[Mapping[str, Any]]:
    module, context = tools.parse(CASES[name].text_path.read_text()), tools.context()
    for module_pass in passes("sm_90a"):
        if isinstance(module_pass, ConvertTileASToLLVMPass):
            module_pass = ConvertTileASToLLVMPass(explain=str(path))
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
    found = pieces(name, tmp_path / "places.json")
    stages = [piece for piece in found if piece["use"] == "stages of a pipeline"]
    assert [piece.get("remark") for piece in stages] == remarks
    starts = [int(piece["bytes"].split()[0]) for piece in found]
    assert starts == sorted(starts) and starts[0] == 0


def test_barriers_lie_behind_buffers(tmp_path: Path):
    path = tmp_path / "places.json"
    text = one_agent(2).text(maps_are_arguments=True)
    tools.run_passes(tools.parse(text), f'convert-tileas-to-llvm{{explain="{path}"}}')
    (found,) = json.loads(path.read_text())["functions"].values()
    assert [(piece["use"], piece["bytes"]) for piece in found] == [
        ("stages of a pipeline", "0 to 16383"),
        ("stages of a pipeline", "16384 to 32767"),
        ("barriers", "32768 to 32799"),
    ]
    assert not any("remark" in piece for piece in found)
