"""What layouts cost: queries, conversions and wavefronts of the kernels, and the passes per op.

`python -m bench.layouts [queries | kernels | passes]` prints one table, or all three:

- queries of the layout algebra on a 128 x 128 tile, in microseconds; the goal is 300 each;
- the conversions of every kernel of the zoo before and after `tileas-remove-layout-conversions`, by
  what each takes: registers renamed, shuffles, or a store to shared memory and a load; and the
  wavefronts of one warp for all of those, in parentheses per access: with a row-major scratch
  image, and with the one that is planned, where a plan counts accesses too;
- each pass of the layout and buffer family on modules of growing size, in microseconds of processor
  time per op of its input; the goal is 150 at every size.
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import Universe
from xdsl.utils.exceptions import PassFailedException

from bench.framework.results import Kind, Recorder
from bench.framework.timing import seconds_of
from bench.passes import KERNELS, enlarge, parse
from tileir_xdsl.analysis.layouts.direct_conversion import is_register_tile
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.layouts.transfer import backward, forward
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa import BroadcastOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.layout import linear_layout, register_layout, tile_layout
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import matrix_access, vector_access
from tileir_xdsl.layout.constructors import (
    blocked,
    mma_accumulator,
    mma_operand_a,
    wgmma_accumulator,
)
from tileir_xdsl.layout.conversion import RenamePlan, plan_conversion
from tileir_xdsl.layout.cute import SWIZZLE_128B
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.reindexing import carry_layout
from tileir_xdsl.layout.scratch import SharedMemoryPlan
from tileir_xdsl.layout.shared import SharedLayout, shared, tma_boxes
from tileir_xdsl.layout.shuffles import ShufflePlan
from tileir_xdsl.targets import DEFAULT_TARGET, Feature, get_target

TILE = (128, 128)
REPETITIONS = 50

LOWERING = "convert-cuda-tile-to-tileaa,convert-tileaa-to-tileas,tileas-assign-load-store-layouts"
STMATRIX = Feature.STMATRIX in get_target(DEFAULT_TARGET).features
REMOVAL = "tileas-remove-layout-conversions"
FAMILY = (
    "tileas-assign-load-store-layouts",
    "tileas-remove-layout-conversions",
    "tileas-remove-buffer-alias",
    "tileas-remove-dead-args",
    "tileas-resolve-agent-boundary",
    "tileas-slicing",
)
SIZES = (1_000, 5_000, 20_000)
ENLARGED = ("attention", "softmax_f32", "matmul_f16", "layer_norm")
"""Kernels that the passes are timed on."""


def context() -> Context:
    """A context with every dialect."""
    result = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        result.register_dialect(name, factory)
    return result


def passes(pipeline: str) -> tuple[ModulePass, ...]:
    """The passes of a pipeline as after `xdsl-opt -p`."""
    return PassPipeline.parse_spec(Universe.get_multiverse().all_passes, pipeline).passes


def queries() -> dict[str, Callable[[], object]]:
    """The questions that passes ask of layouts, on tiles of real kernels."""
    row_major = blocked(TILE, 8, 4)
    accumulator = mma_accumulator(TILE, (2, 2))
    operand = mma_operand_a(TILE, (2, 2), 16)
    wide = wgmma_accumulator(TILE, (1, 1))
    staging_layout = shared(TILE, 16, SWIZZLE_128B)
    addresses = staging_layout.address_map()
    cute = accumulator.to_cute()
    encoding = register_layout(accumulator)
    (broadcast,) = (op for op in parse_broadcast().walk() if isinstance(op, BroadcastOp))
    rows = backward(broadcast, accumulator)
    assert rows is not None
    return {
        "evaluate: the element of a place": partial(accumulator.element, 5, 17, 3),
        "invert: the place of an element": partial(accumulator.holder, 9999),
        "compose two maps": partial(f2.compose, addresses.bases, accumulator.bases()),
        "solve": partial(f2.solve, accumulator.bases(), 9999),
        "rank": partial(f2.rank, operand.bases()),
        "kernel": partial(f2.kernel, operand.bases()),
        "linear map to shape:stride": accumulator.to_cute,
        "shape:stride to linear map": partial(LinearLayout.from_cute, cute, TILE),
        "layout of a type": partial(tile_layout, broadcast.result.type),
        "encoding of a layout": partial(register_layout, accumulator),
        "print an encoding": partial(str, encoding),
        "construct: blocked": partial(blocked, TILE, 8, 4),
        "construct: mma accumulator": partial(mma_accumulator, TILE, (2, 2)),
        "construct: mma operand A": partial(mma_operand_a, TILE, (2, 2), 16),
        "construct: swizzled image": partial(shared, TILE, 16, SWIZZLE_128B),
        "construct: TMA boxes": partial(tma_boxes, TILE, 16, SWIZZLE_128B),
        "image to addresses": staging_layout.address_map,
        "addresses to image": partial(SharedLayout.from_address_map, addresses, TILE),
        "vector width": row_major.vector_width,
        "plain access and its wavefronts": lambda: vector_access(accumulator, addresses).wavefronts,
        "ldmatrix access and its wavefronts": partial(matrix_access, operand, addresses),
        "through a broadcast, backward": partial(backward, broadcast, accumulator),
        "through a broadcast, forward": partial(forward, broadcast, rows),
        "plan: rename": partial(plan_conversion, accumulator, operand, 16),
        "plan: shuffle": partial(plan_conversion, blocked((256,), 2, 1), blocked((256,), 4, 1), 16),
        "plan: shared memory": partial(plan_conversion, row_major, accumulator, 16),
        "plan: shared memory with stmatrix": partial(
            plan_conversion, wide, row_major, 16, stmatrix=True
        ),
    }


def parse_broadcast() -> ModuleOp:
    """A module with one broadcast of a column along the rows of a tile."""
    layout = register_layout(mma_accumulator(TILE, (2, 2)))
    return Parser(
        context(),
        f"""
%a = "test.op"() : () -> tensor<128x1xf32>
%b = nv_tileaa.broadcast %a : tensor<128x1xf32> -> tensor<128x128xf32, {layout}>
""",
    ).parse_module()


CACHES = (linear_layout, register_layout, carry_layout)
"""Queries that remember their answers: passes ask about the few layouts of a program many times."""


def microseconds(query: Callable[[], object]) -> tuple[float, float]:
    """The median time of a query that is asked for the first time, and again."""
    first: list[float] = []
    again: list[float] = []
    for _ in range(REPETITIONS):
        for cache in CACHES:
            cache.cache_clear()
        for times in (first, again):
            start = time.perf_counter()
            query()
            times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(first), 1e6 * statistics.median(again)


def print_queries() -> Recorder:
    """The first table."""
    recorder = Recorder("layout queries", {"first time": "time", "again": "time"})
    print(f"{'query of the layout algebra, microseconds':<44}{'first time':>12}{'again':>12}")
    for name, query in queries().items():
        first, again = microseconds(query)
        recorder.add(name, [first, again])
        print(f"{name:<44}{first:>12.1f}{again:>12.1f}")
    return recorder


ROW_MAJOR, PLANNED = "row-major", "planned"
"""Scratch images: the elements in order, and the one that the conversion's plan chooses."""


def cost_of(op: nv_tileas.ConvertLayoutOp) -> Counter[str]:
    """One conversion, its plan, and for each image the wavefronts and accesses of one warp."""
    source, target = layout_of(op, op.source), layout_of(op, op.result)
    assert source is not None and target is not None
    bits = 8 * element_bytes(tile_shape(op.source.type).element)
    plan = plan_conversion(source, target, bits, stmatrix=STMATRIX)
    match plan:
        case RenamePlan():
            return Counter({"all": 1, "renamed": 1})
        case ShufflePlan():
            return Counter({"all": 1, "shuffled": 1})
        case SharedMemoryPlan():
            row_major = shared(source.shape, bits).address_map()
            cost = Counter({"all": 1, "stored": 1})
            for staging, accesses in (
                (ROW_MAJOR, [vector_access(side, row_major) for side in (source, target)]),
                (PLANNED, [plan.store, plan.load]),
            ):
                cost[f"{staging} wavefronts"] = sum(access.wavefronts for access in accesses)
                cost[f"{staging} accesses"] = sum(access.instructions for access in accesses)
            return cost


COUNTS = ("all", "renamed", "shuffled", "stored")
STAGING_COUNTS = tuple(
    f"{staging} {what}" for staging in (ROW_MAJOR, PLANNED) for what in ("wavefronts", "accesses")
)


def fields(cost: Counter[str]) -> list[str]:
    """The columns of the table for the sum of the costs of some conversions."""
    result = [str(cost[count]) for count in COUNTS]
    for staging in (ROW_MAJOR, PLANNED):
        wavefronts, accesses = (
            cost[f"{staging} wavefronts"],
            cost[f"{staging} accesses"],
        )
        result.append(f"{wavefronts} ({wavefronts / accesses:.1f})" if accesses else "0")
    return result


def conversion_costs(module: ModuleOp) -> Counter[str]:
    """The sum of the costs of all conversions of a module between registers."""
    conversions = (
        op
        for op in module.walk()
        if isinstance(op, nv_tileas.ConvertLayoutOp)
        # Others move a tile to a buffer, which is no exchange between threads.
        and is_register_tile(op.source.type)
        and is_register_tile(op.result.type)
    )
    return sum(map(cost_of, conversions), Counter[str]())


def apply(pipeline: str, ctx: Context, module: ModuleOp) -> None:
    """Runs passes on a module."""
    for module_pass in passes(pipeline):
        module_pass.apply(ctx, module)


def print_kernels() -> Recorder:
    """The second table: kernels without conversions are left out, and counted at its end."""
    ctx = context()
    measures: dict[str, Kind] = dict.fromkeys((*COUNTS, *STAGING_COUNTS), "count")
    recorder = Recorder("layout conversions", measures)
    heads = (*COUNTS, ROW_MAJOR, PLANNED)
    print(f"{'conversions':<25}" + "".join(f"{head:>{width}}" for head, width in columns(heads)))
    without = 0
    total_before, total_after = Counter[str](), Counter[str]()
    for path in sorted(KERNELS.glob("*.mlir")):
        module = parse(ctx, path.stem)
        try:
            apply(LOWERING, ctx, module)
        except PassFailedException:
            # Kernels for newer targets than the default one.
            continue
        before = conversion_costs(module)
        apply(REMOVAL, ctx, module)
        after = conversion_costs(module)
        total_before += before
        total_after += after
        recorder.add(path.stem, [after[measure] for measure in measures])
        if before:
            print_costs(path.stem, before, after)
        else:
            without += 1
    print_costs("all", total_before, total_after)
    print(f"{without} kernels have no conversion to begin with")
    return recorder


def columns(texts: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Texts with the widths of their columns."""
    return zip(texts, (12, 12, 12, 12, 28, 28), strict=True)


def print_costs(name: str, before: Counter[str], after: Counter[str]) -> None:
    """One line: the costs before and after."""
    pairs = [f"{x} -> {y}" for x, y in zip(fields(before), fields(after), strict=True)]
    print(f"{name:<25}" + "".join(f"{text:>{width}}" for text, width in columns(pairs)))


def costs(ctx: Context, module: ModuleOp, pipeline: Sequence[ModulePass]) -> list[float]:
    """Microseconds of processor time per op of each pass's input, without the garbage collector."""
    result: list[float] = []
    for module_pass in pipeline:
        count = sum(1 for _ in module.walk())
        result.append(1e6 * seconds_of(partial(module_pass.apply, ctx, module)) / count)
    return result


def print_passes() -> Recorder:
    """The third table."""
    measures: dict[str, Kind] = {f"{size:,} ops": "time" for size in SIZES}
    recorder = Recorder("layout passes", measures)
    ctx = context()
    print(f"{'microseconds per op':<60}" + "".join(f"{size:>9,}" for size in SIZES))
    before = passes("convert-cuda-tile-to-tileaa,convert-tileaa-to-tileas")
    family = passes(",".join(FAMILY))
    for kernel in ENLARGED:
        module = parse(ctx, kernel)
        measured = [costs(ctx, enlarge(module, size), (*before, *family)) for size in SIZES]
        rows = list(zip(*measured, strict=True))[len(before) :]
        for module_pass, row in zip(family, rows, strict=True):
            label = f"{kernel}: {module_pass.name}"
            recorder.add(label, row)
            print(f"{label:<60}" + "".join(f"{cost:>9.1f}" for cost in row))
    return recorder


TABLES: dict[str, Callable[[], Recorder]] = {
    "queries": print_queries,
    "kernels": print_kernels,
    "passes": print_passes,
}


def main() -> None:
    """Prints the tables that were asked for, or all."""
    parser = argparse.ArgumentParser(description="What layouts cost.")
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], metavar="TABLE")
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="a file for each table there")
    args = parser.parse_args()
    for name in args.tables or TABLES:
        recorder = TABLES[name]()
        recorder.write(args.json and args.json / f"{name}.json")


if __name__ == "__main__":
    main()
