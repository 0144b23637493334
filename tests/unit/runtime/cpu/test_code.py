"""Machine code of LLVM IR, for this processor and others."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.runtime.cpu.kernels import SCALE, text_of
from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.runtime.cpu.code import machine_code
from tileir_xdsl.runtime.cpu.kernel_facts import CPUKernelFacts
from tileir_xdsl.runtime.cpu.launching import CPUKernel, packed
from tileir_xdsl.runtime.cpu.loading import Loaded
from tileir_xdsl.runtime.cpu.printing import Printer
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.targets.cpu import CPU_TARGETS
from tileir_xdsl.testing.tools import parse


def assembly(target: str) -> str:
    return machine_code(emit(parse(text_of(SCALE))), CPU_TARGETS[target]).assembly


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        ("cpu-x86-64-v3", "vmulps"),
        ("cpu-x86-64-v4", "vmulps"),
        ("cpu-aarch64", "fmul\tv"),
    ],
)
def test_every_target_has_its_instructions(target: str, instruction: str) -> None:
    assert instruction in assembly(target)


def test_vectors_of_512_bits_stay_what_they_are() -> None:
    text = """
    llvm.func @double(%p: !llvm.ptr) {
      %v = llvm.load %p {alignment = 64 : i64} : !llvm.ptr -> vector<16xf32>
      %w = llvm.fadd %v, %v : vector<16xf32>
      llvm.store %w, %p {alignment = 64 : i64} : vector<16xf32>, !llvm.ptr
      llvm.return
    }"""
    ir = emit(parse(text))
    assert "%zmm" in machine_code(ir, CPU_TARGETS["cpu-x86-64-v4"]).assembly
    assert "%ymm" in machine_code(ir, CPU_TARGETS["cpu-x86-64-v3"]).assembly


def test_a_module_that_llvm_refuses() -> None:
    with pytest.raises(InputError, match="LLVM IR: error: "):
        machine_code("define void @f() {", CPU_TARGETS["cpu-x86-64-v3"])


def test_a_function_that_this_process_lacks() -> None:
    target = CPU_TARGETS["cpu-x86-64-v3"]
    text = "declare void @none_such()\ndefine void @f() {\n  call void @none_such()\n  ret void\n}"
    with pytest.raises(InputError, match="cpu: error: the code cannot be loaded: "):
        Loaded(machine_code(text, target).object, ["f"], Printer(()))


CONVERSIONS = """
define void @{name}(ptr %args, ptr %grid, ptr %arena, ptr %context, i64 %first, i64 %last) {{
  %from = load ptr, ptr %args
  %place = getelementptr ptr, ptr %args, i64 1
  %to = load ptr, ptr %place
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %j, %loop ]
  %p = getelementptr {source}, ptr %from, i64 %i
  %x = load {source}, ptr %p
  %y = fptrunc {source} %x to {target}
  %q = getelementptr {target}, ptr %to, i64 %i
  store {target} %y, ptr %q
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %last
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


@pytest.mark.parametrize(
    ("source", "target", "wide", "narrow"),
    [
        ("float", "bfloat", np.float32, ml_dtypes.bfloat16),
        ("double", "half", np.float64, np.float16),
    ],
)
def test_conversions_that_the_processor_lacks(
    source: str, target: str, wide: Any, narrow: Any
) -> None:
    text = CONVERSIONS.format(name="f", source=source, target=target)
    code = machine_code(text, CPU_TARGETS["cpu-x86-64-v3"]).object
    random = np.random.default_rng(1)
    values = np.concatenate(
        [
            [0, -0.0, np.inf, -np.inf, np.nan, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11 + 2**-40],
            random.standard_normal(1000) * 10.0 ** random.integers(-9, 6, 1000),
        ]
    ).astype(wide)
    results = np.zeros(values.size, narrow)
    facts = CPUKernelFacts("f", 0, values.size, True, ())
    kernel = CPUKernel(facts, Loaded(code, ["f"], Printer(())), "f")
    kernel.launch((values.size, 1, 1), packed([values, results]))
    with np.errstate(over="ignore"):
        expected = values.astype(narrow)
    assert np.array_equal(results.astype(np.float64), expected.astype(np.float64), equal_nan=True)
