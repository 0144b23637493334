"""Times on a GPU: our kernels against cuBLAS, NVIDIA's Tile IR compiler and Triton.

`python -m bench.gpu [NAME ..]` runs each problem on fresh random data, checks the results of all,
and prints medians of the time between two events, as TFLOP/s or GB/s. It needs a GPU with
`cuda-bindings`, and exits with status 1 where there is none. `--compile` only compiles.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import importlib
import importlib.util
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.products import CASES
from tests.kernels import KERNELS
from tests.kernels.case import KernelCase
from tests.unit import tools
from tests.unit.bytecode.reference import compile_to_cubin
from tileir_xdsl.bytecode import write
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime.arrays import Argument, Array
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.driver import GPUError
from tileir_xdsl.runtime.gpu import GPU, GPUKernel, Grid
from tileir_xdsl.runtime.gpu_launching import DeviceArgument, DeviceArrays
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import block_shape, dynamic_shared_memory, tensor_maps
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.runtime.reader import new_context, read_file

TARGET, TILE_IR_TARGET, VERSION = "sm_90a", "sm_90", "13.3"
WARM_UPS, RUNS = 3, 20
CHECKED_ROWS = 16
LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class Problem:
    """One computation: its kernel, arguments, size, and what some rows of the result must be."""

    case: KernelCase
    sizes: tuple[int, ...]
    work: float
    """Floating-point operations, or bytes moved."""
    unit: str
    expected: Callable[[Sequence[Any], Array], Array] | None = None
    """From the arguments and the numbers of some rows of the last array to these rows, in f32."""
    triton: Callable[[Problem, Sequence[Any]], Compiled] | None = None
    has_cublas: bool = False


@dataclass(frozen=True)
class Compiled:
    """A kernel ready to be loaded, and how it is launched on the arguments of a problem."""

    cubin: bytes
    kernel: str
    grid: Grid
    block: Grid
    shared: int
    arguments: tuple[DeviceArgument, ...]


# Who computes


def arguments_of(problem: Problem, values: Sequence[Any]) -> list[LaunchArgument]:
    """The arguments of a cuTile kernel: arrays with their sizes and strides, and typed numbers."""
    module = read_file(new_context(), str(problem.case.text_path))
    kernel = find_kernel(module, problem.case.name, problem.case.name)
    return bind_arguments(kernel, [Argument(None, value) for value in values])


def ours(problem: Problem, values: Sequence[Any]) -> Compiled:
    """The kernel as this project compiles it."""
    case, context = problem.case, new_context()
    module = read_file(context, str(case.text_path))
    program = lower(context, module, "ptx", gpu=TARGET, file=case.name)
    assert program.ptx is not None
    bound = arguments_of(problem, values)
    return Compiled(
        assemble(program.ptx, TARGET, "-O3").cubin,
        case.name,
        case.grid(problem.sizes),
        block_shape(program.module, case.name),
        dynamic_shared_memory(program.module, case.name),
        (*bound, *tensor_maps(program.module, case.name, bound)),
    )


def tileiras(problem: Problem, values: Sequence[Any]) -> Compiled:
    """The same kernel as NVIDIA compiles it; the driver knows how many threads a block has."""
    text = problem.case.text_path.read_text()
    cubin = compile_to_cubin(write(tools.parse(text), VERSION), TILE_IR_TARGET)
    grid = problem.case.grid(problem.sizes)
    return Compiled(
        cubin, problem.case.name, grid, (1, 1, 1), 0, tuple(arguments_of(problem, values))
    )


def triton_product(problem: Problem, values: Sequence[Any]) -> Compiled:
    """Triton's product: 128 x 256 tiles, eight warps."""
    rows, columns, step = 128, 256, 64
    a, b, c = values
    descriptor = "tensordesc<bf16[{},{}]>"
    types = {
        "a": descriptor.format(rows, step),
        "b": descriptor.format(step, columns),
        "c": descriptor.format(rows, columns),
        "k": "i32",
    }
    constants = {"M": rows, "N": columns, "STEP": step}
    grid = (a.shape[0] // rows, b.shape[1] // columns, 1)
    return _triton("product", types, constants, grid, (a, b, c), (np.int32(a.shape[1]),))


def triton_attention(problem: Problem, values: Sequence[Any]) -> Compiled:
    """Triton's attention: 128 queries and 128 keys at once, eight warps."""
    *arrays, scale = values
    heads, length, depth = arrays[0].shape
    types = dict.fromkeys(("q", "k", "v", "out"), f"tensordesc<bf16[128,{depth}]>")
    types |= {"length": "i32", "scale": "fp32"}
    causal = problem.case.name.endswith("causal")
    constants = {"ROWS": 128, "KEYS": 128, "D": depth, "CAUSAL": causal}
    flat = [array.reshape(heads * length, depth) for array in arrays]
    numbers = (np.int32(length), np.float32(scale))
    return _triton("attention", types, constants, (length // 128, heads, 1), flat, numbers)


def _triton(
    name: str,
    types: Mapping[str, str],
    constants: Mapping[str, Any],
    grid: Grid,
    arrays: Sequence[Array],
    numbers: Sequence[np.generic],
) -> Compiled:
    compiler: Any = importlib.import_module("tests.triton_compiler")
    function = getattr(importlib.import_module("bench.triton_kernels"), name)
    multiples = tuple(name for name, type in types.items() if type == "i32")
    kernel = compiler.compile_triton(
        function, types, constants, warps=8, stages=3, multiples=multiples
    )
    arguments: list[DeviceArgument] = []
    for array, (box, swizzle) in zip(arrays, kernel.boxes, strict=True):
        # A descriptor is followed by sizes, strides and whether NaN is filled in.
        sizes = [np.int32(size) for size in array.shape]
        strides = [np.int64(stride // array.itemsize) for stride in array.strides]
        arguments += [TensorMap(array, box, swizzle), *sizes, *strides]
    # Two pointers to scratch memory, of which these kernels need none.
    arguments += [*numbers, np.uint64(0), np.uint64(0)]
    cubin = assemble(kernel.ptx, TARGET, "-O3").cubin
    return Compiled(
        cubin, kernel.name, grid, (kernel.threads, 1, 1), kernel.shared, tuple(arguments)
    )


class Cublas:
    """Products of row-major bfloat16 matrices by cuBLAS."""

    BFLOAT16, COMPUTE_F32, DEFAULT = 14, 68, -1

    def __init__(self) -> None:
        self.library = ctypes.CDLL(_library("libcublas.so"))
        self.handle = ctypes.c_void_p()
        self._check(self.library.cublasCreate_v2(ctypes.byref(self.handle)))

    def _check(self, status: int) -> None:
        if status != 0:
            raise GPUError(f"cuBLAS: status {status}")

    def product(self, a: int, b: int, c: int, m: int, n: int, k: int) -> None:
        """Starts `c = a b` of matrices at these addresses; by columns it is `b a`."""
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        pointer, kind = ctypes.c_void_p, self.BFLOAT16
        self._check(
            self.library.cublasGemmEx(
                self.handle, 0, 0, n, m, k, ctypes.byref(one),
                pointer(b), kind, n, pointer(a), kind, k, ctypes.byref(zero),
                pointer(c), kind, n, self.COMPUTE_F32, self.DEFAULT,
            )
        )  # fmt: skip


def _library(name: str) -> str:
    """A library of the installed `nvidia` packages, or of the system."""
    spec = importlib.util.find_spec("nvidia")
    folders = () if spec is None else spec.submodule_search_locations or ()
    found = sorted(path for folder in folders for path in Path(folder).glob(f"*/lib/{name}*"))
    return str(found[-1]) if found else ctypes.util.find_library(name[3:-3]) or name


# Problems


def product_rows(values: Sequence[Any], rows: Array) -> Array:
    """Rows of a product."""
    a, b, _ = values
    return a[rows].astype(np.float32) @ b.astype(np.float32)


def attention_rows(causal: bool) -> Callable[[Sequence[Any], Array], Array]:
    """Rows of the attention of all heads, one head below the other."""

    def rows_of(values: Sequence[Any], rows: Array) -> Array:
        q, k, v, _, scale = values
        length = q.shape[1]
        found: list[Array] = []
        for head, row in zip(rows // length, rows % length, strict=True):
            keys = slice(0, int(row) + 1 if causal else length)
            scores = k[head, keys].astype(np.float32) @ q[head, row].astype(np.float32)
            weights = np.exp2((scores - scores.max()) * scale)
            found.append(weights @ v[head, keys].astype(np.float32) / weights.sum())
        return np.stack(found)

    return rows_of


def problems() -> dict[str, Problem]:
    """All problems by their names."""
    gemm = CASES["product_128x256x64"]
    size, heads, length, depth = 8192, 8, 16384, 128
    found = {
        "gemm_bf16_8192": Problem(
            gemm,
            (size, size, size),
            2.0 * size**3,
            "TFLOP/s",
            product_rows,
            triton_product,
            has_cublas=True,
        )
    }
    for causal in (False, True):
        name = f"attention_128x128x{depth}" + ("_causal" if causal else "")
        operations = 4.0 * heads * length**2 * depth / (2 if causal else 1)
        found[name] = Problem(
            CASES[name],
            (heads, length),
            operations,
            "TFLOP/s",
            attention_rows(causal),
            triton_attention,
        )
    rows = 1 << 19
    for name, sizes, moved in (
        ("vector_add", (1 << 26,), 12 << 26),
        ("softmax_f32", (rows, 128), 8 * rows * 128),
        ("layer_norm", (rows, 128), 8 * rows * 128),
        ("rms_norm", (rows, 256), 4 * rows * 256),
        ("transpose", (16384, 16384), 4 << 28),
    ):
        found[name] = Problem(KERNELS[name], sizes, float(moved), "GB/s")
    return found


# Measurement


def measure(gpu: GPU, launch: Callable[[], None]) -> float:
    """The median time of a launch in seconds."""
    for _ in range(WARM_UPS):
        launch()
    gpu.synchronize()
    return statistics.median(gpu.seconds(launch) for _ in range(RUNS))


def run_compiled(gpu: GPU, compiled: Compiled, copies: DeviceArrays) -> tuple[float, GPUKernel]:
    """The time of a kernel on arrays that are on the device."""
    kernel = gpu.load(compiled.cubin, compiled.kernel, compiled.shared)
    parameters = copies.pack(compiled.arguments)
    return measure(gpu, lambda: kernel.launch(compiled.grid, compiled.block, parameters)), kernel


def check(problem: Problem, values: Sequence[Any], reference: Array | None, who: str) -> Array:
    """Compares some rows of the result with what they must be, or with those of another kernel.

    Raises GPUError where they differ.
    """
    output = next(v for v in reversed(values) if isinstance(v, np.ndarray))
    by_row = output.reshape(-1, output.shape[-1])
    rows = np.random.default_rng(0).integers(0, len(by_row), CHECKED_ROWS)
    if reference is None and problem.expected is not None:
        reference = problem.expected(values, rows)
    found = by_row[rows].astype(np.float32)
    if reference is not None and not np.allclose(found, reference, rtol=0.02, atol=0.02):
        raise GPUError(f"{who}: {float(np.abs(found - reference).max()):g} off")
    return found if reference is None else reference


def contenders(problem: Problem) -> dict[str, Callable[[Problem, Sequence[Any]], Compiled]]:
    """Who computes a problem, besides cuBLAS; ours first."""
    found = {"ours": ours, "tileiras": tileiras}
    return found | ({} if problem.triton is None else {"Triton": problem.triton})


def run(gpu: GPU, name: str, problem: Problem) -> None:
    """Measures one problem, and prints a line."""
    values = problem.case.make_arguments(problem.sizes, seed=int.from_bytes(np.random.bytes(4)))
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    output, reference = arrays[-1], None
    columns: list[str] = []
    copies = DeviceArrays(gpu)
    try:
        copies.upload(arrays)
        times: dict[str, float] = {}
        for who, compile_problem in contenders(problem).items():
            try:
                times[who], _ = run_compiled(gpu, compile_problem(problem, values), copies)
                copies.download([output])
                reference = check(problem, values, reference, who)
            except GPUError as error:
                columns.append(f"{who} {error}")
                if gpu.is_lost:
                    raise
        if problem.has_cublas:
            m, n, k = problem.sizes
            a, b, c = (copies.address(array) for array in arrays)
            blas = Cublas()
            times["cuBLAS"] = measure(gpu, lambda: blas.product(a, b, c, m, n, k))
    finally:
        copies.free()
    scale = 1e12 if problem.unit == "TFLOP/s" else 1e9
    rates = {who: problem.work / seconds / scale for who, seconds in times.items()}
    columns += (f"{who} {rate:.0f}" for who, rate in rates.items())
    others = [rate for who, rate in rates.items() if who != "ours"]
    if "ours" in rates and others:
        columns.append(f"ratio {rates['ours'] / max(others):.2f}")
    print(f"{name:<28} {problem.unit:<8} {'  '.join(columns)}", flush=True)


def compile_only(name: str, problem: Problem) -> None:
    """Compiles for all contenders on small arguments, and prints the bytes of their cubins."""
    small = Problem(problem.case, problem.case.typical, 0, "", triton=problem.triton)
    values = problem.case.make_arguments(small.sizes)
    sizes = {who: len(make(small, values).cubin) for who, make in contenders(small).items()}
    print(f"{name:<28} " + "  ".join(f"{who} {size} bytes" for who, size in sizes.items()))


def main() -> int:
    """Runs the problems that the command line names, or all."""
    known = problems()
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *known], metavar="NAME")
    parser.add_argument("--compile", action="store_true", help="compile, and measure nothing")
    args = parser.parse_args()
    chosen = {name: known[name] for name in args.names or known}
    if args.compile:
        for name, problem in chosen.items():
            compile_only(name, problem)
        return 0
    try:
        gpu = GPU.open()
        print(f"{gpu.name}, compute capability {'.'.join(map(str, gpu.compute_capability))}")
        for name, problem in chosen.items():
            run(gpu, name, problem)
    except GPUError as error:
        print(f"bench.gpu: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
