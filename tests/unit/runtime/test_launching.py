"""Kernels from Python: on numpy arrays and anything with DLPack, and what is said of wrong calls."""

import io
import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tileir_xdsl import runtime
from tileir_xdsl.runtime import InputError, find_races, run
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase
from tileir_xdsl.testing.kernels.generate import bytecode

VECTOR_ADD = KERNELS["vector_add"]
TRANSPOSE = KERNELS["transpose"]

SCALE = """cuda_tile.module @m {
  entry @scale(%p: tile<ptr<bf16>>) {
    %view = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xbf16, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(4), tensor_view<4xbf16, strides=[1]>>
    %i = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %tiles[%i] : partition_view<tile=(4), tensor_view<4xbf16, strides=[1]>>, tile<i32> -> tile<4xbf16>, token
    %y = addf %x, %x : tile<4xbf16>
    %u = store_view_tko weak %y, %tiles[%i] token = %t : tile<4xbf16>, partition_view<tile=(4), tensor_view<4xbf16, strides=[1]>>, tile<i32> -> token
    return
  }
}
"""


class Tensor:
    """An array of another library: all it has is DLPack."""

    def __init__(self, array: np.ndarray, device: int = 1):
        self._array = array
        self._device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device, 0


def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two vectors of 1000 elements, and one for their sum."""
    a, b = np.random.default_rng(0).standard_normal((2, 1000)).astype(np.float32)
    return a, b, np.zeros_like(a)


@pytest.mark.parametrize("form", ["path", "bytes", "module"])
def test_sources(form: str, tmp_path: Path):
    source: Any = {
        "path": VECTOR_ADD.text_path,
        "bytes": bytecode(VECTOR_ADD, "13.3"),
        "module": tools.parse(VECTOR_ADD.text_path.read_text()),
    }[form]
    a, b, c = inputs()
    run(source, [1], [a, b, c])
    assert np.array_equal(c, a + b)
    assert runtime.load(source) is not None


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa", "nv_tileas", "ptx"])
def test_levels(level: str):
    a, b, c = inputs()
    run(VECTOR_ADD.text_path, (1,), [a, b, c], level=level)
    assert np.array_equal(c, a + b)


def test_a_module_is_left_as_it_is():
    module = tools.parse(VECTOR_ADD.text_path.read_text())
    before = tools.to_text(module)
    run(module, (1,), inputs(), level="nv_tileas")
    assert tools.to_text(module) == before


def test_arrays_with_dlpack_are_not_copied():
    a, b, c = inputs()
    run(VECTOR_ADD.text_path, (1,), [Tensor(a), Tensor(b), Tensor(c)])
    assert np.array_equal(c, a + b)


def test_sizes_and_strides_may_be_given():
    a, b, c = inputs()
    numbers = [np.int32(1000), 1]
    run(VECTOR_ADD.text_path, (1, 1), [a, *numbers, b, *numbers, Tensor(c), *numbers])
    assert np.array_equal(c, a + b)


def test_bits_of_a_type_that_dlpack_lacks():
    values = np.array([1, 2.5, -3, 0.125], ml_dtypes.bfloat16)
    run(tools.parse(SCALE), (1,), [Tensor(values.view(np.uint16))])
    assert values.tolist() == [2, 5, -6, 0.25]


def test_strides_that_the_kernel_takes():
    case = KERNELS["strided_copy"]
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    run(case.text_path, case.grid(case.typical), arguments)
    case.check(arguments, expected)


def test_rows_further_apart_than_they_are_long():
    x = np.arange(40 * 64, dtype=np.float16).reshape(40, 64)[:, :33]
    out = np.zeros((33, 50), np.float16)[:, :40]
    run(TRANSPOSE.text_path, TRANSPOSE.grid(x.shape), [x, out])
    assert np.array_equal(out, x.T)


def test_races_and_orders():
    assert find_races(VECTOR_ADD.text_path, (1,), inputs()) == []
    a, b, c = inputs()
    run(VECTOR_ADD.text_path, (3,), [a, b, c], random_order=3)
    assert np.array_equal(c, a + b)


def test_trace_and_output():
    stream = io.StringIO()
    run(VECTOR_ADD.text_path, (1,), inputs(), trace=stream, strict=True)
    assert "addf: float32[1024] = [" in stream.getvalue()
    case = KERNELS["checked_print"]
    arguments = case.make_arguments(case.typical)
    stream = io.StringIO()
    run(case.text_path, case.grid(case.typical), arguments, output=stream)
    assert stream.getvalue()


def refused(*arguments: Any, case: KernelCase = VECTOR_ADD, **options: Any) -> str:
    """What `run` says of wrong arguments: one line."""
    options = {"grid": (1,), **options}
    grid = options.pop("grid")
    with pytest.raises(InputError) as raised:
        run(case.text_path, grid, arguments, **options)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("count", [0, 1, 2, 4, 10])
def test_wrong_arity(count: int):
    arrays = [inputs()[0]] * count
    assert refused(*arrays).endswith(f" takes 9 arguments, {count} given")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (np.zeros(1000), "'vector_add': an array of float32 (ptr<f32>) is expected, an array of"),
        (np.zeros(1000, np.int32), "an array of float32 (ptr<f32>) is expected, an array of int32"),
        (Tensor(np.zeros(1000)), "an array of float32 (ptr<f32>) is expected, an array of float64"),
        (7, "takes 9 arguments, 3 given"),
        ([1.0], "argument 2[0]: error: expected an array that supports DLPack, got float"),
        (
            None,
            "argument 2: error: expected a number or an array that supports DLPack, got NoneType",
        ),
        (
            Tensor(np.zeros(1000, np.float32), device=2),
            "argument 2: error: the array is on DLPack device type 2, not on the CPU",
        ),
        (
            Tensor(np.zeros(1000, ml_dtypes.bfloat16)),
            "argument 2: error: the array cannot be shared by DLPack: ",
        ),
    ],
)
def test_wrong_argument(argument: Any, message: str):
    a, b, _ = inputs()
    assert message in refused(a, b, argument)


def test_a_read_only_array_is_no_output():
    a, b, c = inputs()
    c.flags.writeable = False
    message = refused(a, b, c)
    assert message.endswith("argument 6 of 'vector_add' is read-only, but the kernel writes it")


def test_strides_that_the_kernel_has_fixed():
    a, b, c = inputs()
    message = refused(a, b, np.zeros(2000, np.float32)[::2])
    assert message.endswith(
        "argument 6 of 'vector_add' has stride 2 in dimension 0, but the kernel is compiled for 1"
    )
    x, out = (np.zeros((40, 40), np.float16) for _ in range(2))
    message = refused(x.T, out, case=TRANSPOSE)
    assert "argument 0 of 'transpose' has stride 40 in dimension 1" in message
    run(VECTOR_ADD.text_path, (1,), [a[:1], b[:1], c[::1000]])
    assert c[0] == a[0] + b[0]


def test_sizes_that_the_kernel_has_fixed():
    x, weight, out = KERNELS["known_sizes"].make_arguments(KERNELS["known_sizes"].typical)
    assert isinstance(weight, np.ndarray)
    message = refused(x, weight[:32], out, case=KERNELS["known_sizes"])
    assert "has size 32 in dimension 0, but the kernel is compiled for 64" in message


def test_strides_that_the_kernel_cannot_know():
    with pytest.raises(InputError, match="argument 0 of 'scale' is not contiguous, and the kernel"):
        run(tools.parse(SCALE), (1,), [np.zeros(8, ml_dtypes.bfloat16)[::2]])
    a, b, c = inputs()
    message = refused(a[::2], 500, 1, b, 1000, 1, c, 1000, 1)
    assert "argument 0 of 'vector_add' is not contiguous" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "vector_sub"}, "error: there is no kernel 'vector_sub', only 'vector_add'"),
        (
            {"level": "sass"},
            "level sass: error: expected one of cuda_tile, nv_tileaa, nv_tileas, ptx",
        ),
        ({"level": "nv_tileaa", "strict": True}, "only level cuda_tile has a strict mode"),
        (
            {"level": "ptx", "random_order": 1},
            "level ptx: error: random orders and breakpoints need a level of the interpreter",
        ),
        ({"gpu": "sm_1", "level": "ptx"}, "'sm_1'"),
        ({"grid": ()}, "grid: error: expected one to three extents, got ()"),
        ({"grid": (2**24,)}, "must be three sizes from 1 to 16777215, but got (16777216, 1, 1"),
        ({"grid": (1, -1)}, "the grid must be three sizes from 1 to 16777215, but got (1, -1"),
        ({"grid": (2**24,), "level": "ptx"}, "must be three sizes from 1 to 16777215, but got"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str):
    assert message in refused(*inputs(), **options)


def test_wrong_sources(tmp_path: Path):
    with pytest.raises(InputError, match="No such file or directory"):
        run(tmp_path / "none.mlir", (1,), [])
    with pytest.raises(InputError, match=r"^<bytecode>: error: "):
        run(b"\x7fTileIR\x00\x0d\x03", (1,), [])


def test_endless_loop():
    text = "cuda_tile.module @m { entry @k() { loop { continue } return } }"
    with pytest.raises(InputError, match=re.escape("exceeds 100 loop iterations")):
        run(tools.parse(text), (1,), [], step_limit=100)


def test_unknown_names_of_the_package():
    name = "walk"
    with pytest.raises(AttributeError, match="has no attribute 'walk'"):
        getattr(runtime, name)
