"""Repeated litmus tests: their kernels in the emulator, and how outcomes are counted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.pack import litmus
from bench.pack.build import build
from bench.pack.devices import DEVICES
from bench.pack.facts import HEADER
from bench.pack.runner.checks import FEW_ROUNDS, number_argument, run_litmus
from bench.pack.runner.emulation import EmulatorDevice
from bench.pack.runner.memory import Pack
from tests.litmus.repeated import kernel
from tests.litmus.syntax import LitmusTest
from tests.unit.bench.pack.test_pack import run, statuses

FAMILIES = ("barriers", "IRIW", "2+2W")


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("litmus")
    names = tuple(f"l/{family}" for family in FAMILIES)
    build(folder / "pack", names, 1, folder / "cache", ptx=True)
    return folder / "pack"


def test_the_emulator_shows_nothing_that_is_forbidden(pack: Path, tmp_path: Path) -> None:
    done, results = run(pack, tmp_path, "--device", "emulator")
    assert done.returncode == 0, done.stderr
    assert set(statuses(results).values()) == {"right"}
    exited = [name for name in results["items"] if name.endswith("+exited-lanes")]
    assert "l/barriers/bar.twice+exited-lanes" in exited
    for item in results["items"].values():
        assert item["repetitions"] == FEW_ROUNDS == sum(row[-1] for row in item["outcomes"])
        assert item["forbidden"] == 0
        assert all(len(row) == len(item["names"]) + 1 for row in item["outcomes"])
    # The words of memory that a condition names are those that were stored.
    words = results["items"]["l/2+2W/2+2W+relaxed"]["outcomes"]
    assert {value for row in words for value in row[:-1]} <= {1, 2}


def test_a_dry_run_repeats_them_as_often_as_a_gpu(pack: Path, tmp_path: Path) -> None:
    done, results = run(pack, tmp_path, "--device", "fake")
    assert done.returncode == 0, done.stderr
    assert set(statuses(results).values()) == {"dry"}
    assert litmus.GROUPS * litmus.ROUNDS > 100_000


def test_all_tests_without_a_race_and_copies_are_there() -> None:
    names = {test.name for family in litmus.tests().values() for test in family}
    assert len(names) > 110
    assert {"MP+release-acquire.gpu.gpu", "SB+fence.sc.cta.cta", "bar.shared"} <= names
    assert not names & {"MP+relaxed.gpu", "wait_group", "arrive"}


class OneModule(Pack):
    """A pack without files."""

    def __init__(self, ptx: str) -> None:
        super().__init__(Path())
        self.text = ptx

    def ptx(self, module: str) -> str:
        return self.text


def without_store(test: LitmusTest) -> LitmusTest:
    """The test without its stores: what should be seen is not."""
    threads = tuple(
        tuple(each for each in thread if each.parts[0] != "st") for thread in test.threads
    )
    return replace(test, threads=threads)


@pytest.mark.parametrize("exits", [False, True])
@pytest.mark.parametrize("name", ["bar.shared", "bar.arrive", "cluster.shared"])
def test_forbidden_outcomes_are_counted(name: str, exits: bool) -> None:
    unit = litmus.make(DEVICES["sm_90a"], "barriers")
    item: dict[str, Any] = next(i for i in unit.items if i["title"] == name)
    test = next(t for t in litmus.tests()["barriers"] if t.name == name)
    text = kernel(item["launch"]["kernel"], without_store(test), exits=exits)
    ptx = HEADER.format(target="sm_90a") + text
    pack = OneModule(ptx)
    found = run_litmus(EmulatorDevice(pack), pack, item, 10)
    assert found["status"] == "wrong"
    assert found["forbidden"] == found["repetitions"] == FEW_ROUNDS
    assert found["outcomes"] == [[0, FEW_ROUNDS]]


def test_numbers_of_launches() -> None:
    assert np.frombuffer(bytes.fromhex(number_argument(70000)["bytes"]), np.uint32)[0] == 70000
