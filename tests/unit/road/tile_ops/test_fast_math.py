"""Fast-math flags from Tile IR to the machine: what is fused, and what is approximated."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import llvm

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.agreement import kernel as kernel_with
from tests.unit.road.agreement import shaped
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

COUNT = 128


def kernel(body: str) -> str:
    """Computes %y of %a, %b and %c, tiles of f32 in an array each; stores it to the fourth."""
    tensor = f"tensor_view<{COUNT}xf32, strides=[1]>"
    view = f"partition_view<tile=({COUNT}), {tensor}>"
    tile = shaped((COUNT,), "f32")
    lines = [
        f"""
    %t{n} = make_tensor_view %p{n}, shape = [{COUNT}], strides = [1] : {tensor}
    %v{n} = make_partition_view %t{n} : {view}"""
        for n in range(4)
    ]
    lines += [
        f"%{x}, %l{n} = load_view_tko weak %v{n}[%zero] : {view}, tile<i32> -> {tile}, token"
        for n, x in enumerate("abc")
    ]
    store = f"%s = store_view_tko weak %y, %v3[%zero] : {tile}, {view}, tile<i32> -> token"
    return kernel_with("\n".join([*lines, body.replace("T", tile), store]), ["f32"] * 4)


def flagged(text: str, flags: str) -> str:
    """Operations with fast-math flags where they have the word `FLAGS`."""
    return text.replace("FLAGS", f"{{fastmath = #arith.fastmath<{flags}>}}" if flags else "")


PRODUCT_AND_SUM = "%x = mulf %a, %b FLAGS : T  %y = addf %x, %c FLAGS : T"


@pytest.mark.parametrize(("flags", "machine"), [("", {"FADD", "FMUL"}), ("contract", {"FFMA"})])
def test_contraction_lets_the_assembler_fuse(flags: str, machine: set[str], tmp_path: Path):
    module = tools.run_passes(
        tools.parse(kernel(flagged(PRODUCT_AND_SUM, flags))), "tileir-pipeline{gpu=sm_90a}"
    )
    ops = [op for op in module.walk() if isinstance(op, llvm.FAddOp | llvm.FMulOp)]
    assert len(ops) == 2
    kept = [[flag.value for flag in op.fastmathFlags.data] for op in ops if op.fastmathFlags]
    assert kept == [[flags] if flags else []] * 2
    source, cubin = tmp_path / "kernel.ptx", tmp_path / "kernel.cubin"
    source.write_text(emit(module))
    subprocess.run([tools.ptxas_path(), "-arch=sm_90a", str(source), "-o", str(cubin)], check=True)
    command = [tools.nvdisasm_path(), str(cubin)]
    code = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert set(re.findall(r"\b(?:FADD|FMUL|FFMA)\b", code)) == machine


APPROXIMATIONS = {
    "%y = divf %a, %b FLAGS : T": ("arcp", "div.rn.f32", "div.full.f32"),
    "%y = sqrt %a FLAGS : T": ("afn", "sqrt.rn.f32", "sqrt.approx.f32"),
    "%y = sin %a FLAGS : T": ("afn", None, "sin.approx.f32"),
    "%y = cos %a FLAGS : T": ("afn", None, "cos.approx.f32"),
    "%y = tanh %a FLAGS : T": ("afn", None, "tanh.approx.f32"),
    "%y = log2 %a FLAGS : T": ("afn", None, "lg2.approx.f32"),
    "%y = exp %a FLAGS : T": ("afn", None, "ex2.approx.f32"),
}
"""Operations with the flag that lets them be approximations, and what they are without and with."""


@pytest.mark.parametrize("operation", APPROXIMATIONS)
def test_flags_choose_approximations(operation: str):
    flag, exact, approximate = APPROXIMATIONS[operation]
    data = [np.linspace(0.5, 4.0, COUNT, dtype=np.float32) for _ in range(3)]
    results: list[np.ndarray] = []
    sizes: list[int] = []
    for flags in ("", flag):
        module = tools.parse(kernel(flagged(operation, flags)))
        ptx = emit(tools.run_passes(module, "tileir-pipeline{gpu=sm_90a}"))
        assert exact is None or (exact in ptx) == (not flags)
        assert not flags or approximate in ptx
        assemble(ptx, "sm_90a")
        result = np.zeros(COUNT, np.float32)
        emulator.load(ptx).launch("k", (1, 1, 1), [*data, result])
        results.append(result)
        sizes.append(ptx.count(";"))
    assert sizes[1] <= sizes[0]
    # tanh.approx has eleven bits.
    error = np.abs(results[1] - results[0])
    assert (error <= 2.0**-10 * np.abs(results[0]) + 2.0**-20).all()
