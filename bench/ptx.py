"""The PTX printer and the emulator: what an op, an instruction and a kernel cost.

`python -m bench.ptx [RUNS]` prints medians and goals: at most 8 microseconds per printed op, 250
per instruction that is loaded and compiled, 3 per instruction run by 384 threads, at least 1,000
million instructions of single threads per second with 4,096 of them, 50 and 250 milliseconds for
products of 64^3 and 256^3, and a race mode that takes at most 6 times as long.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.framework.results import Recorder, parse_runs
from bench.framework.timing import seconds_of
from tests.kernel_generators import CASES
from tests.kernel_generators import mma_matmul as mma
from tests.kernel_generators.case import Case
from tests.kernel_generators.mma_matmul import MmaMatmul, mma_matmul_case
from tests.llvm_programs.comparison import GPUS
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing.llvm_programs.generator import generate
from tileir_xdsl.testing.tools import parse

GPU = "sm_90a"
UNROLLED, ROUNDS = 64, 100
"""Arithmetic instructions of a loop, and how often it runs."""
FUNCTIONS, FUNCTION_SIZE = 60, 24
"""Random scalar functions to print, and about how many steps each has."""


@dataclass(frozen=True)
class Row:
    """One line of the table: a value, its unit, its goal, and whether less is better."""

    name: str
    value: float
    unit: str
    goal: float
    less_is_better: bool = True

    def __str__(self) -> str:
        reached = self.value <= self.goal if self.less_is_better else self.value >= self.goal
        sign = "<=" if self.less_is_better else ">="
        goal, verdict = f"{sign} {self.goal:g}", "" if reached else "missed"
        return f"{self.name:<46}{self.value:>10.2f} {self.unit:<10}{goal:>10}  {verdict}"


def median(run: Callable[[], object], runs: int) -> float:
    """The median processor time of a call in seconds."""
    return statistics.median(seconds_of(run) for _ in range(runs))


def printing(runs: int) -> list[Row]:
    """Printing the generated kernels, and random scalar functions, per op."""
    kernels = [(case.build(None), case.gpu) for case in CASES.values()]
    functions = [
        (parse(generate(seed, FUNCTION_SIZE).text), GPUS[seed % len(GPUS)])
        for seed in range(FUNCTIONS)
    ]
    rows: list[Row] = []
    for name, modules in (("kernels", kernels), ("functions", functions)):
        count = sum(1 for module, _ in modules for _ in module.walk())
        seconds = median(
            lambda modules=modules: [emit(module, gpu) for module, gpu in modules], runs
        )
        rows.append(Row(f"print {count:,} ops of {name}", 1e6 * seconds / count, "us/op", 8))
    return rows


def loading(runs: int) -> Row:
    """Parsing the generated kernels, and compiling what a first launch compiles."""
    case = CASES["matmul"]
    text, problem = case.ptx(), case.problem()
    count = sum(line.endswith(";") for line in text.splitlines())

    def launch(module: emulator.Module) -> None:
        module.launch(None, case.grid, problem.arguments, dynamic_shared=case.shared_bytes)

    loaded = emulator.load(text)
    launch(loaded)
    again = median(lambda: launch(loaded), runs)
    first = median(lambda: launch(emulator.load(text)), runs)
    return Row(
        f"parse and compile {count:,} instructions", 1e6 * (first - again) / count, "us/inst", 250
    )


def arithmetic(threads: int) -> str:
    """A kernel of one block that does integer and float arithmetic in a loop."""
    steps = (
        "add.s32 %r1, %r1, %r2;",
        "xor.b32 %r2, %r2, %r1;",
        "mul.rn.f32 %f1, %f1, %f2;",
        "add.rn.f32 %f2, %f2, %f1;",
    )
    body = "\n".join(steps * (UNROLLED // len(steps)))
    return f"""
.version 8.0
.target {GPU}
.address_size 64
.visible .entry k(.param .u64 p)
.reqntid {threads}
{{
.reg .pred %q; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>;
mov.u32 %r1, %tid.x; mov.u32 %r2, 7; mov.u32 %r3, 0;
mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F000000;
LOOP:
{body}
add.s32 %r3, %r3, 1;
setp.lt.s32 %q, %r3, {ROUNDS};
@%q bra LOOP;
ld.param.u64 %rd1, [p];
st.global.u32 [%rd1], %r3;
ret;
}}
"""


def running(runs: int) -> list[Row]:
    """Arithmetic by few threads, and by many: four blocks of 1,024."""
    rows: list[Row] = []
    output = np.zeros(1, np.uint32)
    for threads, blocks in ((384, 1), (1024, 4)):
        module = emulator.load(arithmetic(threads))
        statistics_ = module.launch("k", (blocks, 1, 1), [output])

        def launch(module: emulator.Module = module, blocks: int = blocks) -> None:
            module.launch("k", (blocks, 1, 1), [output])

        seconds = median(launch, runs)
        name = f"arithmetic, {threads * blocks:,} threads"
        rows.append(Row(name, 1e6 * seconds / statistics_.instructions, "us/inst", 3))
        if blocks > 1:
            rate = statistics_.lane_instructions / seconds / 1e6
            rows[-1] = Row(name, rate, "M/s", 1000, less_is_better=False)
    return rows


def matmul(size: int, goal: float, runs: int) -> Row:
    """A product of f16 matrices by mma.sync."""
    case = mma_matmul_case("product", MmaMatmul(mma.F16, 64, 64), size, size, size)
    problem, module = case.problem(), emulator.load(case.ptx())

    def launch() -> None:
        module.launch(None, case.grid, problem.arguments, dynamic_shared=case.shared_bytes)

    launch()
    return Row(f"product of {size}^3", 1e3 * median(launch, runs), "ms", goal)


def race_mode(name: str, runs: int) -> Row:
    """The race mode against the fast mode."""
    case: Case = CASES[name]
    problem, module = case.problem(), emulator.load(case.ptx())

    def launch(races: bool) -> float:
        def run() -> None:
            module.launch(
                None, case.grid, problem.arguments, dynamic_shared=case.shared_bytes, races=races
            )

        run()
        return median(run, runs)

    return Row(f"race mode, {name}", launch(True) / launch(False), "times", 6)


def main() -> None:
    """Measures and prints the table."""
    args = parse_runs(__doc__, 5)
    runs, recorder = args.runs, Recorder("ptx", {"value": "time"})
    rows = [
        *printing(runs),
        loading(runs),
        *running(runs),
        matmul(64, 50, runs),
        matmul(256, 250, runs),
        *(race_mode(name, runs) for name in ("matmul", "attention", "matmul with mma")),
    ]
    print(f"{'':<46}{'median':>10} {'':<10}{'goal':>10}")
    for row in rows:
        # Of a rate more is better: it is stored as its inverse.
        recorder.add(row.name, [row.value if row.less_is_better else 1 / row.value])
        print(row)
    recorder.write(args.json)


if __name__ == "__main__":
    main()
