"""Launches on arrays in GPU memory, without copies, on the stream of the caller."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.cutile.signatures import Arguments
from tileir_xdsl.cutile.specializing import Specialization
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime.arrays import Argument, Array
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.cache.entries import decode, encode
from tileir_xdsl.runtime.cache.keys import compile_key
from tileir_xdsl.runtime.cache.lookup import cached
from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel, Extent
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.driver import GPUError
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.gpu import GPU, DeviceMemory, GPUKernel, pack
from tileir_xdsl.runtime.gpu_launching import list_of_arrays
from tileir_xdsl.runtime.kernels import Kernel
from tileir_xdsl.runtime.outputs import CUBIN, PTX
from tileir_xdsl.runtime.tensor_maps import TensorMapError, tensor_map
from tileir_xdsl.targets import TARGETS

_LEGACY_STREAM = 0
"""The default stream of the driver."""


def target_of_device(number: int) -> str:
    """The target of a device, preferably with suffix `a`. Raises CompileError if there is none."""
    major, minor = device(number).compute_capability
    name = f"sm_{major}{minor}"
    found = next((known for known in (f"{name}a", name) if known in TARGETS), None)
    if found is None:
        raise CompileError(
            f"CUDA device {number}",
            f"is a GPU of architecture {name}, for which there is no target",
        )
    return found


@cache
def _opened(number: int) -> GPU:
    return GPU.open(number=number)


def device(number: int) -> GPU:
    """Opens a device, and makes its context current in this thread. May raise CompileError."""
    with errors_in(f"CUDA device {number}", GPUError):
        gpu = _opened(number)
        gpu.driver.call("cuCtxSetCurrent", gpu.context)
        return gpu


def launch_on_gpu(
    specialization: Specialization,
    found: Arguments,
    number: int,
    grid: Extent,
    stream: object,
    arguments: Sequence[object],
) -> None:
    """Enqueues a launch on a stream, and does not wait for its end.

    Raises CompileError for arguments that no tensor map can be made of, and for what the driver or
    the assembler refuse.
    """
    gpu = device(number)
    handle = _handle(stream, arguments)
    file = specialization.program.file
    with errors_in(file, GPUError, TensorMapError):
        compiled, loaded = _loaded(specialization, number, gpu)
        kernel = Kernel(compiled.name, compiled.parameters, compiled.location)
        values = bind_arguments(kernel, [_argument(value) for value in found.values])
        maps = [tensor_map(recipe, values) for recipe in compiled.tensor_maps]
        parameters = [_packed(number, gpu, value) for value in values]
        parameters += [gpu.tensor_map(one, _address(number, gpu, one, values)) for one in maps]
        assert compiled.block is not None
        loaded.launch(grid, compiled.block, parameters, handle)


def _argument(value: LaunchArgument | int | float) -> Argument:
    return Argument(None, value.item() if isinstance(value, np.generic) else value)


def _loaded(
    specialization: Specialization, number: int, gpu: GPU
) -> tuple[CompiledKernel, GPUKernel]:
    """The kernel, assembled and loaded once per device."""
    with specialization.lock:
        found = specialization.loaded.get(number)
        if found is None:
            compiled = _compiled(specialization)
            kernel = compiled.kernel()
            loaded = gpu.load(compiled.cubin, kernel.name, kernel.dynamic_shared)
            found = specialization.loaded[number] = (kernel, loaded)
        return found


def _compiled(specialization: Specialization) -> Compiled:
    """The cubin of a kernel, from the cache on disk if present."""
    program = specialization.program
    return cached(
        lambda: compile_key(
            specialization.bytecode, program.file, program.gpu, CUBIN, program.options
        ),
        lambda: specialization.at(PTX).compile(CUBIN),
        encode,
        decode,
    )


def _packed(number: int, gpu: GPU, value: LaunchArgument) -> bytes:
    """The bytes of one kernel parameter; arrays are passed by their device address."""
    match value:
        case np.ndarray():
            return pack(value.ctypes.data)
        case tuple():
            addresses = [array.ctypes.data for array in value]
            return pack(_kept(number, gpu, list_of_arrays(addresses, value)))
        case _:
            return value.tobytes()


_KEPT = 256
"""How many small allocations are kept, for launches in flight and later ones."""

_memory: dict[tuple[int, bytes], DeviceMemory] = {}
"""Device memory by device and contents: lists of arrays, and the targets of empty tensor maps."""


def _kept(number: int, gpu: GPU, contents: Array) -> int:
    """The address of memory with the given contents on a device, allocated if necessary."""
    key = (number, contents.tobytes())
    memory = _memory.pop(key, None)
    if memory is None:
        if len(_memory) == _KEPT:
            # The least recently used one; `cuMemFree` waits for launches that read it.
            _memory.pop(next(iter(_memory))).free()
        memory = gpu.allocate(contents.nbytes)
        memory.upload(contents)
    _memory[key] = memory
    return memory.address


def _address(number: int, gpu: GPU, map_: TensorMap, values: Sequence[LaunchArgument]) -> int:
    """The device address of a tensor map's array. An empty array gets memory of this module."""
    address = map_.array.ctypes.data
    for value in values:
        if isinstance(value, np.ndarray):
            low, high = byte_bounds(value)
            if low <= address < max(high, low + 1):
                return address
    return _kept(number, gpu, map_.array)


def _handle(stream: Any, arguments: Sequence[object]) -> int:
    """The handle of the given stream, or of the current stream of the arrays' library.

    A stream is a number, or an object of torch (`cuda_stream`), of cupy (`ptr`) or with the
    protocol `__cuda_stream__`.
    """
    if stream is None:
        stream = _current_stream(arguments)
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr"):
        if isinstance(handle := getattr(stream, name, None), int):
            return handle
    raise CompileError(
        "stream", f"expected a CUDA stream or its handle, got {type(stream).__name__}"
    )


def _current_stream(arguments: Sequence[object]) -> Any:
    """The current stream of the library of the first argument whose library has streams."""
    for argument in arguments:
        package = type(argument).__module__.partition(".")[0]
        library: Any = sys.modules.get(package)
        if package == "torch" and library is not None:
            return library.cuda.current_stream()
        if package == "cupy" and library is not None:
            return library.cuda.get_current_stream()
        interface = getattr(argument, "__cuda_array_interface__", None)
        if isinstance(interface, dict) and interface.get("stream") is not None:
            return interface["stream"]
    return _LEGACY_STREAM
