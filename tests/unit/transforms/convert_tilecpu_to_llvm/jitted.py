"""Functions on pointers, emitted as `llvm` ops and run by LLVM's just-in-time compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as binding
import numpy as np
from numpy.typing import DTypeLike, NDArray
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.builders.llvm_code import POINTER, LLVMCode

Array = NDArray[Any]
Build = Callable[..., None]
"""Emits the body of a function, from its code and its pointers."""


class Jitted:
    """A function of `pointers` arrays."""

    def __init__(self, pointers: int, build: Build, features: str = ""):
        """`features` are those of LLVM to be added or left out, such as `-avx512f`."""
        code = LLVMCode([POINTER] * pointers)
        build(code, *code.arguments)
        code.do(llvm.ReturnOp())
        type = llvm.LLVMFunctionType([POINTER] * pointers)
        linkage = llvm.LinkageAttr("external")
        function = llvm.FuncOp("kernel", type, linkage=linkage, body=code.region)
        module = ModuleOp([function])
        module.verify()
        self.text = emit(module)
        self._engine, self._pointers = engine(self.text, features), pointers

    def __call__(self, *arrays: Array) -> None:
        type = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * self._pointers)
        address = self._engine.get_function_address("kernel")
        type(address)(*(array.ctypes.data for array in arrays))


def engine(text: str, features: str = "") -> Any:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    parsed = binding.parse_assembly(text)
    parsed.verify()
    host = binding.get_host_cpu_features().flatten()
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=f"{host},{features}", opt=1
    )
    engine = binding.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine


def aligned(values: Array) -> Array:
    """A copy that is aligned to 64 bytes, as tiles in the arena are."""
    raw = np.zeros(values.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    result = raw[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    result[...] = values
    return result


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
    """Aligned zeros."""
    return aligned(np.zeros(shape, dtype))


Elementwise = Callable[..., SSAValue]
"""Code and one scalar or vector of each operand, to that of the result."""
