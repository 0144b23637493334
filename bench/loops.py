"""What a step of the steady-state loop costs: ours next to `tileiras` and Triton.

    python -m bench.loops                                  # all kernels, all targets
    python -m bench.loops --only 'B by order' --gpu sm_90a # a row in seconds
    python -m bench.loops --store                          # keeps them for docs/performance.md

Instructions are those that all warps of a block execute in an iteration of the program's innermost
loop, divided by its multiply-adds / 2,048; without dots those of the whole kernel for 32 elements.
`slots` are the instructions of the busiest scheduler for a cycle of the tensor cores: up to 0.5 the
loop is bound by these. Rivals are `tileiras` with four and eight warps, and Triton as the best of
six pairs of warps and stages without spills, which only compile. What has been measured with the
same sources is kept in build/loops, so that a run that was broken off goes on where it was.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from triton.compiler.errors import CompilationError
from triton.runtime.errors import OutOfResources
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.framework.machine_code import dump, figures_of_listing, functions_of
from bench.framework.results import Kind, Result, machine_line
from bench.framework.steady_loops import (
    MMA,
    LoopFigures,
    Work,
    loop_figures,
    path_figures,
)
from bench.loop_kernels import CONFIGURATIONS, KERNELS, LOOPS_OF_ELEMENTS, TYPE_BITS, LoopKernel
from bench.sweep.measuring import THEIR_GPUS, VERSION
from bench.sweep.plan import point_of
from bench.sweep.store import REPOSITORY, Store, compiler_digest, generators_digest, their_version
from tests.unit.bytecode.reference import elf_sections
from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators
from tileir_xdsl.bytecode import write
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.ptxas import AssemblyError, assemble
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.residency import blocks_by_resource
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
STORED = Path(__file__).parent / "stored" / "loops.json"
CACHE = REPOSITORY / "build" / "loops"
WARP = 32
THEIR_WARPS = (4, 8)
SECONDS = 120
"""How long `tileiras` may take for a kernel."""

BY_KIND = ("mma", "shared", "global", "asynchronous copies", "tensor memory", "integer", "float",
           "control", "barrier")  # fmt: skip
MEASURES: Mapping[str, Kind] = {
    "instructions": "count",
    "slots": "count",
    **dict.fromkeys(BY_KIND, "count"),
    "synchronous loads": "count",
    "wavefronts": "count",
    "local accesses": "count",
    "registers": "count",
    "blocks": "identity",
    "stages": "identity",
    "spills": "count",
}
"""Per unit of work those of the loop; `blocks` are those of a multiprocessor."""

Row = tuple[float | int | None, ...] | str
"""The measures, or why there are none."""

# `.nv.info` of a kernel: the format and the attribute, then how many bytes follow. The numbers are
# those that `cuobjdump -elf` prints as EIATTR_REQNTID and EIATTR_MAX_THREADS.
_THREADS = re.compile(rb"\x04[\x10\x05]\x0c\x00(....)", re.DOTALL)


@dataclass(frozen=True)
class Compiled:
    """The machine code of one kernel, and what its launch needs."""

    cubin: bytes
    threads: int
    shared: int = 0
    """Bytes that only the launch reserves."""
    stages: int | None = None


def ours(kernel: LoopKernel, gpu: str) -> Compiled:
    """Our code. Raises InputError or AssemblyError."""
    generated, stages = point_of(kernel.point).generate(), 0

    def look(module_pass: ModulePass, module: ModuleOp) -> None:
        nonlocal stages
        if not isinstance(module_pass, ConvertTileASToLLVMPass):
            found = [o for o in module.walk() if isinstance(o, nv_tileas.CreatePipelineOp)]
            loaded = (op for op in found if not holds_accumulators(op))
            stages = min((pipeline.num_stages.value.data for pipeline in loaded), default=0)

    context = new_context()
    module = read_text(context, generated.text(), "kernel")
    lowered = lower(context, module, "ptx", gpu=gpu, file="kernel", observe=look)
    assert lowered.ptx is not None
    cubin = assemble(lowered.ptx, gpu, "-O3").cubin
    shared = dynamic_shared_memory(lowered.module, generated.case.name)
    return Compiled(cubin, _threads_of(lowered.ptx), shared, stages)


def _threads_of(ptx: str) -> int:
    found = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", ptx)
    assert found is not None
    return int(found[1])


def of_tileiras(kernel: LoopKernel, gpu: str, warps: int) -> Compiled:
    """The code of `tileiras`. Raises CalledProcessError or TimeoutExpired."""
    hint = f"num_worker_warps_per_cta = {warps}"
    program = point_of(kernel.point).generate().text()
    program = program.replace("default = {}", f"default = {{{hint}}}")
    command = [tools.tileiras_path(), "--gpu-name", THEIR_GPUS.get(gpu, gpu), "-O3"]
    with tempfile.TemporaryDirectory() as folder:
        file, output = Path(folder) / "kernel.tileirbc", Path(folder) / "kernel.cubin"
        file.write_bytes(write(tools.parse(program), VERSION))
        command += [str(file), "-o", str(output)]
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
        cubin = output.read_bytes()
    (info,) = (data for name, data in elf_sections(cubin).items() if name.startswith(".nv.info."))
    threads = _THREADS.search(info)
    assert threads is not None
    return Compiled(cubin, int.from_bytes(threads[1], "little"))


def of_triton(kernel: LoopKernel, gpu: str, warps: int, stages: int) -> Compiled:
    """Triton's code. Raises AssemblyError."""
    assert kernel.triton is not None
    compiled = kernel.triton(gpu, warps, stages)
    cubin = assemble(compiled.ptx, gpu, "-O3").cubin
    return Compiled(cubin, compiled.threads, compiled.shared, stages)


def measure(kernel: LoopKernel, gpu: str, compiled: Compiled) -> Row:
    """The measures of machine code."""
    listing = dump(compiled.cubin, "-sass", "-res-usage")
    found, work = figures_of_listing(listing), kernel.work
    # The kernel itself is the longest function; others are divisions and the like.
    code = max(functions_of(listing).values(), key=len)
    warps = -(-compiled.threads // WARP)
    loop = path_figures(code, warps) if work is None else loop_figures(code, warps, work)
    if loop is None:
        return "no loop with multiply-adds"
    units = point_of(kernel.point).generate().work / LOOPS_OF_ELEMENTS
    if work is not None:
        units = work.multiply_adds / MMA
    blocks = blocks_by_resource(
        get_target(gpu).limits, compiled.threads, found.registers, found.shared + compiled.shared
    )
    return (
        round(loop.instructions / units, 3),
        None if work is None else round(_slots(kernel, gpu, work, loop), 3),
        *(round(loop.kinds.get(kind, 0) / units, 3) for kind in BY_KIND),
        round(loop.synchronous_loads / units, 3),
        round(loop.wavefronts / units, 3),
        round(loop.local_accesses / units, 3),
        found.registers,
        min(blocks.values()),
        compiled.stages,
        found.local_accesses,
    )


def _slots(kernel: LoopKernel, gpu: str, work: Work, loop: LoopFigures) -> float:
    """Instructions of the busiest scheduler for each cycle of the tensor cores."""
    bits = TYPE_BITS[str(kernel.values.get("type", "bf16"))]
    rate = throughput_of(get_target(gpu)).mma_macs_of_16_bits * 16 / bits
    return loop.busiest / (work.multiply_adds / rate)


def _attempt(kernel: LoopKernel, gpu: str, compile_it: Callable[[], Compiled]) -> Row:
    try:
        return measure(kernel, gpu, compile_it())
    except (InputError, AssemblyError) as error:
        return f"refused: {str(error).splitlines()[0][:100]}"
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return "refused"


def rivals(kernel: LoopKernel, gpu: str) -> Iterator[tuple[str, Row]]:
    """The rows of rivals, by their names."""
    for warps in THEIR_WARPS:
        row = _attempt(kernel, gpu, lambda warps=warps: of_tileiras(kernel, gpu, warps))
        yield f"tileiras, {warps} warps", row
    if kernel.triton is None:
        return
    found: list[Row] = []
    for warps, stages in CONFIGURATIONS:
        try:
            row = _attempt(kernel, gpu, lambda w=warps, s=stages: of_triton(kernel, gpu, w, s))
        except (RuntimeError, ValueError, CompilationError, OutOfResources) as error:
            row = f"refused: {type(error).__name__}"
        found.append(row)
    spill = list(MEASURES).index("spills")
    best = min(
        (row for row in found if not isinstance(row, str) and not row[spill]),
        key=lambda row: row[0] or 0,
        default="refused",
    )
    yield "Triton", best


class Rows:
    """What is known, and what is measured where it is not."""

    def __init__(self) -> None:
        digest, version = compiler_digest(), their_version()
        self.ours = Store(CACHE / f"ours-{digest}.jsonl")
        self.theirs = Store(CACHE / f"rivals-{version}-{generators_digest()}.jsonl")

    def of(self, name: str, gpu: str) -> dict[str, Row]:
        """The rows of a kernel on a target, ours first."""
        kernel, key = KERNELS[name], f"{gpu} {name}"
        if key not in self.ours.rows:
            row = _attempt(kernel, gpu, lambda: ours(kernel, gpu))
            self.ours.add(key, {"ours": row})
        if key not in self.theirs.rows:
            self.theirs.add(key, dict(rivals(kernel, gpu)))
        known = {**self.ours.rows[key], **self.theirs.rows[key]}
        return {who: row if isinstance(row, str) else tuple(row) for who, row in known.items()}


def best_rival(rows: Mapping[str, Row]) -> Row:
    """The row of the rival with the fewest instructions, or why there is none."""
    others = [row for who, row in rows.items() if who != "ours"]
    compiled = [row for row in others if not isinstance(row, str)]
    return min(compiled, key=lambda row: row[0] or 0) if compiled else "no rival"


def lines(name: str, gpu: str, rows: Mapping[str, Row]) -> Iterator[str]:
    """What a run prints of a kernel."""
    yield f"{gpu} {name}"
    for who, row in rows.items():
        if isinstance(row, str):
            yield f"    {who:<20} {row}"
            continue
        values = dict(zip(MEASURES, row, strict=True))
        told = ", ".join(f"{key} {value:g}" for key, value in values.items() if value)
        yield f"    {who:<20} {told}"


def stored_rows() -> dict[str, Row]:
    """The rows that are kept, by target, kernel and who compiled it: `sm_80 NAME: Triton`."""
    if not STORED.exists():
        return {}
    rows = Result.read(STORED).rows.items()
    return {
        key: row
        if isinstance(row, str)
        else tuple(None if value is None else float(value) for value in row)
        for key, row in rows
    }


def store(found: Mapping[str, Row]) -> None:
    """Keeps rows, next to those that are stored and were not measured now."""
    order = [f"{gpu} {name}" for name in KERNELS for gpu in GPUS]
    merged = {**stored_rows(), **found}
    kept = sorted(merged, key=lambda key: order.index(key.split(": ")[0]))
    result = Result("loops", machine_line(), MEASURES, {key: merged[key] for key in kept})
    result.write(STORED)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures what is not known, and prints it."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.loops",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", action="append", choices=KERNELS, metavar="NAME", help="a kernel")
    parser.add_argument("--gpu", action="append", choices=GPUS, help="default: all four")
    parser.add_argument("--store", action="store_true", help="keep the rows")
    options = parser.parse_args(arguments)
    known = Rows()
    for name in options.only or KERNELS:
        for gpu in options.gpu or GPUS:
            if not KERNELS[name].is_of(gpu):
                continue
            rows = known.of(name, gpu)
            print("\n".join(lines(name, gpu, rows)), flush=True)
            if options.store:
                store({f"{gpu} {name}: {who}": row for who, row in rows.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
