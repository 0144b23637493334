"""Our code for matrix units against that of NVIDIA's Tile IR compiler and of Triton.

`python -m bench.matrix_units [TARGET ..] [NAME ..]` compiles the kernels of `bench.matrix_kernels`
for targets of each kind of matrix unit: ours, those of `tileiras` from the same program with four
worker warps and with eight, and Triton's of the same problem. It prints the machine instructions,
registers, bytes of spills and stages of each, and the ratio of our instructions to the best of the
others. The goal is 0.8, without spills and without a remark of the assembler. Products of other
types, block-scaled, persistent and grouped ones, and those in clusters are not compiled by Triton,
and only for targets that have the types or clusters.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import triton.language as tl
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.framework.results import Kind, Recorder, add_arguments
from bench.grouped_kernels import GROUPED_CASES
from bench.matrix_kernels import (
    CASES,
    CTAS,
    PAIR_CASES,
    PERSISTENT_CASES,
    SCALED_CASES,
    TALL_CASES,
    TYPED_CASES,
)
from bench.simt import read_code
from bench.triton_kernels import (
    attention_of_pointers,
    matmul,
    matmul_of_pointers,
    ragged_attention,
)
from tests.triton_compiler import TritonKernel, compile_triton
from tests.unit.bytecode.reference import compile_to_cubin
from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators
from tileir_xdsl.bytecode import write
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.runtime.lowering import Lowered, lower
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass

VERSION = "13.3"
GPU = "sm_90a"

TILE_IR_GPUS = {"sm_80": "sm_80", "sm_90a": "sm_90", "sm_100a": "sm_100", "sm_120a": "sm_120"}
"""The targets, and what `tileiras` calls them."""

CAPABILITIES = {"sm_80": 80, "sm_90a": 90, "sm_100a": 100, "sm_120a": 120}
"""What Triton calls them."""

ALL_CASES = (
    CASES | TYPED_CASES | SCALED_CASES | PAIR_CASES | PERSISTENT_CASES | GROUPED_CASES | TALL_CASES
)

FIRST_WITH_SCALES = 100
"""The capability from which matrix units scale blocks."""

FIRST_WITH_CLUSTERS, LAST_WITH_CLUSTERS = 90, 100
"""The capabilities whose clusters load what they share once."""

FIRST_WITH_F8 = 89
"""The capability from which matrix units take floats of 8 bits."""

FIRST_WITH_TENSOR_MAPS = 90
"""The capability from which Triton's tensor descriptors are more than arithmetic on pointers."""


@dataclass(frozen=True)
class Measured:
    """Figures of one cubin; the stages of other compilers' pipelines are not known."""

    instructions: int
    registers: int
    spilled: int
    remarks: int = 0
    stages: int | None = None


MEASURES: dict[str, Kind] = dict.fromkeys(
    ("instructions", "registers", "spilled", "remarks"), "count"
)
"""What is recorded of ours; more stages are no worse."""


def with_warps(case: KernelCase, warps: int) -> str:
    """A kernel's text with a hint."""
    hint = f"num_worker_warps_per_cta = {warps}"
    program = case.text_path.read_text("utf-8")
    clustered = f"num_cta_in_cga = {CTAS}"
    program = program.replace(f"{{{clustered}}}", f"{{{clustered}, {hint}}}")
    return program.replace("default = {}", f"default = {{{hint}}}")


def compiled(case: KernelCase, gpu: str = GPU) -> tuple[Lowered, int]:
    """A kernel as a user compiles it, with lesser choices if need be, and its fewest stages."""
    module, stages = tools.parse(case.text_path.read_text("utf-8")), 0

    def count_stages(module_pass: ModulePass, module: ModuleOp) -> None:
        nonlocal stages
        if isinstance(module_pass, ConvertTileASToLLVMPass):
            return
        pipelines = [o for o in module.walk() if isinstance(o, nv_tileas.CreatePipelineOp)]
        # Accumulators in turn take no shared memory.
        loaded = (op for op in pipelines if not holds_accumulators(op))
        stages = min((pipeline.num_stages.value.data for pipeline in loaded), default=0)

    lowered = lower(tools.context(), module, "ptx", gpu=gpu, file=case.name, observe=count_stages)
    return lowered, stages


def of_ours(case: KernelCase, gpu: str = GPU) -> Measured:
    """What we make of a kernel."""
    lowered, stages = compiled(case, gpu)
    assert lowered.ptx is not None
    return of_ptx(lowered.ptx, gpu, stages)


def of_ptx(ptx: str, gpu: str = GPU, stages: int | None = None) -> Measured:
    """What the assembler makes of PTX."""
    assembly = assemble(ptx, gpu, "-O3", "-v")
    code = read_code(assembly.cubin)
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill", assembly.report)))
    remarks = len(re.findall(r"\bC75\d\d\b", assembly.report))
    return Measured(code.instructions, code.registers, spilled, remarks, stages)


def of_tileiras(case: KernelCase, warps: int, gpu: str = GPU) -> Measured:
    """What NVIDIA's compiler makes of a kernel."""
    program = write(tools.parse(with_warps(case, warps)), VERSION)
    code = read_code(compile_to_cubin(program, TILE_IR_GPUS[gpu]))
    return Measured(code.instructions, code.registers, code.local)


def triton_matmul(rows: int, columns: int, depth: int, gpu: str) -> TritonKernel:
    """Triton's product of bfloat16 matrices, by tensor descriptors or pointers."""
    constants, capability = {"M": rows, "N": columns, "STEP": depth}, CAPABILITIES[gpu]
    if capability < FIRST_WITH_TENSOR_MAPS:
        sizes = ("m", "n", "k", "a_pitch", "b_pitch", "c_pitch")
        return compile_triton(
            matmul_of_pointers,
            dict.fromkeys("abc", "*bf16") | dict.fromkeys(sizes, "i32"),
            constants,
            capability=capability,
            warps=8,
            stages=3,
            multiples=sizes,
        )

    def tensor(first: int, second: int) -> str:
        return f"tensordesc<bf16[{first}, {second}]>"

    signature = {
        "a": tensor(rows, depth),
        "b": tensor(depth, columns),
        "c": tensor(rows, columns),
        "k": "i32",
    }
    constants |= {"TRANSPOSED": False, "GROUP": 1, "SUMS": tl.float32}
    return compile_triton(matmul, signature, constants, capability=capability, warps=8, stages=4)


def triton_attention(
    gpu: str, *, causal: bool = False, rows: int = 128, keys: int = 128, depth: int = 128
) -> TritonKernel:
    """Triton's attention of bfloat16 heads of any length, by tensor descriptors or pointers."""
    constants = {"ROWS": rows, "KEYS": keys, "D": depth, "CAUSAL": causal}
    capability = CAPABILITIES[gpu]
    if capability < FIRST_WITH_TENSOR_MAPS:
        sizes = ("length", "pitch", "head_pitch")
        return compile_triton(
            attention_of_pointers,
            dict.fromkeys(("q", "k", "v", "out"), "*bf16")
            | dict.fromkeys(sizes, "i32")
            | {"scale": "fp32"},
            constants,
            capability=capability,
            warps=8,
            stages=2,
            multiples=sizes[1:],
        )
    own, read = (f"tensordesc<bf16[1, {extent}, {depth}]>" for extent in (rows, keys))
    tensors = {"q": own, "k": read, "v": read, "out": own}
    signature = tensors | {"length": "i32", "scale": "fp32"}
    return compile_triton(
        ragged_attention, signature, constants, capability=capability, warps=8, stages=2
    )


TRITON: dict[str, Callable[[str], TritonKernel]] = {
    "product_128x256x64": partial(triton_matmul, 128, 256, 64),
    "product_128x128x64": partial(triton_matmul, 128, 128, 64),
    "attention_128x128x128": partial(triton_attention, causal=False),
    "attention_128x128x64": partial(triton_attention, depth=64),
    "attention_64x64x256": partial(triton_attention, rows=64, keys=64, depth=256),
    "attention_128x128x128_causal": partial(triton_attention, causal=True),
}


def measure(name: str, gpu: str = GPU) -> dict[str, Measured]:
    """The figures of all compilers for one kernel, ours first."""
    case = ALL_CASES[name]
    found = {
        "ours": of_ours(case, gpu),
        "tileiras": of_tileiras(case, 4, gpu),
        "tileiras, 8 warps": of_tileiras(case, 8, gpu),
    }
    return found | ({"Triton": of_ptx(TRITON[name](gpu).ptx, gpu)} if name in TRITON else {})


def main() -> None:
    """Measures and prints a table for each target."""
    parser = argparse.ArgumentParser(description="Our code for matrix units against others'.")
    parser.add_argument("wanted", nargs="*", metavar="TARGET|NAME", help="default: all")
    add_arguments(parser)
    args = parser.parse_args()
    recorder = Recorder("matrix units", MEASURES)
    names = [name for name in ALL_CASES if name in args.wanted] or list(ALL_CASES)
    for gpu in [gpu for gpu in TILE_IR_GPUS if gpu in args.wanted] or TILE_IR_GPUS:
        print_table(gpu, [name for name in names if is_taken(name, gpu)], recorder)
    recorder.write(args.json)


def is_taken(name: str, gpu: str) -> bool:
    """Whether a target has the types of a kernel."""
    capability = CAPABILITIES[gpu]
    if name in SCALED_CASES:
        return capability >= FIRST_WITH_SCALES
    if name in PAIR_CASES:
        return FIRST_WITH_CLUSTERS <= capability <= LAST_WITH_CLUSTERS
    return capability >= FIRST_WITH_F8 or not name.startswith("product_f8")


def print_table(gpu: str, names: Sequence[str], recorder: Recorder) -> None:
    """Measures and prints the table of a target."""
    print(f"{gpu:<30}{'instructions':>14}{'registers':>11}{'spilled':>9}{'C75xx':>7}{'stages':>8}")
    for name in names:
        found = measure(name, gpu)
        recorder.add(f"{gpu} {name}", [getattr(found["ours"], measure) for measure in MEASURES])
        for compiler, m in found.items():
            print(
                f"{name if compiler == 'ours' else '  ' + compiler:<30}{m.instructions:>14}"
                f"{m.registers:>11}{m.spilled:>9}{m.remarks:>7}{m.stages or '':>8}"
            )
        best = min(m.instructions for compiler, m in found.items() if compiler != "ours")
        print(f"  ratio to the best: {found['ours'].instructions / best:.2f}", flush=True)


if __name__ == "__main__":
    main()
