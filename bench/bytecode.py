"""Bytecode against text: time per op, how it grows with the module, and memory.

`python -m bench.bytecode [RUNS]` repeats the entry of a kernel under new names until the module has
1,000, 10,000 and 100,000 ops, and prints medians of RUNS runs of processor time, without the
garbage collector's: parsing and printing the text (not at the largest size) and reading and writing
the bytecode of the same module. The goals are to read at least 4 times faster than to parse, to
write at least 3 times faster than to print, and the same time per op at every size.

Memory is what Python's allocator hands out (`tracemalloc`). The baseline is what the module still
holds after it has been read; the peaks, during reading and during writing, are relative to it and
include it. The goal is less than 12.
"""

import gc
import io
import statistics
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.universe import Universe

from bench.framework.results import Kind, Recorder, parse_runs
from bench.framework.timing import seconds_of
from tileir_xdsl import bytecode
from tileir_xdsl.dialects import cuda_tile

KERNELS = Path(__file__).resolve().parents[1] / "tileir_xdsl" / "testing" / "kernels"
NAMES = ("vector_add", "layer_norm", "attention")
SIZES = (1_000, 10_000, 100_000)
LARGEST_TEXT = 10_000
"""Parsing the largest module as text takes a minute, and says no more."""
MEMORY_SIZE = 10_000
VERSION = "13.3"


def module_of_size(context: Context, name: str, size: int) -> ModuleOp:
    """A module with about `size` ops: copies of the entry of a kernel of the zoo."""
    module = Parser(
        context, (KERNELS / f"{name}.mlir").read_text("utf-8"), f"{name}.mlir"
    ).parse_module()
    (entry,) = (op for op in module.walk() if isinstance(op, cuda_tile.EntryOp))
    block = entry.parent
    assert block is not None
    for copy in range(1, round(size / sum(1 for _ in entry.walk()))):
        clone = entry.clone()
        clone.properties["sym_name"] = StringAttr(f"{entry.sym_name.data}_{copy}")
        block.add_op(clone)
    return module


def print_module(module: ModuleOp) -> str:
    """The text of a module."""
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def microseconds(action: Callable[[], object], runs: int) -> float:
    """Median time of `action`, which nothing else holds on to."""
    return 1e6 * statistics.median(seconds_of(action) for _ in range(runs))


@dataclass(frozen=True)
class Row:
    """Microseconds per op; None for text that is too large."""

    operations: int
    file_bytes: int
    parse: float | None
    read: float
    print: float | None
    write: float


def measure(context: Context, name: str, size: int, runs: int) -> Row:
    """Times one module. What is printed and written has been parsed where there is a text."""
    module = module_of_size(context, name, size)
    data = bytecode.write(module, VERSION)
    count = sum(1 for _ in module.walk())
    parse: float | None = None
    print_: float | None = None
    if size <= LARGEST_TEXT:
        text = print_module(module)
        del module
        parse = microseconds(lambda: Parser(context, text).parse_module(), runs) / count
        module = Parser(context, text).parse_module()
        print_ = microseconds(lambda: print_module(module), runs) / count
    read = microseconds(lambda: bytecode.read(data), runs) / count
    write = microseconds(lambda: bytecode.write(module, VERSION), runs) / count
    return Row(count, len(data), parse, read, print_, write)


def memory(data: bytes) -> tuple[int, float, float]:
    """Bytes of the module in `data`; the peaks of reading and of writing it, relative to that."""
    gc.collect()
    tracemalloc.start()
    module = bytecode.read(data)
    _, read_peak = tracemalloc.get_traced_memory()
    gc.collect()
    baseline, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    bytecode.write(module, VERSION)
    _, write_peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return baseline, read_peak / baseline, write_peak / baseline


def cell(value: float | None, form: str) -> str:
    """A number, or a dash."""
    return "-" if value is None else format(value, form)


def main() -> None:
    """Measures and prints the tables."""
    args = parse_runs(__doc__, 3)
    measures: dict[str, Kind] = dict.fromkeys(("parse", "read", "print", "write"), "time")
    recorder = Recorder("bytecode", {**measures, "bytes": "count"})
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    print(f"{'microseconds per op':<20}{'ops':>9}{'parse':>8}{'read':>8}{'ratio':>8}", end="")
    print(f"{'print':>8}{'write':>8}{'ratio':>8}{'bytes/op':>10}")
    for name in NAMES:
        for size in SIZES:
            row = measure(context, name, size, args.runs)
            times = [row.parse, row.read, row.print, row.write]
            recorder.add(f"{name}, {size:,} ops", [*times, row.file_bytes])
            reading = None if row.parse is None else row.parse / row.read
            writing = None if row.print is None else row.print / row.write
            print(
                f"{name:<20}{row.operations:>9,}"
                f"{cell(row.parse, '.0f'):>8}{row.read:>8.1f}{cell(reading, '.1f'):>8}"
                f"{cell(row.print, '.0f'):>8}{row.write:>8.1f}{cell(writing, '.1f'):>8}"
                f"{row.file_bytes / row.operations:>10.1f}",
                flush=True,
            )
    print(f"\n{'memory':<20}{'file':>10}{'module':>12}{'reading':>10}{'writing':>10}")
    for name in NAMES:
        data = bytecode.write(module_of_size(context, name, MEMORY_SIZE), VERSION)
        baseline, read_peak, write_peak = memory(data)
        print(f"{name:<20}{len(data):>10,}{baseline:>12,}{read_peak:>10.2f}{write_peak:>10.2f}")
    recorder.write(args.json)


if __name__ == "__main__":
    main()
