"""Our code against that of NVIDIA's Tile IR compiler and of Triton, without matrix products.

`python -m bench.simt [NAME ..] [--quick]` compiles each kernel of the zoo from the same bytecode by
`tileiras -O3` for sm_90, and by us for sm_90a with `ptxas -O3`; the kernels of `bench.rows` by
Triton for sm_90a too. It prints what `cuobjdump` finds in the cubins, ours first: machine
instructions, registers of a thread, bytes of shared memory, and of local memory, where registers
are spilled. `--quick` takes one kernel of every kind.

The goals: medians of at most 1.0, nothing above 1.5 without a reason in docs/performance.md, no
spills where there are none, and for `bench.rows` at most the better of both.
"""

import argparse
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields

from bench.framework.machine_code import figures
from bench.framework.results import Kind, Recorder, add_arguments
from bench.rows import ROWS
from tests.unit.bytecode.reference import compile_to_cubin
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.bytecode import write
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

GPU, TILE_IR_GPU = "sm_90a", "sm_90"
VERSION = "13.3"
LARGEST_RATIO = 1.5
QUICK = (
    "vector_add",
    "vector_add_gather",
    "elementwise_f32",
    "elementwise_i8",
    "elementary_f32",
    "conversions",
    "transpose",
    "softmax_online",
    "reductions",
    "cumulative",
    "atomic_updates_i32",
    "nested_branches",
)


@dataclass(frozen=True)
class Code:
    """What a cubin is made of, per thread and block."""

    instructions: int
    registers: int
    shared: int
    local: int


@dataclass(frozen=True)
class Comparison:
    """One kernel as compiled by us, by NVIDIA's compiler and by Triton, where it has been."""

    name: str
    ours: Code
    tile_ir: Code
    triton: Code | None = None

    def ratio(self, field: str) -> float | None:
        """Ours to the better of the others; None where one of those needs nothing."""
        others = [getattr(code, field) for code in (self.tile_ir, self.triton) if code]
        return getattr(self.ours, field) / min(others) if all(others) else None


def read_code(cubin: bytes) -> Code:
    """The figures of a cubin with one kernel; `NOP`s that pad it do not count."""
    found = figures(cubin)
    return Code(found.instructions, found.registers, found.shared, found.local)


def our_code(text: str) -> Code:
    """Our code for the one kernel of a module."""
    module = tools.run_passes(tools.parse(text), f'tileir-pipeline{{gpu="{GPU}"}}')
    return read_code(assemble(emit(module, GPU), GPU, "-O3").cubin)


def tile_ir_code(text: str) -> Code:
    """That of NVIDIA's compiler, from our bytecode."""
    return read_code(compile_to_cubin(write(tools.parse(text), VERSION), TILE_IR_GPU))


def compare_kernel(name: str) -> Comparison:
    """A kernel of the zoo."""
    text = KERNELS[name].text_path.read_text("utf-8")
    theirs = tile_ir_code(text)
    return Comparison(name, our_code(text), theirs)


def compare_rows() -> Iterator[Comparison]:
    """The kernels that Triton compiles too."""
    for row in ROWS:
        text = row.text_path.read_text("utf-8")
        triton = read_code(assemble(row.by_triton().ptx, GPU, "-O3").cubin)
        yield Comparison(row.case.name, our_code(text), tile_ir_code(text), triton)


def without_mma() -> list[str]:
    """The kernels of the zoo that multiply no matrices."""
    return [
        name for name, case in KERNELS.items() if "mma" not in case.text_path.read_text("utf-8")
    ]


def _print_row(comparison: Comparison) -> None:
    codes = [comparison.ours, comparison.tile_ir]
    if comparison.triton is not None:
        codes.append(comparison.triton)
    columns = ("/".join(f"{getattr(code, field.name)}" for code in codes) for field in fields(Code))
    print(f"{comparison.name:<26}" + "".join(f"{column:<18}" for column in columns), flush=True)


def _print_summary(comparisons: Sequence[Comparison]) -> None:
    for field in fields(Code):
        ratios = {c.name: r for c in comparisons if (r := c.ratio(field.name)) is not None}
        if not ratios:
            continue
        above = [f"{name} {r:.2f}" for name, r in ratios.items() if r > LARGEST_RATIO]
        print(f"{field.name}: median ratio {statistics.median(ratios.values()):.2f}")
        print(f"  above {LARGEST_RATIO}: {', '.join(above) or 'none'}")
    spilled = [c.name for c in comparisons if c.ours.local > c.tile_ir.local]
    print(f"more local memory than NVIDIA's compiler: {', '.join(spilled) or 'none'}")


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description="Compares the machine code of kernels.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels of the zoo")
    parser.add_argument("--quick", action="store_true", help="one kernel of every kind")
    add_arguments(parser)
    options = parser.parse_args()
    measures: dict[str, Kind] = {field.name: "count" for field in fields(Code)}
    recorder = Recorder("simt", measures)
    names = options.names or (QUICK if options.quick else without_mma())
    print(f"ours for {GPU} / tileiras -O3 for {TILE_IR_GPU} [/ Triton for {GPU}]")
    print(f"{'':<26}" + "".join(f"{field.name:<18}" for field in fields(Code)))
    if not options.names:
        for comparison in compare_rows():
            recorder.add(f"row {comparison.name}", astuple(comparison.ours))
            _print_row(comparison)
    comparisons: list[Comparison] = []
    refused: list[str] = []
    for name in names:
        try:
            comparisons.append(compare_kernel(name))
        except (subprocess.CalledProcessError, BytecodeError):
            # The target, or the version of the bytecode, lacks what the kernel uses.
            refused.append(name)
            recorder.add(name, "refused")
            continue
        recorder.add(name, astuple(comparisons[-1].ours))
        _print_row(comparisons[-1])
    if comparisons:
        _print_summary(comparisons)
    print(f"not in bytecode {VERSION} or not for {TILE_IR_GPU}: {', '.join(refused) or 'none'}")
    recorder.write(options.json)


if __name__ == "__main__":
    main()
