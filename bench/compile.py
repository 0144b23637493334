"""What compiling to PTX costs: next to NVIDIA's compiler, and next to another checkout.

`python -m bench.compile [--runs N] [--baseline FOLDER] [NAME ..]` prints one table, in milliseconds
of processor time, medians of N runs that alternate. Ours is from bytecode to PTX in a process that
has compiled before (`bench.compile_worker`); theirs is `tileiras -O3` from the same bytecode, less
what `ptxas -O3` takes of our PTX, both with the start of their processes. The goals are a median
ratio of at most 0.5, and none above 1.2.

With `--baseline`, the folder of another checkout, two large modules are compiled by both: one
kernel of 4,000 ops, and 300 small kernels. The goal is 0.47 of the time at commit 4301a42.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.passes import enlarge
from tests.kernels import KERNELS
from tests.unit import tools
from tileir_xdsl.bytecode import write
from tileir_xdsl.bytecode.errors import BytecodeError

GPU, TILE_IR_GPU = "sm_90a", "sm_90"
VERSION = "13.3"
REPOSITORY = Path(__file__).resolve().parents[1]
WORKER = REPOSITORY / "bench" / "compile_worker.py"

LONG_OPS, SMALL_KERNELS = 4_000, 300
SMALL_KERNEL = "vector_add"
CHAIN = ("addf", "mulf", "subf", "exp", "maxf", "negf")
"""The ops of the long kernel in turns, of two operands unless `UNARY`."""
UNARY = ("exp", "negf")


class Worker:
    """A process that compiles with the package of one checkout."""

    def __init__(self, checkout: Path):
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        environment.pop("TILEIR_VERIFY_EACH", None)
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def milliseconds(self, source: Path) -> tuple[float, Path]:
        """The processor time of compiling a file, and its PTX; EOFError if that fails."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(GPU, source, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().split(maxsplit=1)
        if not answer:
            raise EOFError(f"the worker ended at {source}")
        return 1e3 * float(answer[0]), Path(answer[1].strip())

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def process_milliseconds(command: Sequence[str]) -> float:
    """The processor time of a command; CalledProcessError if it fails."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def tileiras_command(source: Path) -> list[str]:
    """NVIDIA's compiler on a bytecode file."""
    output = str(source.with_suffix(".tileiras.cubin"))
    return [tools.tileiras_path(), "--gpu-name", TILE_IR_GPU, "-O3", str(source), "-o", output]


def ptxas_command(ptx: Path) -> list[str]:
    """NVIDIA's assembler on our PTX."""
    output = str(ptx.with_suffix(".cubin"))
    return [tools.ptxas_path(), f"-arch={GPU}", "-O3", str(ptx), "-o", output]


def compare_with_tileiras(names: Sequence[str], folder: Path, runs: int) -> None:
    """Prints a row for each kernel that both compile, and the ratios of all."""
    print(f"{'milliseconds':<28}{'ours':>9}{'tileiras':>10}{'ptxas':>8}{'ratio':>8}")
    worker, ratios = Worker(REPOSITORY), dict[str, float]()
    for name in names:
        source = folder / f"{name}.tileirbc"
        try:
            source.write_bytes(write(tools.parse(KERNELS[name].text_path.read_text()), VERSION))
            _, ptx = worker.milliseconds(source)
            process_milliseconds(tileiras_command(source))
            process_milliseconds(ptxas_command(ptx))
        except (BytecodeError, subprocess.CalledProcessError):
            continue
        times = [
            (
                worker.milliseconds(source)[0],
                process_milliseconds(tileiras_command(source)),
                process_milliseconds(ptxas_command(ptx)),
            )
            for _ in range(runs)
        ]
        ours, theirs, assembler = (statistics.median(column) for column in zip(*times, strict=True))
        ratios[name] = ours / (theirs - assembler)
        print(f"{name:<28}{ours:>9.1f}{theirs:>10.1f}{assembler:>8.1f}{ratios[name]:>8.2f}")
    worker.close()
    worst = max(ratios, key=ratios.__getitem__)
    print(
        f"{len(ratios)} kernels, median ratio {statistics.median(ratios.values()):.2f}, "
        f"worst {ratios[worst]:.2f} ({worst})"
    )


def long_kernel() -> str:
    """A kernel that applies a long chain of ops to a tile."""
    tensor = "tensor_view<?xf32, strides=[1]>"
    view = f"partition_view<tile=(128), {tensor}>"
    lines = [
        "cuda_tile.module @m { entry @long(%x: tile<ptr<f32>>, %n: tile<i32>) {",
        "%bx, %by, %bz = get_tile_block_id : tile<i32>",
        "%t = make_token : token",
        f"%v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> {tensor}",
        f"%p = make_partition_view %v : {view}",
        f"%a0, %l = load_view_tko weak %p[%bx] token = %t : {view}, tile<i32> "
        "-> tile<128xf32>, token",
    ]
    for number in range(LONG_OPS):
        op = CHAIN[number % len(CHAIN)]
        operands = f"%a{number}" if op in UNARY else f"%a{number}, %a{max(0, number - 5)}"
        lines.append(f"%a{number + 1} = {op} {operands} : tile<128xf32>")
    lines += [
        f"%s = store_view_tko weak %a{LONG_OPS}, %p[%bx] token = %l : tile<128xf32>, {view}, "
        "tile<i32> -> token",
        "return } }",
    ]
    return "\n".join(lines)


def large_modules(folder: Path) -> dict[str, Path]:
    """Bytecode of one long kernel, and of many small ones."""
    small = tools.parse(KERNELS[SMALL_KERNEL].text_path.read_text())
    size = sum(1 for op in small.walk() if op.name == "cuda_tile.entry" for _ in op.walk())
    modules = {
        f"{LONG_OPS:,} ops": tools.parse(long_kernel()),
        f"{SMALL_KERNELS} kernels": enlarge(small, size * (SMALL_KERNELS - 1)),
    }
    paths: dict[str, Path] = {}
    for name, module in modules.items():
        paths[name] = folder / f"{len(paths)}.tileirbc"
        paths[name].write_bytes(write(module, VERSION))
    return paths


def compare_with_baseline(baseline: Path, folder: Path, runs: int) -> None:
    """Prints a row for each large module."""
    print(f"{'milliseconds':<28}{'ours':>9}{'baseline':>10}{'ratio':>8}")
    workers = Worker(REPOSITORY), Worker(baseline)
    for name, source in large_modules(folder).items():
        # The first round fills caches and is not counted.
        rounds = [[worker.milliseconds(source)[0] for worker in workers] for _ in range(runs + 1)]
        ours, theirs = (statistics.median(column) for column in zip(*rounds[1:], strict=True))
        print(f"{name:<28}{ours:>9.0f}{theirs:>10.0f}{ours / theirs:>8.2f}")
    for worker in workers:
        worker.close()


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description="What compiling to PTX costs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels, default all of the zoo")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--baseline", type=Path, help="another checkout, for the large modules")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare_with_tileiras(args.names or list(KERNELS), Path(folder), args.runs)
        if args.baseline is not None:
            compare_with_baseline(args.baseline.resolve(), Path(folder), args.runs)


if __name__ == "__main__":
    main()
