"""Machine code of LLVM IR, for this processor and others."""

import pytest

from tests.unit.runtime.cpu.kernels import SCALE, text_of
from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.runtime.cpu.code import machine_code
from tileir_xdsl.runtime.cpu.loading import Loaded
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
        Loaded(machine_code(text, target).object, ["f"])
