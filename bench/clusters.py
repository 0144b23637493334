"""Kernels whose tile blocks several thread blocks (CTAs) carry out, and what these load.

`python -m bench.clusters` compiles products and attention for sm_90a, for one CTA and for clusters,
so that each CTA has the same part of a result. It prints the machine instructions of ours and of
`tileiras`, and the bytes that a CTA of ours asks of global memory for a step of its loop.

`python -m bench.clusters TARGET CTAS` runs the kernels of `bench.variants` as clusters in the
emulator, late and with races looked for.
"""

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.framework.results import Recorder, add_arguments
from bench.matrix_kernels import attention_case, matmul_case
from bench.matrix_units import VERSION, of_ours
from bench.simt import read_code
from bench.variants import CASES as VARIANTS
from tests.unit.bytecode.reference import compile_to_cubin
from tests.unit.road.zoo import lower, run
from tileir_xdsl.bytecode import write
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.pipeline_road import passes

GPU, TILE_IR_GPU = "sm_90a", "sm_90"

KERNELS: Sequence[tuple[KernelCase, int]] = (
    (matmul_case(128, 128, 64), 1),
    (matmul_case(256, 128, 64), 2),
    (matmul_case(256, 256, 64), 4),
    (matmul_case(512, 128, 64), 4),
    (attention_case(128, 128, 128, causal=False), 1),
    (attention_case(256, 128, 128, causal=False), 2),
)
"""Kernels and their CTAs; each has 128 x 128 of the sums."""


@dataclass(frozen=True)
class Measured:
    """Figures of one kernel; the bytes are those of one CTA and one step."""

    instructions: int
    spilled: int
    loaded: int
    theirs: int


def loaded_bytes(program: str, gpu: str = GPU) -> int:
    """The bytes that a CTA asks of global memory in a step of the loops of a kernel."""
    module, context = tools.parse(program), tools.context()
    for module_pass in passes(gpu):
        if isinstance(module_pass, ConvertTileASToLLVMPass):
            break
        module_pass.apply(context, module)
    loads = (op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledTmaLoadOp))
    return sum(
        op.tx_count.value.data // op.multicast_group[0]
        for op in loads
        if op.tx_count is not None and isinstance(op.parent_op(), ProduceOp)
    )


def with_ctas(case: KernelCase, ctas: int) -> str:
    """A kernel's text with a hint."""
    hint = "" if ctas == 1 else f"num_cta_in_cga = {ctas}"
    return text(case).replace("default = {}", f"default = {{{hint}}}")


def measure(case: KernelCase, ctas: int) -> Measured:
    """What we make of a kernel, and `tileiras` with as many CTAs."""
    program = with_ctas(case, ctas)
    with tempfile.TemporaryDirectory() as folder:
        hinted = replace(case, folder=Path(folder))
        hinted.text_path.write_text(program, "utf-8")
        ours = of_ours(hinted)
        theirs = read_code(compile_to_cubin(write(tools.parse(program), VERSION), TILE_IR_GPU))
    return Measured(ours.instructions, ours.spilled, loaded_bytes(program), theirs.instructions)


def check(case: KernelCase, ctas: int, gpu: str) -> str:
    """Runs a variant in clusters of so many CTAs at most; the shape of these."""
    program, used = with_ctas(case, ctas), ""

    def look(module_pass: ModulePass, module: ModuleOp) -> None:
        nonlocal used
        if isinstance(module_pass, ConvertTileASToLLVMPass):
            functions = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
            used = ", ".join("{} x {}".format(*cluster_shape(op)) for op in functions)

    kernel = lower(tools.parse(program), gpu, look)
    with tempfile.TemporaryDirectory() as folder:
        hinted = replace(case, folder=Path(folder))
        hinted.text_path.write_text(program, "utf-8")
        run(hinted, kernel, case.typical, case.grid(case.typical), late=True, races=True)
    return used


def main() -> None:
    """Measures and prints the table, or runs the variants."""
    parser = argparse.ArgumentParser(description="Kernels of several thread blocks a tile block.")
    parser.add_argument("gpu", nargs="?", help="run the variants for this target")
    parser.add_argument("ctas", nargs="?", type=int, default=2, help="as clusters of so many")
    add_arguments(parser)
    args = parser.parse_args()
    if args.gpu:
        for case in VARIANTS.values():
            print(f"{case.name:<24}{check(case, args.ctas, args.gpu)}  right", flush=True)
        return
    recorder = Recorder("clusters", dict.fromkeys(("instructions", "spilled", "loaded"), "count"))
    print(f"{'':<24}{'CTAs':>5}{'ours':>7}{'spilled':>9}{'bytes':>8}{'tileiras':>10}")
    for case, ctas in KERNELS:
        m = measure(case, ctas)
        recorder.add(f"{case.name}, {ctas} CTAs", [m.instructions, m.spilled, m.loaded])
        print(
            f"{case.name:<24}{ctas:>5}{m.instructions:>7}{m.spilled:>9}{m.loaded:>8}{m.theirs:>10}",
            flush=True,
        )
    recorder.write(args.json)


if __name__ == "__main__":
    main()
