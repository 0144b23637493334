"""PTX of CUDA C++ sources, from the compiler that nvcc uses, without a GPU or a host compiler."""

import functools
import importlib
from importlib.metadata import distribution
from typing import Any

# The package comes without types.
nvrtc: Any = importlib.import_module("cuda.bindings.nvrtc")
_INCLUDE = "nvidia/cu13/include"


def _include_folder() -> str:
    """Where the packages of the toolkit have CUDA's headers."""
    return str(distribution("nvidia-cuda-nvcc").locate_file(_INCLUDE))


def _value(answer: tuple[Any, ...]) -> Any:
    """What a function of NVRTC returns beside its status; raises RuntimeError unless that is 0."""
    status, *values = answer
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(f"NVRTC: {status}")
    return values[0] if values else None


def _text(size: int, read: Any, program: Any) -> str:
    data = b" " * size
    _value(read(program, data))
    return data.rstrip(b"\0").decode()


@functools.cache
def compile_cuda(source: str, architecture: str = "compute_90a") -> str:
    """The PTX of a translation unit. Raises RuntimeError with the compiler's messages."""
    program = _value(nvrtc.nvrtcCreateProgram(source.encode(), b"kernels.cu", 0, [], []))
    options = [f"--gpu-architecture={architecture}", f"--include-path={_include_folder()}"]
    encoded = [option.encode() for option in [*options, "--std=c++17", "--device-int128"]]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(encoded), encoded)
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        size = _value(nvrtc.nvrtcGetProgramLogSize(program))
        raise RuntimeError(_text(size, nvrtc.nvrtcGetProgramLog, program))
    return _text(_value(nvrtc.nvrtcGetPTXSize(program)), nvrtc.nvrtcGetPTX, program)
