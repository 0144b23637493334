"""numba-cuda kernels, and their PTX without a GPU."""

# The package comes without types, and compiles functions of parameters without annotations.
# pyright: reportMissingParameterType=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false, reportPrivateImportUsage=false, reportCallIssue=false

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, types


def block_sums(x, out):
    """The sum of each block of 128 elements, by a tree in shared memory."""
    shared = cuda.shared.array(128, types.float32)
    lane = cuda.threadIdx.x
    place = cuda.grid(1)
    shared[lane] = x[place] if place < x.size else types.float32(0.0)
    cuda.syncthreads()
    step = 64
    while step > 0:
        if lane < step:
            shared[lane] += shared[lane + step]
        cuda.syncthreads()
        step //= 2
    if lane == 0:
        out[cuda.blockIdx.x] = shared[0]


def compile_numba(function: Callable[..., None], *arguments: Any) -> str:
    """The PTX of a kernel for sm_90."""
    ptx, _ = cuda.compile_ptx(function, types.void(*arguments), cc=(9, 0))
    return str(ptx)


def passed(array: np.ndarray[Any, Any]) -> list[Any]:
    """The parameters that an array becomes: two objects, sizes, address, shape and strides."""
    return [0, 0, array.size, array.itemsize, array, *array.shape, *array.strides]
