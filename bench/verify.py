"""Verifying: what an op of `nv_tileas` costs next to one of `arith`.

`python -m bench.verify [RUNS]` converts kernels of the zoo to `nv_tileas`, repeated until they have
5,000 ops, verifies all ops of either dialect that take operands, RUNS times in turns, and prints
the medians in microseconds of processor time per op without the garbage collector's. Most ops of
`nv_tileas` are verified once for each signature, so the ops are, as between passes, ones whose like
was seen before. The goal is a ratio of at most 1.5 over all kernels together.
"""

import gc
import statistics
import sys
import time
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.universe import Universe

from bench.passes import enlarge, parse
from tileir_xdsl.rewriting import dialect_name
from tileir_xdsl.transforms.tileir_pipeline import passes

NAMES = ("attention", "softmax_f32", "matmul_f16", "cat_extract", "layer_norm")
"""Kernels with products, reductions and slices."""
SIZE = 5_000
DIALECTS = ("arith", "nv_tileas")


def converted(context: Context, name: str) -> ModuleOp:
    """Copies of a kernel after the first two conversions."""
    module = enlarge(parse(context, name), SIZE)
    for module_pass in passes(opt_level=0)[:2]:
        module_pass.apply(context, module)
    return module


def microseconds(ops: Sequence[Operation]) -> float:
    """The time of verifying each op, without those in its regions."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    for op in ops:
        op.verify(verify_nested_ops=False)
    elapsed = time.process_time() - start
    gc.enable()
    return 1e6 * elapsed / len(ops)


def main() -> None:
    """Measures and prints the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    groups: dict[str, dict[str, list[Operation]]] = {}
    everything: dict[str, list[Operation]] = {dialect: [] for dialect in DIALECTS}
    modules = {name: converted(context, name) for name in NAMES}
    for name, module in modules.items():
        groups[name] = {
            dialect: [op for op in module.walk() if dialect_name(op) == dialect and op.operands]
            for dialect in DIALECTS
        }
        for dialect, ops in groups[name].items():
            everything[dialect] += ops
    print(f"{'microseconds per op':<24}" + "".join(f"{d:>12}" for d in DIALECTS) + f"{'ratio':>12}")
    for name, group in [*groups.items(), ("all", everything)]:
        times: dict[str, list[float]] = {dialect: [] for dialect in DIALECTS}
        for _ in range(runs):
            for dialect in DIALECTS:
                times[dialect].append(microseconds(group[dialect]))
        base, other = (statistics.median(times[dialect]) for dialect in DIALECTS)
        print(f"{name:<24}{base:>12.1f}{other:>12.1f}{other / base:>12.2f}")


if __name__ == "__main__":
    main()
