"""What each pass costs per op, and how that grows with the module.

`python -m bench.passes [RUNS]` repeats the entries of a kernel under new names until the module has
1,000 and 10,000 ops, lowers it, each pass timed on its own, and prints the medians in
microseconds of processor time per op of the pass's input. The goal for
`convert-cuda-tile-to-tileaa` and for `convert-tileaa-to-tileas` is at most 120 microseconds each,
the same at every size.
"""

import statistics
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from bench.framework.results import Kind, Recorder, parse_runs
from bench.framework.timing import seconds_of
from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.options import Options
from tileir_xdsl.transforms.pipeline_road import passes

KERNELS = Path(__file__).resolve().parents[1] / "tileir_xdsl" / "testing" / "kernels"
SIZES = (1_000, 10_000)
WHOLE_ROAD = "vector_add"
"""A kernel that every pass lowers."""
CONVERSIONS = ("attention", "softmax_f32", "matmul_f16")
"""Kernels with loops, reductions and matrix products, for the first two conversions."""


def parse(context: Context, name: str) -> ModuleOp:
    """The Tile IR of a kernel of the zoo."""
    return Parser(
        context, (KERNELS / f"{name}.mlir").read_text("utf-8"), f"{name}.mlir"
    ).parse_module()


def enlarge(module: ModuleOp, size: int) -> ModuleOp:
    """A module with at least `size` ops: copies of the entries of `module`."""
    large = module.clone()
    (holder,) = (op for op in large.walk() if isinstance(op, cuda_tile.ModuleOp))
    entries = [op for op in holder.body.block.ops if isinstance(op, cuda_tile.EntryOp)]
    block = holder.body.block
    per_copy = sum(1 for entry in entries for _ in entry.walk())
    for copy in range(size // per_copy):
        for entry in entries:
            clone = entry.clone()
            clone.properties["sym_name"] = StringAttr(f"{entry.sym_name.data}_{copy}")
            block.add_op(clone)
    return large


def measure(
    context: Context, module: ModuleOp, pipeline: Sequence[ModulePass], runs: int
) -> list[float]:
    """Median microseconds per op of each pass's input."""
    costs: list[list[float]] = [[] for _ in pipeline]
    for _ in range(runs):
        lowered = module.clone()
        for module_pass, times in zip(pipeline, costs, strict=True):
            count = sum(1 for _ in lowered.walk())
            taken = seconds_of(partial(module_pass.apply, context, lowered))
            times.append(1e6 * taken / count)
    return [statistics.median(times) for times in costs]


def main() -> None:
    """Measures and prints the table."""
    args = parse_runs(__doc__, 3)
    measures: dict[str, Kind] = {f"{size:,} ops": "time" for size in SIZES}
    recorder = Recorder("passes", measures)
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    print(f"{'microseconds per op':<56}" + "".join(f"{size:>9,}" for size in SIZES))
    for name, pipeline in [
        (WHOLE_ROAD, passes()),
        *((kernel, passes(options=Options(opt_level=0))[:2]) for kernel in CONVERSIONS),
    ]:
        module = parse(context, name)
        columns = [measure(context, enlarge(module, size), pipeline, args.runs) for size in SIZES]
        for module_pass, row in zip(pipeline, zip(*columns, strict=True), strict=True):
            label = f"{name}: {module_pass.name}"
            recorder.add(label, row)
            print(f"{label:<56}" + "".join(f"{cost:>9.1f}" for cost in row))
    recorder.write(args.json)


if __name__ == "__main__":
    main()
