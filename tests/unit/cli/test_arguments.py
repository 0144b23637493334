"""Kernel arguments as text."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tileir_xdsl.cli.arguments import parse_argument
from tileir_xdsl.runtime.arrays import DTYPES
from tileir_xdsl.runtime.errors import InputError


def parse(text: str):
    return parse_argument(text, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("text", "value"), [("17", 17), ("-3", -3), ("0x10", 16), ("0.5", 0.5), ("-1e3", -1000.0)]
)
def test_numbers(text: str, value: float):
    argument = parse(text)
    assert argument.name is None
    assert argument.value == value
    assert type(argument.value) is type(value)


@pytest.mark.parametrize("text", ["inf", "-inf", "nan"])
def test_numbers_that_are_not_finite(text: str):
    assert repr(parse(text).value) == text


@pytest.mark.parametrize(("element", "dtype"), DTYPES.items())
def test_zeros_of_each_type(element: str, dtype: np.dtype[Any]):
    value = parse(f"zeros:{element}:4x3").value
    assert isinstance(value, np.ndarray)
    assert (value.dtype, value.shape) == (dtype, (4, 3))


def test_zeros_are_zero():
    value = parse("zeros:f32:7").value
    assert isinstance(value, np.ndarray)
    assert value.tolist() == [0.0] * 7


@pytest.mark.parametrize(("element", "dtype"), DTYPES.items())
def test_random_values_differ(element: str, dtype: np.dtype[Any]):
    value = parse(f"random:{element}:1000").value
    assert isinstance(value, np.ndarray)
    assert (value.dtype, value.shape) == (dtype, (1000,))
    assert len(set(value.astype(np.float64).tolist())) > 1


def test_random_values_depend_on_the_seed_alone():
    text = "random:f32:10"
    first, second, third = (parse_argument(text, np.random.default_rng(s)) for s in (1, 1, 2))
    assert np.array_equal(first.value, second.value)
    assert not np.array_equal(first.value, third.value)


def test_names():
    assert parse("out:zeros:f32:0").name == "out"
    assert parse("n:5") == parse("5").__class__("n", 5)
    assert parse("zeros:f32:1").name is None


def test_npy_file(tmp_path: Path):
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    np.save(tmp_path / "a.npy", array)
    for text, name in ((f"{tmp_path}/a.npy", None), (f"x:{tmp_path}/a.npy", "x")):
        argument = parse(text)
        assert argument.name == name
        assert np.array_equal(argument.value, array)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zeros:f31:4", "--arg zeros:f31:4: error: unknown type 'f31', expected i1, i8,"),
        ("zeros:f32", "--arg zeros:f32: error: expected a number, FILE.npy, zeros:TYPE:SHAPE or"),
        ("zeros:f32:-4", "--arg zeros:f32:-4: error: expected a number"),
        ("random:f32:4x", "--arg random:f32:4x: error: expected a number"),
        ("", "--arg : error: expected a number"),
        ("nothing.npy", "nothing.npy: error: No such file or directory"),
    ],
)
def test_bad_arguments(text: str, message: str):
    with pytest.raises(InputError) as raised:
        parse(text)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("contents", [b"", b"text", b"\x93NUMPY\x01\x00"])
def test_file_that_is_no_array(contents: bytes, tmp_path: Path):
    file = tmp_path / "a.npy"
    file.write_bytes(contents)
    with pytest.raises(InputError) as raised:
        parse(str(file))
    assert str(raised.value).startswith(f"{file}: error: ")


def test_reduced_floats_in_npy_files_keep_their_bits(tmp_path: Path):
    array = np.arange(4).astype(ml_dtypes.bfloat16)
    np.save(tmp_path / "a.npy", array)
    value = parse(f"{tmp_path}/a.npy").value
    assert isinstance(value, np.ndarray)
    assert value.tobytes() == array.tobytes()
