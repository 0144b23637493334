"""A small pack on a GPU that is a stub of `libcuda`, by `cuda-bindings` and by `ctypes`.

The stub computes nothing; launches, copies, graphs and events are those of a run on a GPU.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.pack.build import build
from bench.pack.runner.memory import Pack
from tests.stub_driver.library import Stub, kernel_lines

UNITS = ("a", "c/vector_add", "c/softmax_f32", "r/exp2_flushed", "l/IRIW")
HARMLESS = {"a": "answered", "c": "wrong", "l": "right", "r": "answered"}
"""What becomes of the items of a group where nothing is computed and nothing fails."""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    folder = tmp_path_factory.mktemp("on_stub")
    build(folder / "pack", UNITS, 1, folder / "cache")
    return Pack(folder / "pack")


def run(
    pack: Pack, stub: Stub, folder: Path, *options: str, **settings: str
) -> tuple[dict[str, Any], str]:
    """The results of a run, and the calls that the stub got."""
    kernels = [
        line
        for module, known in pack.manifest["modules"].items()
        for line in kernel_lines(pack.cubin(module), known)
    ]
    (folder / "kernels").write_text("\n".join(kernels) + "\n")
    log, results = folder / "log", folder / "results.json"
    log.touch()
    given = {"kernels": str(folder / "kernels"), "log": str(log), "busy": "1", **settings}
    command = [sys.executable, str(pack.folder / "run_pack.py"), "--results", str(results)]
    done = subprocess.run(
        [*command, *options],
        env=stub.environment(given, folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(results.read_text()), log.read_text()


def refused_facts(items: dict[str, Any]) -> set[str]:
    return {name for name, item in items.items() if "refused" in item.get("answer", "")}


@pytest.mark.parametrize("api", ["BindingsApi", "CtypesApi"])
def test_everything_is_launched(api: str, pack: Pack, stub_driver: Stub, tmp_path: Path) -> None:
    if api == "CtypesApi":
        hidden = tmp_path / "cuda" / "__init__.py"
        hidden.parent.mkdir()
        hidden.write_text("raise ImportError('as where cuda-bindings are not installed')\n")
    results, calls = run(pack, stub_driver, tmp_path, name="stub of H200")
    items = results["items"]
    assert results["device"]["api"] == api
    assert results["device"]["name"] == "stub of H200"
    assert {(name[0], item["status"]) for name, item in items.items()} == set(HARMLESS.items())
    # What a launch asks for arrives as the fake driver takes it, too.
    assert "executed k_asked_cluster grid 8 1 1 block 128 1 1 shared 0 cluster 4 1 1" in calls
    again = tmp_path / "dry"
    again.mkdir()
    dry, _ = run(pack, stub_driver, again, "--device", "fake", "--groups", "a")
    assert refused_facts(items) == refused_facts(dry["items"]) != set()


def test_a_fault_is_that_of_its_item(pack: Pack, stub_driver: Stub, tmp_path: Path) -> None:
    results, _ = run(pack, stub_driver, tmp_path, "--groups", "c", fault="vector_add:719")
    items = results["items"]
    assert items["c/ours/vector_add"]["status"] == "fault"
    assert "CUDA_ERROR_LAUNCH_FAILED" in items["c/ours/vector_add"]["detail"]
    assert items["c/ours/softmax_f32"]["status"] == "wrong"
