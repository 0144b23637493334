"""Functions on pointers, emitted as `llvm` ops and run by LLVM's just-in-time compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from bench.framework.jit import Array, engine
from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.builders.llvm_code import POINTER, LLVMCode

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


Elementwise = Callable[..., SSAValue]
"""Code and one scalar or vector of each operand, to that of the result."""
