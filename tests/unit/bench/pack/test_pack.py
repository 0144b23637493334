"""A small pack from end to end: built, dry-run with numpy alone, run in the emulator, reported.

What goes wrong on a machine with a GPU is rehearsed by the fake driver.
"""

import ast
import importlib.util
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.pack import instructions
from bench.pack.build import REPOSITORY, build, pack_size, write_pack
from bench.pack.devices import DEVICES
from bench.pack.items import Unit
from bench.pack.joining import runner_text
from bench.pack.measured import load
from bench.pack.packing import pack_unit
from bench.pack.report import report
from bench.pack.runner.memory import (
    MANIFEST,
    packed,
    read_packed,
)
from bench.pack.runner.results import PackError

UNITS = (
    *("a", "b/approximations", "b/operations/2560", "b/products/128"),
    *("c/vector_add", "c/softmax_f32", "c/tools/0", "d/softmax", "f/softmax"),
)
SPOILED = "c/ours/vector_add"
KERNEL = "vector_add"
HOPPER = DEVICES["sm_90a"]


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pack")
    with pytest.MonkeyPatch.context() as patch:
        # Of the instructions, fewer in a unit.
        for name in ("PER_UNIT", "AT_ONCE"):
            patch.setattr(instructions, name, 16)
        manifest = build(folder / "pack", UNITS, 1, folder / "cache", ptx=True)
        # From the cache, the same.
        assert build(folder / "again", UNITS, 1, folder / "cache", ptx=True) == manifest
    assert {item["group"] for item in manifest["items"]} == set("abcdef")
    assert pack_size(folder / "pack") < 4 << 20
    return folder / "pack"


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python environment with numpy and nothing else."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    spec = importlib.util.find_spec("numpy")
    assert spec is not None
    assert spec.origin is not None
    for name in ("numpy", "numpy.libs"):
        source = Path(spec.origin).parent.with_name(name)
        if source.exists():
            (packages / name).symlink_to(source)
    return folder / "bin" / "python"


def run(
    pack: Path, folder: Path, *options: str, python: str | Path = sys.executable
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """What a run prints, and its results."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if "emulator" in options:
        environment["PYTHONPATH"] = str(REPOSITORY)
    results = folder / "results.json"
    command = [python, pack / "run_pack.py", "--results", results, *options]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done, json.loads(results.read_text())


def statuses(results: dict[str, Any]) -> dict[str, str]:
    return {name: result["status"] for name, result in results["items"].items()}


def test_a_dry_run_needs_numpy_alone(pack: Path, tmp_path: Path, bare_python: Path) -> None:
    for package in ("tileir_xdsl", "ml_dtypes", "cuda", "xdsl"):
        command = [bare_python, "-I", "-c", f"import {package}"]
        assert subprocess.run(command, capture_output=True, check=False).returncode != 0
    done, results = run(pack, tmp_path, "--device", "fake", python=bare_python)
    assert done.returncode == 0, done.stderr
    found = statuses(results)
    tools = [name for name in found if name.startswith(("c/racecheck", "c/synccheck", "e/"))]
    assert {found.pop(name) for name in tools} == {"skipped", "dry"}
    assert set(found.values()) == {"dry", "answered"}, done.stdout
    contenders = results["items"]["d/softmax"]["contenders"]
    assert {name.split(",")[0] for name in contenders} == {"ours", "tileiras", "Triton"}
    assert {"tileiras", "tileiras, 8 warps", "Triton, 4 warps"} <= contenders.keys()
    assert all("seconds" in each for each in contenders.values())
    text = report(load(tmp_path / "results.json"))
    assert text.startswith("Dry run with no device (dry run)")


def test_the_emulator_agrees_with_itself(pack: Path, tmp_path: Path) -> None:
    done, results = run(pack, tmp_path, "--device", "emulator")
    assert done.returncode == 0, done.stderr
    found = statuses(results)
    for name, status in found.items():
        if name[0] in "de" or "tileiras" in name or name[0] == "f" or "check/" in name:
            assert status == "skipped", name
        elif name[0] in "bc":
            assert status == "right", name
    answers = {n: r["answer"] for n, r in results["items"].items() if "answer" in r}
    assert set(answers.values()) == {"runs as expected"}
    odd = {n: r["detail"] for n, r in results["items"].items() if n.startswith("a/k_odd")}
    assert len(odd) == 2
    assert all("cannot be divided into clusters" in detail for detail in odd.values())
    assert "| ex2 |" in report(load(tmp_path / "results.json"))


def test_a_wrong_kernel_is_found(pack: Path, tmp_path: Path) -> None:
    """The addition becomes a subtraction."""
    spoiled = tmp_path / "pack"
    shutil.copytree(pack, spoiled)
    file = spoiled / "units" / "c_vector_add.xz"
    members = read_packed(file)
    text = members["kernel_vector_add_ours.ptx"]
    assert b"add.rn.f32" in text
    members["kernel_vector_add_ours.ptx"] = text.replace(b"add.rn.f32", b"sub.rn.f32")
    file.write_bytes(packed(members))
    _, results = run(spoiled, tmp_path, "--device", "emulator", "--only", SPOILED)
    found = results["items"][SPOILED]
    assert found["status"] == "wrong"
    assert found["outputs"][0]["wrong"] > 900
    first = report(results).split("## Goals")[0]
    assert f"1. `{SPOILED}`: wrong: " in first
    assert "`tileir check tileir_xdsl/testing/kernels/vector_add.mlir`" in first


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("rehearse", "problem"),
    [
        ("no-gpu", "error: no GPU: cuInit: CUDA_ERROR_NO_DEVICE"),
        ("other-gpu", "has compute capability 8.0, the pack is for 9.0"),
        ("old-driver", "an old driver: it knows CUDA 12.1, the pack needs 12.3"),
    ],
)
def test_a_machine_that_cannot_run_it(
    pack: Path, tmp_path: Path, rehearse: str, problem: str
) -> None:
    options = ("--device", "fake", "--groups", "ac")
    done, results = run(pack, tmp_path, *options, "--rehearse", rehearse)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert problem in done.stderr
    assert set(statuses(results).values()) == {"skipped"}
    done, results = run(pack, tmp_path, *options)
    assert done.returncode == 0
    assert set(statuses(results).values()) == {"answered", "dry", "skipped"}
    assert len(results["sessions"]) == 2


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    ("what", "status"),
    [("hang", "hung"), ("fault", "fault"), ("crash", "crash"), ("stuck", "hung")],
)
def test_a_kernel_that_goes_wrong(pack: Path, tmp_path: Path, what: str, status: str) -> None:
    options = ("--device", "fake", "--groups", "c")
    done, results = run(pack, tmp_path, *options, "--rehearse", f"{what}:{KERNEL}")
    assert done.returncode == 0, done.stderr
    found = statuses(results)
    assert found.pop(SPOILED) == status
    assert set(found.values()) <= {"dry", "skipped", status}
    assert found["c/ours/softmax_f32"] == found["c/tile/softmax_f32"] == "dry"
    assert f"{SPOILED}: {status}" in done.stdout
    # It was tried once more, and is not tried again.
    assert results["items"][SPOILED]["tries"] == 2
    _, again = run(pack, tmp_path, *options)
    assert statuses(again)[SPOILED] == status


def test_no_time_is_a_reason(pack: Path, tmp_path: Path) -> None:
    done, results = run(pack, tmp_path, "--device", "fake", "--minutes", "0.0001")
    assert done.returncode == 0
    assert set(statuses(results).values()) == {"cut", "skipped"}
    assert done.stdout.startswith("0 of 0 s are planned:\n")
    assert "  left out: d/softmax\n" in done.stdout


@pytest.mark.parametrize("contents", [None, b"{", lzma.compress(b"{"), lzma.compress(b"{}")])
def test_a_folder_that_is_no_pack(pack: Path, tmp_path: Path, contents: bytes | None) -> None:
    shutil.copy(pack / "run_pack.py", tmp_path)
    if contents is not None:
        (tmp_path / MANIFEST).write_bytes(contents)
    command = [sys.executable, str(tmp_path / "run_pack.py"), "--device", "fake"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("run_pack.py: error: ")
    assert done.stderr.count("\n") == 1


def test_a_broken_file_is_that_of_its_items(pack: Path, tmp_path: Path) -> None:
    broken = tmp_path / "pack"
    shutil.copytree(pack, broken)
    (broken / "units" / "a.xz").write_bytes(b"no file")
    _, results = run(broken, tmp_path, "--device", "emulator", "--only", "a/k_plain", "a/k_single")
    assert set(statuses(results).values()) == {"refused"}
    assert "a.xz: " in results["items"]["a/k_plain"]["detail"]


def test_nothing_of_a_pack_is_overwritten(tmp_path: Path) -> None:
    item = {"id": "a/k", "group": "a"}
    units = {
        "modules": [Unit(HOPPER, cubins={"m": code}) for code in (b"1", b"2")],
        "items": [Unit(HOPPER, items=[item]) for _ in range(2)],
        "archives": [Unit(HOPPER, archives={"z": {}}) for _ in range(2)],
    }
    for what, both in units.items():
        made = {f"u{number}": pack_unit(unit) for number, unit in enumerate(both)}
        with pytest.raises(ValueError, match=f"two .*{what}.* have one name"):
            write_pack(tmp_path / "pack", HOPPER, made)


def test_there_is_no_such_unit(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="no unit's name begins with 'z'"):
        build(tmp_path / "pack", ["z"], 1, tmp_path / "cache")


def test_the_runner_imports_numpy_alone() -> None:
    names: set[str] = set()
    for node in ast.walk(ast.parse(runner_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    assert names - set(sys.stdlib_module_names) == {"numpy"}
