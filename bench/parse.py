"""Parsing and verifying text: what an op of `cuda_tile` costs next to one of `arith`.

`python -m bench.parse [RUNS]` reads modules of 1,000 to 10,000 ops. It prints medians of RUNS runs,
in microseconds of processor time per op without the garbage collector's, and their ratio to those
of `arith`, which stock xDSL parses in the syntax that its definitions declare. The first row of
`cuda_tile` has the same ops as the module of `arith`, on tiles in place of tensors; the others are
copies of the entries of kernels. The goal is a ratio of at most 1.5 at 5,000 ops, and the same time
per op at every size.
"""

import io
import statistics
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from bench.framework.results import Kind, Recorder, parse_runs
from bench.framework.timing import seconds_of
from bench.passes import enlarge
from tileir_xdsl.dialects.cuda_tile import CudaTile

KERNELS = Path(__file__).resolve().parents[1] / "tileir_xdsl" / "testing" / "kernels"
NAMES = ("vector_add", "layer_norm", "attention")
SIZES = (1_000, 5_000, 10_000)
FUNCTION = 100
"""Ops of one function of the modules of `arith` ops."""

TENSOR_BODY = """\
%c{n} = arith.constant dense<{n}> : tensor<8x64xi32>
%i{n} = arith.addi %c{n}, %b : tensor<8x64xi32>
%j{n} = arith.muli %i{n}, %b : tensor<8x64xi32>
%k{n} = arith.andi %i{n}, %j{n} : tensor<8x64xi32>
%l{n} = arith.maxsi %k{n}, %j{n} : tensor<8x64xi32>
%x{n} = arith.addf %a, %a : tensor<8x64xf32>
%y{n} = arith.mulf %x{n}, %a : tensor<8x64xf32>
%z{n} = arith.divf %y{n}, %x{n} : tensor<8x64xf32>
%v{n} = arith.negf %z{n} : tensor<8x64xf32>
%w{n} = arith.subf %v{n}, %a : tensor<8x64xf32>
"""
TILE_BODY = """\
%c{n} = constant <i32: {n}> : tile<8x64xi32>
%i{n} = addi %c{n}, %b : tile<8x64xi32>
%j{n} = muli %i{n}, %b : tile<8x64xi32>
%k{n} = andi %i{n}, %j{n} : tile<8x64xi32>
%l{n} = maxi %k{n}, %j{n} signed : tile<8x64xi32>
%x{n} = addf %a, %a : tile<8x64xf32>
%y{n} = mulf %x{n}, %a : tile<8x64xf32>
%z{n} = divf %y{n}, %x{n} : tile<8x64xf32>
%v{n} = negf %z{n} : tile<8x64xf32>
%w{n} = subf %v{n}, %a : tile<8x64xf32>
"""


def functions(body: str, size: int) -> list[str]:
    """The bodies of enough functions for `size` ops."""
    copies = FUNCTION // body.count("\n")
    text = "".join(body.format(n=n) for n in range(copies))
    return [text] * (size // FUNCTION)


def arith_text(size: int) -> str:
    """A module of about `size` ops of `arith`."""
    return "".join(
        f"func.func @f{n}(%a: tensor<8x64xf32>, %b: tensor<8x64xi32>) {{\n{text}func.return\n}}\n"
        for n, text in enumerate(functions(TENSOR_BODY, size))
    )


def tile_text(size: int) -> str:
    """The same module of `cuda_tile`."""
    items = (
        f"experimental$func @f{n}(%a: tile<8x64xf32>, %b: tile<8x64xi32>) {{\n{text}return\n}}\n"
        for n, text in enumerate(functions(TILE_BODY, size))
    )
    return f"cuda_tile.module @m {{\n{''.join(items)}}}\n"


def kernel_text(context: Context, name: str, size: int) -> str:
    """A module of about `size` ops: copies of the entry of a kernel."""
    module = Parser(context, (KERNELS / f"{name}.mlir").read_text("utf-8")).parse_module()
    stream = io.StringIO()
    Printer(stream).print_op(enlarge(module, size))
    return stream.getvalue()


def measure(context: Context, text: str, runs: int) -> float:
    """Median microseconds per op of parsing and verifying."""
    modules: list[ModuleOp] = []

    def read() -> None:
        modules[:] = [Parser(context, text).parse_module()]
        modules[0].verify()

    taken = [seconds_of(read) for _ in range(runs)]
    return 1e6 * statistics.median(taken) / sum(1 for _ in modules[0].walk())


def main() -> None:
    """Measures and prints the table."""
    args = parse_runs(__doc__, 1)
    measures: dict[str, Kind] = {f"{size:,} ops": "time" for size in SIZES}
    recorder = Recorder("parse", measures)
    context = Context()
    for dialect in (builtin.Builtin, func.Func, arith.Arith, CudaTile):
        context.load_dialect(dialect)
    print(f"{'microseconds per op (ratio)':<28}" + "".join(f"{size:>16,}" for size in SIZES))
    baseline = {size: measure(context, arith_text(size), args.runs) for size in SIZES}
    recorder.add("arith", list(baseline.values()))
    print(f"{'arith':<28}" + "".join(f"{baseline[size]:>16.1f}" for size in SIZES))
    for label in ("cuda_tile, the same ops", *NAMES):
        line, costs = f"{label:<28}", list[float]()
        for size in SIZES:
            text = kernel_text(context, label, size) if label in NAMES else tile_text(size)
            cost = measure(context, text, args.runs)
            costs.append(cost)
            line += f"{cost:>9.1f} ({cost / baseline[size]:.2f})"
        recorder.add(label, costs)
        print(line)
    recorder.write(args.json)


if __name__ == "__main__":
    main()
