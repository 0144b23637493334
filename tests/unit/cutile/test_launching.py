"""cuTile kernels launched and compiled on arrays: signatures, results, the cache, and errors."""

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest
from cuda.tile.compilation import ConstantConstraint

import tileir_xdsl as tileir
from tests.dlpack import Tensor, on_cuda
from tests.unit.runtime.test_gpu import Bindings
from tests.unit.runtime.test_gpu import gpu as opened
from tileir_xdsl import cutile
from tileir_xdsl.cutile import gpu as gpu_module
from tileir_xdsl.cutile.signatures import arguments_of
from tileir_xdsl.cutile.specializing import checked_arguments, specialized
from tileir_xdsl.testing.kernels import KERNELS, KernelCase
from tileir_xdsl.testing.kernels.case import kernel


@kernel
def add(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    ct.store(c, index=(i,), tile=ct.load(a, (i,), (tile,)) + ct.load(b, (i,), (tile,)))


@kernel
def copy(x: Any, out: Any, tile: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, index=(i, j), tile=ct.load(x, (i, j), (tile, tile)))


@kernel
def scale(x: Any, factor: Any, count: ct.ScalarInt64[Any], tile: ct.Constant[int]) -> None:
    ct.store(x, index=(0,), tile=ct.load(x, (0,), (tile,)) * factor + count)


@kernel
def first_of(pair: Any, tile: ct.Constant[int]) -> None:
    ct.store(pair[1], index=(0,), tile=ct.load(pair[0], (0,), (tile,)))


@kernel
def wide(x: ct.IndexedWithInt64[Any], tile: ct.Constant[int]) -> None:
    ct.store(x, index=(0,), tile=ct.load(x, (0,), (tile,)) + 1)


@kernel
def fixed(
    x: Annotated[Any, ct.ArrayAnnotation(static_shape_dims=(0,))], tile: ct.Constant[int]
) -> None:
    ct.store(x, index=(0,), tile=ct.load(x, (0,), (tile,)) + x.shape[0])


@kernel(opt_level=0)
def plain(x: Any, tile: ct.Constant[int]) -> None:
    ct.store(x, index=(0,), tile=ct.load(x, (0,), (tile,)) + 1)


@kernel
def wrong(x: Any) -> None:
    ct.store(x, index=(0,), tile=ct.load(x, (0, 0), (8,)))


def vectors(count: int = 1000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a = np.arange(count, dtype=np.float32)
    return a, np.ones_like(a), np.zeros_like(a)


def constraints(function: Any, *arguments: object) -> Any:
    return arguments_of(function, arguments).signature.parameters


@pytest.mark.parametrize("level", [None, "cuda_tile", "nv_tileaa", "nv_tileas", "ptx"])
def test_it_writes_into_the_arrays(level: str | None):
    a, b, c = vectors()
    ran = cutile.launch((8,), add, (a, b, c, 128), level=level, gpu="sm_80")
    assert (c == a + b).all()
    assert (ran.kernel, ran.level, ran.grid) == ("add", level or "cuda_tile", (8, 1, 1))


def zoo_arguments(case: KernelCase) -> tuple[list[Any], list[Any]]:
    """The arguments of a kernel of the zoo, and all it is called with in Python."""
    given = case.make_arguments(case.typical)
    rest = iter(given)
    called = [p.value if isinstance(p, ConstantConstraint) else next(rest) for p in case.parameters]
    return given, called


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("matmul_f16", "ptx"),
        ("matmul_bf16", "cuda_tile"),
        ("softmax_f32", "ptx"),
        ("strided_copy", "ptx"),
        ("double_in_place", "ptx"),
        ("unaligned_add", "ptx"),
        ("known_sizes", "cuda_tile"),
        ("embedding", "cuda_tile"),
        ("quantize_rows_e4m3", "cuda_tile"),
        ("layer_norm", "cuda_tile"),
        ("boolean_logic", "cuda_tile"),
        ("histogram", "cuda_tile"),
    ],
)
def test_kernels_of_the_zoo(name: str, level: str):
    case = KERNELS[name]
    given, called = zoo_arguments(case)
    expected = case.expected(given)
    cutile.launch(case.grid(case.typical), case.kernel, called, level=level, gpu="sm_90a")
    case.check(given, expected)


def test_arrays_of_other_libraries():
    a, b, c = vectors()
    cutile.launch(8, add, (Tensor(a), Tensor(b, is_versioned=False), Tensor(c), 128))
    assert (c == a + b).all()
    x = np.arange(64).astype(ml_dtypes.bfloat16)
    cutile.launch(1, plain, (Tensor(x), 64))
    assert (x == (np.arange(64) + 1).astype(ml_dtypes.bfloat16)).all()


def test_any_strides_and_alignment():
    x = np.arange(40 * 64, dtype=np.float16).reshape(40, 64)[1:, 1::2]
    out = np.zeros((32, 39), np.float16).T
    for level in ("cuda_tile", "ptx"):
        out[:] = 0
        cutile.launch((3, 2), copy, (x, out, 16), level=level, gpu="sm_80")
        assert np.array_equal(out, x)
    empty = np.zeros((0, 4), np.float16)
    cutile.launch((1, 1), copy, (empty, empty.copy(), 16))


def test_what_the_compiler_may_count_on():
    x = np.zeros((48, 64), np.float32)
    (first, second, _) = constraints(copy, x[:, ::2], x.T[:, 3:], 16)
    assert first.stride_constant == (None, None) and first.stride_divisible_by == (16, 1)
    assert first.shape_divisible_by == (16, 16) and first.base_addr_divisible_by == 16
    assert first.alias_groups == second.alias_groups == ("memory0",)
    assert second.stride_constant == (1, None) and second.shape_divisible_by == (16, 1)
    a, b, c = vectors()
    separate = constraints(add, a, b, c, 128)
    assert {one.alias_groups for one in separate[:3]} == {()}
    assert constraints(add, a[1:], b, c, 128)[0].base_addr_divisible_by == 4
    row = np.broadcast_to(np.float32(1), (4, 4))
    assert constraints(copy, row, x, 4)[0].may_alias_internally
    assert not constraints(copy, x, x[:1], 4)[0].may_alias_internally


def test_annotations():
    x = np.zeros(16, np.int32)
    (array, _) = constraints(wide, x, 16)
    assert array.index_dtype is ct.int64
    cutile.launch(1, wide, (x, 16))
    assert (x == 1).all()
    (_, factor, count, _) = constraints(scale, x, 3, 2**40, 16)
    assert (factor.dtype, count.dtype) == (ct.int32, ct.int64)
    y = np.ones(16, np.float32)
    cutile.launch(1, scale, (y, np.float32(2.5), 1, 16))
    assert (y == 3.5).all()


def test_sizes_that_are_constants():
    x = np.arange(16, dtype=np.float32)
    assert constraints(fixed, x, 16)[0].shape_constant == (16,)
    cutile.launch(1, fixed, (x, 16))
    assert (x == np.arange(16) + 16).all()


def test_tuples():
    a, _, c = vectors(64)
    cutile.launch(1, first_of, ((a, c), 64))
    assert (a == c).all()


def test_arrays_that_share_memory():
    x = np.arange(64, dtype=np.float32)
    for level in ("cuda_tile", "ptx"):
        x[:] = np.arange(64)
        cutile.launch(1, add, (x, x, x, 64), level=level, gpu="sm_80")
        assert (x == 2 * np.arange(64)).all()


def test_each_specialization_is_made_once():
    a, b, c = vectors()
    found = checked_arguments(add, (a, b, c, 128))
    one = specialized(add, found, "sm_90a", None)
    again = checked_arguments(add, (*vectors(), 128))
    assert specialized(add, again, "sm_90a", None) is one
    assert one.at("ptx") is one.at("ptx")
    others = [
        specialized(add, checked_arguments(add, (a, b, c, 64)), "sm_90a", None),
        specialized(add, checked_arguments(add, (a[1:], b[1:], c, 128)), "sm_90a", None),
        specialized(add, found, "sm_80", None),
        specialized(add, found, "sm_90a", tileir.Options(warps=8)),
    ]
    assert len({id(other) for other in (one, *others)}) == 5


def test_compiled_for_the_arguments():
    compiled = cutile.compile(add, (*vectors(1024), 128), "sm_90a")
    assert compiled.kernel().block == (128, 1, 1) and ".target sm_90a" in compiled.text
    options = tileir.Options(warps=8)
    compiled = cutile.compile(add, (*vectors(1024), 128), "sm_90a", emit="llvm", options=options)
    assert compiled.kernel().block == (256, 1, 1)
    program = cutile.load(plain, (np.zeros(16, np.float32), 16))
    assert program.options == tileir.Options(opt_level=0) and program.level == "cuda_tile"
    assert tileir.cutile is cutile and {"launch", "use"} <= set(dir(cutile))


def test_threads_launch_at_once():
    def one(_number: int) -> bool:
        a, b, c = vectors()
        cutile.launch(8, add, (a, b, c, 128))
        return bool((c == a + b).all())

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(one, range(8)))


def test_watched():
    trace = io.StringIO()
    assert cutile.launch(8, add, (*vectors(), 128), races=True, trace=trace).races == ()
    assert "test_launching.py" in trace.getvalue()
    with pytest.raises(tileir.CompileError, match=r"the step limit of 10 instructions"):
        cutile.launch(8, add, (*vectors(), 128), level="ptx", step_limit=10)


def refused(function: Any, *arguments: object, **options: Any) -> str:
    with pytest.raises(tileir.CompileError) as raised:
        cutile.launch(1, function, arguments, **options)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_arguments_that_do_not_fit():
    a, b, c = vectors()
    read_only = c.copy()
    read_only.flags.writeable = False
    for message, arguments in {
        "add: error: takes 4 arguments (a, b, c, tile), 3 given": (a, b, c),
        "b: error: expected an array, a number, or a list or tuple of arrays": (a, "b", c, 128),
        "a: error: has a negative stride in dimension 0": (a[::-1], b, c, 128),
        "tile: error: expected a value that cuTile takes as a constant, got one of type ndarray": (
            a,
            b,
            c,
            c,
        ),
        "a: error: elements of type complex64 are not available in Tile IR": (
            a.astype("c8"),
            b,
            c,
            128,
        ),
        "a: error: elements of type >f4 are not available in Tile IR": (a.astype(">f4"), b, c, 128),
        "c: error: the kernel writes this read-only array": (a, b, read_only, 128),
        "a: error: has, in dimension 0, a stride of 6 bytes, which is not a multiple of the element size": (
            np.lib.stride_tricks.as_strided(a, (5,), (6,)),
            b,
            c,
            128,
        ),
        "c: error: the array has elements of DLPack type 5": (a, b, Tensor(c, code=5), 128),
    }.items():
        assert refused(add, *arguments).startswith(message)
    assert not c.any()
    # Arrays that are only read may be read-only.
    a.flags.writeable = False
    cutile.launch(8, add, (a, b, c, 128))
    assert (c == a + b).all()
    assert "more than 32 bits: annotate the parameter ct.ScalarInt64" in refused(
        scale, a, 2**31, 1, 16
    )
    assert refused(first_of, a, 16).startswith(f"{__file__}:")


def test_what_cutile_says_of_the_code():
    text = refused(wrong, np.zeros(8, np.float32))
    place, _, message = text.partition(": error: ")
    file, line, column = place.rsplit(":", 2)
    assert file == __file__ and message
    source = Path(__file__).read_text().splitlines()[int(line) - 1]
    assert source[int(column) - 1 :].startswith("ct.load(x, (0, 0), (8,))")


def test_what_is_no_kernel():
    assert refused(len, 1).startswith("len: error: expected a function decorated by cuda.tile.ker")
    assert refused(3).startswith("int: error: expected a function decorated by cuda.tile.kernel")
    with pytest.raises(tileir.CompileError, match="'gfx90a'"):
        cutile.compile(add, (*vectors(), 128), "gfx90a")


A, B, C = 0x10000, 0x20000, 0x30000


class Stream:
    """A stream of a library like torch."""

    cuda_stream = 77


def device_vectors() -> tuple[Tensor, Tensor, Tensor]:
    return on_cuda(vectors()[0], A), on_cuda(vectors()[1], B), on_cuda(vectors()[2], C)


def test_on_a_gpu_without_copies(monkeypatch: pytest.MonkeyPatch):
    seen: list[bytes] = []

    def run(_bindings: Bindings, parameters: list[bytes]) -> None:
        seen[:] = parameters

    bindings = Bindings((8, 4, 4) * 3, run)
    device = opened(bindings)
    monkeypatch.setattr(gpu_module, "_opened", lambda number: device)  # pyright: ignore
    ran = cutile.launch((8,), add, (*device_vectors(), 128), gpu="sm_90a", stream=Stream())
    assert (ran.level, ran.grid) == ("ptx", (8, 1, 1))
    pointers = [int.from_bytes(seen[position], "little") for position in (0, 3, 6)]
    assert pointers == [A, B, C]
    assert [int.from_bytes(one, "little") for one in seen[1:3]] == [1000, 1]
    (launched,) = (call for call in bindings.calls if call[0] == "cuLaunchKernel")
    assert launched[2:9] == (8, 1, 1, 128, 1, 1, 0) and launched[9] == 77
    assert not bindings.freed and ("cuCtxSetCurrent", "context") in bindings.calls
    # Loaded once, however often it is launched.
    cutile.launch((8,), add, (*device_vectors(), 128), gpu="sm_90a", stream=5)
    assert sum(call[0] == "cuModuleLoadData" for call in bindings.calls) == 1


def test_launches_on_a_gpu_that_make_no_sense(monkeypatch: pytest.MonkeyPatch):
    device = opened(Bindings((), lambda _bindings, _parameters: None))
    monkeypatch.setattr(gpu_module, "_opened", lambda number: device)  # pyright: ignore
    a, b, c = device_vectors()
    assert refused(add, a, vectors()[1], c, 128) == (
        "arguments: error: the arrays are not all in one memory: a on CUDA device 0, b on the "
        "host, c on CUDA device 0"
    )
    assert (
        "CUDA device 0: error: is a GPU of architecture sm_99, for which there is no target"
        in refused(add, a, b, c, 128)
    )
    assert "need arrays of the host" in refused(add, a, b, c, 128, gpu="sm_90a", level="cuda_tile")
    assert "expected a CUDA stream or its handle, got str" in refused(
        add, a, b, c, 128, gpu="sm_90a", stream="default"
    )
    wrong = on_cuda(vectors()[2], C, device=1)
    assert "c on CUDA device 1" in refused(add, a, b, wrong, 128)


def test_one_error():
    """cuTile's own traceback does not come before the error of a launch."""
    x = np.zeros(8, np.float32)
    with pytest.raises(tileir.CompileError) as caught:
        cutile.load(first_of, ((x, x), 7))
    assert caught.value.__suppress_context__ and caught.value.__cause__ is None
    assert caught.value.line is not None


@kernel
def mean(a: Any, out: Any, tile: ct.Constant[int]) -> None:
    x = ct.load(a, (0,), (tile,))
    ct.store(out, (0,), (ct.sum(x) / a.shape[0]).reshape((1,)))


@kernel
def by_element(a: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0) * tile
    ct.store(c, (i,), ct.load(a, (i,), (tile,)) + 1)


@kernel
def sum_of_defined(a: Any, out: Any, tile: ct.Constant[int]) -> None:
    x = ct.load(a, (0,), (tile,))
    x = ct.where(ct.arange(tile, dtype=ct.int32) < a.shape[0], x, 0.0)
    ct.store(out, (0,), ct.sum(x).reshape((1,)))


def below(count: int) -> tuple[Any, Any]:
    return np.arange(count, dtype=np.float32), np.zeros(1, np.float32)


def line_of(kernel: Any, number: int) -> int:
    """The line of the source of a kernel, `number` lines after its decorator."""
    return kernel._annotated_function.pyfunc.__code__.co_firstlineno + number


def test_forgotten_mask():
    """The sum of a tile that no padding fills; the error is at the load."""
    a, out = below(100)
    run = cutile.launch((1,), mean, (a, out, 128), undefined=True)
    (found,) = run.undefined
    assert (found.file, found.line, found.column) == (__file__, line_of(mean, 2), 9)
    assert "the values that are stored depend on them" in found.message
    with pytest.raises(tileir.UndefinedError, match="no padding value"):
        cutile.launch((1,), mean, (a, out, 128), strict=True)
    for right, count in ((mean, 128), (sum_of_defined, 100)):
        args = (*below(count), 128)
        run = cutile.launch((1,), right, args, strict=True, undefined=True)
        assert not run.undefined and not run.remarks
        assert args[1] == args[0].sum() / (count if right is mean else 1)


@pytest.mark.parametrize("level", ["cuda_tile", "nv_tileaa", "ptx"])
def test_first_launch_of_a_signature(level: str):
    """Looked at once, at any level, on copies where that is not cuda_tile."""

    @kernel
    def total(a: Any, out: Any, tile: ct.Constant[int]) -> None:
        ct.store(out, (0,), ct.sum(ct.load(a, (0,), (tile,))).reshape((1,)))

    args = (*below(100), 128)
    runs = [cutile.launch((1,), total, args, level=level, undefined="first") for _ in range(2)]
    assert [len(run.undefined) for run in runs] == [1, 0]
    assert len(cutile.launch((1,), total, args, level=level, undefined=True).undefined) == 1


def test_element_index():
    """Seven of eight tile blocks name a tile outside of the arrays."""
    a, c = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    run = cutile.launch((8,), by_element, (a, c, 128), undefined=True)
    assert [remark.line for remark in run.remarks] == [line_of(by_element, 3)] * 2
    assert "tile [128] is outside of the index space of [8] tiles" in run.remarks[0].message
    assert not run.undefined
    with pytest.raises(tileir.UndefinedError, match=r"tile block \(1, 0, 0\): .*tile \[128\]"):
        cutile.launch((8,), by_element, (a, c, 128), strict=True)


def test_random_order():
    """Tile blocks and accesses in any order that the tokens allow."""
    a, b, c = vectors()
    cutile.launch((8,), add, (a, b, c, 128), random_order=3)
    assert (c == a + b).all()
