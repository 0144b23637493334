"""Disputed readings: the data, their kernels, and what a run records of both compilers."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from bench.pack.build import build
from bench.pack.readings import Form, data, forms, number
from tests.unit.bench.pack.test_pack import run
from tileir_xdsl.testing import tools

READINGS = [(kind, name) for kind, named in data().items() for name in named]


@pytest.mark.parametrize(
    ("word", "dtype", "bits"),
    [
        ("max", np.float16, 0x7BFF),
        ("-max", ml_dtypes.float8_e4m3fn, 0xFE),
        ("tiny", np.float32, 1),
        ("-nan", np.float32, 0xFFC00000),
        ("normal", np.float64, 1 << 52),
        ("0x7F800001", np.float32, 0x7F800001),
        ("-0", np.float16, 0x8000),
        ("min", np.int16, 0x8000),
        ("-1", np.int64, (1 << 64) - 1),
    ],
)
def test_numbers(word: str, dtype: type, bits: int) -> None:
    found = np.array(number(word, np.dtype(dtype)))
    assert int(found.view(f"u{found.itemsize}")) == bits


@pytest.mark.parametrize(("kind", "name"), READINGS, ids=[name for _, name in READINGS])
def test_forms_are_kernels(kind: str, name: str) -> None:
    found = list(forms(kind, name))
    assert len({form.name for form in found}) == len(found)
    for form in found:
        assert tools.parse(form.text).verify() is None
        assert len(form.questions) * form.stride <= form.output.size


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readings")
    names = ("r/float_to_bool", "r/extremes_flushed", "r/accumulation")
    build(folder / "pack", names, 1, folder / "cache", ptx=True)
    return folder / "pack"


def floats(form: Form) -> list[np.ndarray]:
    """The operands of the questions."""
    with np.errstate(invalid="ignore"):
        return [operand[: len(form.questions)].astype(np.float64) for operand in form.inputs]


def test_ours_is_recorded_as_the_emulator_computes_it(pack: Path, tmp_path: Path) -> None:
    done, results = run(pack, tmp_path, "--device", "emulator")
    assert done.returncode == 0, done.stderr
    items = results["items"]
    assert {item["status"] for item in items.values()} == {"answered"}
    assert {item["answer"] for item in items.values()} == {"by ours alone"}
    ours = {name: [int(b, 16) for b in item["bits"]["ours"]] for name, item in items.items()}
    for form in forms("elementwise", "float_to_bool"):
        (operand,) = floats(form)
        assert ours[f"r/{form.name}"] == list((operand != 0).astype(int)), form.name
    for form in forms("elementwise", "extremes_flushed"):
        a, b = (np.where(np.abs(x) < 2.0**-126, x * 0, x) for x in floats(form))
        propagates, is_max = "propagate" in form.title, form.title.startswith("maxf")
        function = {
            (True, True): np.maximum, (True, False): np.minimum,
            (False, True): np.fmax, (False, False): np.fmin,
        }[propagates, is_max]  # fmt: skip
        found = np.array(ours[f"r/{form.name}"], np.uint32).view(np.float32)
        np.testing.assert_array_equal(found, function(a, b))


def test_both_are_launched(pack: Path, tmp_path: Path) -> None:
    done, results = run(pack, tmp_path, "--device", "fake")
    assert done.returncode == 0, done.stderr
    assert {item["status"] for item in results["items"].values()} == {"dry"}
    for item in results["items"].values():
        assert item["bits"].keys() == {"ours", "tileiras"}
        assert item["answer"] == "same"
        assert len(item["questions"]) == len(item["bits"]["ours"])
