"""Functions of LLVM IR in the memory of this process, and arrays as they take them."""

from __future__ import annotations

from typing import Any

import llvmlite.binding as binding
import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]

_ALIGNMENT = 64


def engine(text: str, features: str = "", level: int = 1) -> Any:
    """The functions of a module, as code of this machine; level 3 has all passes of LLVM run.

    `features` are those of LLVM to be added or left out, such as `-avx512f`.
    """
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    parsed = binding.parse_assembly(text)
    parsed.verify()
    host = binding.get_host_cpu_features().flatten()
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=f"{host},{features}", opt=level
    )
    if level == 3:
        builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(3))
        builder.getModulePassManager().run(parsed, builder)
    made = binding.create_mcjit_compiler(parsed, machine)
    made.finalize_object()
    return made


def aligned(values: Array) -> Array:
    """A copy aligned to 64 bytes, as tiles in the arena and large arrays of numpy and jax are."""
    raw = np.empty(values.nbytes + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    result = raw[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    result[...] = values
    return result


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
    """Aligned zeros."""
    return aligned(np.zeros(shape, dtype))
