"""`emulator.run`: one call from PTX, of whichever compiler, to results."""

from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import types

from tests import gluon_programs, numba_programs, triton_programs
from tests.cuda_compiler import compile_cuda
from tests.triton_compiler import TritonKernel, compile_triton
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.kernels import BLOCK_SUM, HEADER, VECTOR_ADD
from tileir_xdsl import emulator

CAREFULLY: dict[str, Any] = {"races": True, "late": True, "warp_seed": 1}


def singles(*shape: int) -> Array:
    """Small integers, so that sums are exact in any order."""
    return np.random.default_rng(len(shape)).integers(-9, 10, shape).astype(np.float32)


def test_results():
    a, b, c = singles(300), singles(300) + 1, np.zeros(300, np.float32)
    result = emulator.run(VECTOR_ADD, 3, 128, [a, b, c, 300])
    np.testing.assert_array_equal(c, a + b)
    assert all(array is given for array, given in zip(result.arrays, (a, b, c), strict=True))
    assert result.printed == ""
    assert result.statistics.blocks == 3
    assert result.statistics.threads_per_block == 128


def test_the_shape_that_a_kernel_requires():
    x, out = singles(512), np.zeros(2, np.float32)
    emulator.run(BLOCK_SUM, (2, 1, 1), None, [x, out, 512], kernel="block_sum", **CAREFULLY)
    np.testing.assert_array_equal(out, x.reshape(2, 256).sum(1))


def looping(body: str) -> str:
    return (
        f"{HEADER}.visible .entry k(.param .u64 x) {{ .reg .b64 %a; .reg .b32 %i;"
        f" ld.param.u64 %a, [x]; mov.u32 %i, %tid.x;\n{body}\nret; }}"
    )


@pytest.mark.parametrize(
    ("ptx", "options", "message", "line"),
    [
        (
            looping("L: bra L;"),
            {"step_limit": 1000},
            "the step limit of 1000 instructions is reached",
            None,
        ),
        (looping("L: bra L;"), {"time_limit": 0.01}, "the time limit of 0.01 s is reached", None),
        (looping("st.global.b32 [%a], %i;"), {"races": True}, "race:", 6),
        (looping("st.global.b32 [%a + 4096], %i;"), {}, "0x", 6),
        (looping("tex %i;"), {}, "instruction 'tex' is not supported", 6),
        ("no PTX", {}, "expected a directive", 1),
        (looping(""), {"kernel": "other"}, "no kernel 'other'", None),
        (looping(""), {"dynamic_shared": -1}, "bytes of shared memory", None),
        (looping(""), {"cluster": (3, 1, 1)}, "cluster", None),
    ],
)
def test_errors(ptx: str, options: dict[str, Any], message: str, line: int | None):
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.run(ptx, 1, 64, [np.zeros(4, np.uint32)], **options)
    assert message in str(caught.value)
    assert line is None or caught.value.line == line


ENDLESS = {
    "a branch to itself": "L: bra L;",
    "a counter": "L: add.u32 %i, %i, 1; bra L;",
    "a list of targets": "T: .branchtargets L; L: mov.u32 %i, 0; brx.idx %i, T;",
    "a guard": ".reg .pred %p; setp.eq.u32 %p, 0, 0; L: @%p bra L;",
    "a barrier": "L: bar.sync 0; bra L;",
    "warps apart": ".reg .pred %p; and.b32 %i, %i, 32; setp.eq.u32 %p, %i, 0; M: @%p bra M; L: bra L;",
    "a value that nobody stores": "L: ld.volatile.global.u32 %i, [%a]; bra L;",
    "sleep": "L: nanosleep.u32 100; bra L;",
    "shuffles": "L: shfl.sync.idx.b32 %i, %i, 0, 31, -1; bra L;",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("options", [{}, {"warp_seed": 1}, {"races": True}])
def test_an_endless_loop_ends_by_a_limit(name: str, options: dict[str, Any]):
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.run(
            looping(ENDLESS[name]), 2, 64, [np.zeros(64, np.uint32)], step_limit=3000, **options
        )
    assert "step_limit (--step-limit) sets the limit" in str(caught.value)


def test_a_wrong_number_of_arguments():
    with pytest.raises(emulator.EmulatorError, match="takes 4 arguments, not 0"):
        emulator.run(VECTOR_ADD, 1, 128, [])


# PTX of other compilers.


def run_triton(kernel: TritonKernel, grid: int | tuple[int, ...], *args: emulator.Argument) -> None:
    """The last two parameters of every kernel are memory for scratch and for profiling."""
    scratch = [np.zeros(16, np.uint8)] * 2
    arguments = [*args, *scratch]
    emulator.run(kernel.ptx, grid, None, arguments, dynamic_shared=kernel.shared, **CAREFULLY)


def test_triton():
    signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
    kernel = compile_triton(triton_programs.vector_add, signature, {"SIZE": 256})
    x, y, out = singles(500), singles(500) * 2, np.zeros(500, np.float32)
    run_triton(kernel, 2, x, y, out, 500)
    np.testing.assert_array_equal(out, x + y)


def test_gluon():
    signature = {"x": "*fp32", "out": "*fp32"}
    kernel = compile_triton(gluon_programs.transpose, signature, {"ROWS": 32, "COLUMNS": 64})
    x, out = singles(32, 64), np.zeros((64, 32), np.float32)
    run_triton(kernel, 1, x, out)
    np.testing.assert_array_equal(out, x.T)


@pytest.mark.parametrize("capability", [90, 100])
def test_warp_specialised_gluon(capability: int):
    kernel = compile_triton(
        gluon_programs.doubled_sum,
        {"x": "*fp32", "out": "*fp32"},
        {"STEPS": 5, "SIZE": 128},
        capability=capability,
    )
    assert "setmaxnreg" in kernel.ptx
    x, out = singles(5, 128), np.zeros(128, np.float32)
    run_triton(kernel, 1, x, out)
    np.testing.assert_array_equal(out, 2 * x.sum(0))


def test_cuda_c():
    ptx = compile_cuda(
        """
        extern "C" __global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
            __shared__ unsigned own[16];
            if (threadIdx.x < 16) own[threadIdx.x] = 0;
            __syncthreads();
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
                atomicAdd(&own[data[i] >> 4], 1u);
            __syncthreads();
            if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
            if (threadIdx.x == 0) printf("block %d\\n", blockIdx.x);
        }
        """
    )
    data = np.random.default_rng(1).integers(0, 256, 5000).astype(np.uint8)
    bins = np.zeros(16, np.uint32)
    result = emulator.run(ptx, 2, 96, [data, 5000, bins], races=True)
    np.testing.assert_array_equal(bins, np.bincount(data >> 4, minlength=16))
    assert sorted(result.printed.splitlines()) == ["block 0", "block 1"]


def test_llvm():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine: Any = llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(
        cpu="sm_80", opt=3
    )
    module: Any = llvm.parse_assembly(
        """
        target triple = "nvptx64-nvidia-cuda"
        declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        define internal i32 @collatz(i32 %n) noinline {
        entry:
          br label %loop
        loop:
          %x = phi i32 [ %n, %entry ], [ %next, %step ]
          %steps = phi i32 [ 0, %entry ], [ %more, %step ]
          %done = icmp ule i32 %x, 1
          br i1 %done, label %end, label %step
        step:
          %half = lshr i32 %x, 1
          %triple = mul i32 %x, 3
          %up = add i32 %triple, 1
          %odd = trunc i32 %x to i1
          %next = select i1 %odd, i32 %up, i32 %half
          %more = add i32 %steps, 1
          br label %loop
        end:
          ret i32 %steps
        }
        define ptx_kernel void @steps(ptr addrspace(1) %out) {
          %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
          %n = call i32 @collatz(i32 %i)
          %at = getelementptr i32, ptr addrspace(1) %out, i32 %i
          store i32 %n, ptr addrspace(1) %at
          ret void
        }
        """
    )
    out = np.zeros(100, np.uint32)
    emulator.run(machine.emit_assembly(module), 1, 100, [out])

    def steps(n: int) -> int:
        return 0 if n <= 1 else 1 + steps(3 * n + 1 if n % 2 else n // 2)

    assert list(out) == [steps(n) for n in range(100)]


def test_numba():
    array = types.float32[::1]
    ptx = numba_programs.compile_numba(numba_programs.block_sums, array, array)
    x, out = singles(300), np.zeros(3, np.float32)
    arguments = [*numba_programs.passed(x), *numba_programs.passed(out)]
    emulator.run(ptx, 3, 128, arguments, races=True, warp_seed=1)
    np.testing.assert_array_equal(out, [x[:128].sum(), x[128:256].sum(), x[256:].sum()])
