"""Packs for other GPUs than the first: built, dry-run, and run in the emulator."""

from pathlib import Path
from typing import Any

import pytest

from bench.matrix_units import ALL_CASES, is_taken
from bench.pack import instructions
from bench.pack.build import build
from bench.pack.devices import DEVICES
from bench.pack.instructions import forms, mma_forms, operation_cases
from bench.pack.kernels import cases
from bench.pack.problems import problems
from tests.unit.bench.pack.test_pack import run, statuses
from tileir_xdsl.targets import get_target

PER_UNIT = 16
"""Forms of instructions, of which a pack for a GPU has more in a unit and in a module."""


def unit_of(form: str, target: str) -> str:
    """The unit that a form of an instruction is part of."""
    number = forms(DEVICES[target]).index(form)
    return f"b/forms/{number // PER_UNIT * PER_UNIT}"


NEW_FORMS = {
    "sm_100a": "tcgen05.mma.cta_group::2.kind::f16",
    "sm_120a": "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
    ".f32.e2m1.e2m1.f32.ue4m3",
}
NEW_KERNELS = {
    "sm_100a": "matrix_persistent_256x128x64",
    "sm_120a": "matrix_nvfp4_128x128x256",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", NEW_FORMS)
def test_a_pack_of_another_target(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PER_UNIT", "AT_ONCE"):
        monkeypatch.setattr(instructions, name, PER_UNIT)
    kernel, unit = NEW_KERNELS[target], unit_of(NEW_FORMS[target], target)
    chosen = ("a", unit, f"c/{kernel}")
    manifest = build(tmp_path / "pack", chosen, 1, tmp_path / "cache", target, ptx=True)
    device = DEVICES[target]
    assert manifest["target"] == target
    assert manifest["compute_capability"] == device.compute_capability
    assert manifest["notes"] == []
    done, results = run(tmp_path / "pack", tmp_path, "--device", "fake")
    assert done.returncode == 0, done.stderr
    found = statuses(results)
    # ABI tile has all of its shared memory static: whether a driver takes that is asked in group a.
    found.pop(f"c/tile/{kernel}")
    assert set(found.values()) == {"dry", "answered"}
    assert results["device"]["shared_bytes_opt_in"] == device.shared_bytes
    new = f"b/forms/{NEW_FORMS[target]}", f"c/ours/{kernel}", f"c/tile/{kernel}", "a/"
    (tmp_path / "results.json").unlink()
    done, results = run(tmp_path / "pack", tmp_path, "--device", "emulator", "--only", *new)
    assert done.returncode == 0, done.stderr
    found = statuses(results)
    assert [found[name] for name in new[:-1]] == ["right"] * 3
    assert {found[name] for name in found if name.startswith("a/")} == {"answered"}


def has(found: Any, *parts: str) -> bool:
    """Whether one of some names has all of some parts."""
    return any(all(part in name for part in parts) for name in found)


def test_forms_are_those_that_a_device_has() -> None:
    hopper, blackwell, consumer = (forms(device) for device in DEVICES.values())
    assert has(hopper, "wgmma.")
    assert not has(hopper, "tcgen05.")
    assert not has(blackwell, "wgmma.")
    assert has(blackwell, "tcgen05.mma", "cta_group::2")
    assert has(blackwell, "tcgen05.mma", "block_scale")
    assert has(blackwell, "redux.sync.min.f32")
    assert not has(consumer, "tcgen05.")
    assert not has(consumer, "redux.sync.min.f32")
    assert has(consumer, "mma.sync", "block_scale")
    assert has(consumer, "clusterlaunchcontrol.")
    assert has(mma_forms(DEVICES["sm_90a"]), "wgmma.")
    texts = [case.text for case in operation_cases(DEVICES["sm_120a"])]
    assert not has(texts, "redux.sync.min.f32")
    assert len(texts) == len(operation_cases(DEVICES["sm_100a"])) - 16


def test_limits_are_those_of_the_targets() -> None:
    for target, device in DEVICES.items():
        assert device.shared_bytes == get_target(target).limits.shared_memory_per_block
        assert device.compute_capability.replace(".", "") == target.removeprefix("sm_").rstrip("a")
    assert [d.has_clusters for d in DEVICES.values()] == [True, True, False]
    assert [d.has_work_requests for d in DEVICES.values()] == [False, True, True]


def test_kernels_and_problems_are_those_that_a_device_has() -> None:
    for target, device in DEVICES.items():
        kernels, families = cases(device), {problem.family for problem in problems(device)}
        assert ("matrix_mxfp4_ordered_128x128x256" in kernels) == device.has_scales
        assert ("matrix_product_256x256x64" in kernels) == device.has_clusters
        rows = {f"matrix_{name}" for name in ALL_CASES if is_taken(name, device.target)}
        assert rows <= set(kernels)
        assert ("matmul_nvfp4_ordered" in families) == device.has_scales, target
