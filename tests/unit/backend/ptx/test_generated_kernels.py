"""Generated kernels: no spills, no serialised wgmma, the right results in every mode."""

import re
import subprocess
import tempfile
from typing import Any

import pytest

from tests.kernel_generators import CASES
from tests.llvm_programs.comparison import llvm_ptx
from tests.unit.backend.ptx.harness import assemble
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime import ptxas
from tileir_xdsl.testing.tools import mlir_tool_path, parse, to_text

MODES: dict[str, dict[str, Any]] = {
    "fast": {},
    "random order": {"warp_seed": 3},
    "late in random order": {"warp_seed": 5, "late": True},
    "late": {"late": True},
    "races": {"races": True},
}

WITH_BUGS = [name for name, case in CASES.items() if case.bugs]

LOOP_LINES = {
    "matmul": 33,
    "matmul of 256 columns": 33,
    "attention": 402,
    "attention with heads of 128": 446,
    "matmul with mma": 53,
    "matmul with mma of bf16": 217,
}
"""How long the loop over k, or over keys, is at most; 4 or 12 to 16 wgmmas, 16 or 128 mmas."""


MMA_OPS = ("wgmma.mma_async", "mma.sync")


def loop_of_mmas(text: str) -> list[str]:
    """The instructions of the loop that has products in it."""
    lines = [line.strip() for line in text.splitlines()]
    for end, line in enumerate(lines):
        jump = re.fullmatch(r"@%p\d+ bra (\$L\d+);", line)
        if jump is None or f"{jump[1]}:" not in lines[:end]:
            continue
        body = lines[lines.index(f"{jump[1]}:") + 1 : end + 1]
        if any(line.startswith(MMA_OPS) for line in body):
            return body
    raise AssertionError("no loop of products")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", CASES)
def test_assembler_keeps_registers_and_overlap(name: str) -> None:
    case = CASES[name]
    report = assemble(case.ptx(), case.gpu)
    assert "0 bytes spill stores, 0 bytes spill loads" in report
    assert "C75" not in report


@pytest.mark.parametrize("name", LOOP_LINES)
def test_loop_of_products_is_lean(name: str) -> None:
    body = loop_of_mmas(CASES[name].ptx())
    assert len(body) <= LOOP_LINES[name]
    # A maximum is compared with the one before: the only values that move.
    moves = [line for line in body if re.search(r"mov\.(b32|f32|b64) %\w+, %", line)]
    assert len(moves) <= (2 if "attention" in name else 1)
    mmas = [line.split("{") for line in body if line.startswith(MMA_OPS)]
    accumulators = {groups[1].split("}")[0] for groups in mmas}
    if "mma" in name:
        assert all(groups[1].split("}")[0] == groups[4].split("}")[0] for groups in mmas)
    else:
        assert len(accumulators) == (2 if "attention" in name else 1)
    # What lies at a constant distance is in the address.
    sums = {m[1] for line in body if (m := re.match(r"add\.s\d+ (%\w+), %\w+, \d+;", line))}
    addresses = {m[1] for line in body for m in re.finditer(r"\[(%\w+)", line)}
    # Pointers that run along are sums too, but of themselves.
    running = {name for name in sums if any(f" {name}, {name}, " in line for line in body)}
    assert not (sums & addresses) - running


@pytest.mark.parametrize("name", ["attention", "attention with heads of 128"])
def test_exponentials_overlap_with_products(name: str) -> None:
    """In the machine code, those of the loop are between waits for the two kinds of products."""
    cubin = ptxas.assemble(CASES[name].ptx(), "sm_90a", "-O3").cubin
    tool = ptxas.find_tool("nvdisasm", "nvidia-cuda-nvdisasm")
    with tempfile.NamedTemporaryFile() as file:
        file.write(cubin)
        file.flush()
        code = subprocess.check_output([tool, "-c", file.name], text=True)
    wait = code.index("WARPGROUP.DEPBAR.LE gsb0, 0x1")
    overlapped = code[wait : code.index("WARPGROUP.DEPBAR.LE gsb0, 0x0", wait)]
    assert overlapped.count("MUFU.EX2") == 66
    assert "HGMMA" not in overlapped


@pytest.mark.one_in(20)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_result(name: str, mode: str) -> None:
    assert CASES[name].launch(**MODES[mode]).error() <= 1.0


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WITH_BUGS)
def test_text_is_the_same_after_a_round_trip(name: str) -> None:
    case = CASES[name]
    again = parse(to_text(case.build(None)))
    assert emit(again, case.gpu) == case.ptx()


@pytest.mark.parametrize("name", ["matmul", "matmul of clusters", "matmul with mma", "transpose"])
def test_second_code_generator_agrees(name: str) -> None:
    """Upstream reads the kernel, LLVM makes PTX of it; ours is the shorter one."""
    case = CASES[name]
    command = [mlir_tool_path("mlir-opt"), "--convert-nvvm-to-llvm"]
    text = to_text(case.build(None))
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    other = llvm_ptx(result.stdout, case.gpu)
    problem = case.problem()
    module = emulator.load(other)
    module.launch(None, case.grid, problem.arguments, dynamic_shared=case.shared_bytes)
    assert problem.error() <= 1.0
    assert len(case.ptx().splitlines()) < len(other.splitlines())


@pytest.mark.parametrize("name", ["matmul", "matmul with mma"])
def test_every_bug_changes_the_kernel(name: str) -> None:
    case = CASES[name]
    right = case.ptx()
    assert all(case.ptx(bug) != right for bug in case.bugs)
