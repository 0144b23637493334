"""Verifying: what an op of `nv_tileas` costs next to one of `arith`.

`python -m bench.verify [RUNS]` converts kernels of the zoo to `nv_tileas`, repeated until they have
5,000 ops, verifies all ops of either dialect that take operands, RUNS times in turns, and prints
the medians in microseconds of processor time per op without the garbage collector's. Most ops of
`nv_tileas` are verified once for each signature, so the ops are, as between passes, ones whose like
was seen before. The goal is a ratio of at most 1.5 over all kernels together.
"""

from collections.abc import Sequence
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.universe import Universe

from bench.framework.results import Recorder, parse_runs
from bench.framework.timing import medians, seconds_of
from bench.passes import enlarge, parse
from tileir_xdsl.options import Options
from tileir_xdsl.rewriting import dialect_name
from tileir_xdsl.transforms.convert_tileaa_to_tileas import ConvertTileAAToTileASPass
from tileir_xdsl.transforms.pipeline_road import passes

NAMES = ("attention", "softmax_f32", "matmul_f16", "cat_extract", "layer_norm")
"""Kernels with products, reductions and slices."""
SIZE = 5_000
DIALECTS = ("arith", "nv_tileas")


def converted(context: Context, name: str) -> ModuleOp:
    """Copies of a kernel at level `nv_tileas`."""
    module = enlarge(parse(context, name), SIZE)
    for module_pass in passes(options=Options(opt_level=0)):
        module_pass.apply(context, module)
        if isinstance(module_pass, ConvertTileAAToTileASPass):
            break
    return module


def microseconds(ops: Sequence[Operation]) -> float:
    """The time of verifying each op, without those in its regions."""

    def verify() -> None:
        for op in ops:
            op.verify(verify_nested_ops=False)

    return 1e6 * seconds_of(verify) / len(ops)


def main() -> None:
    """Measures and prints the table."""
    args = parse_runs(__doc__, 5)
    recorder = Recorder("verify", {"arith": "time", "nv_tileas": "time", "ratio": "time"})
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
        base, other = medians(
            {dialect: partial(microseconds, group[dialect]) for dialect in DIALECTS}, args.runs
        ).values()
        recorder.add(name, [base, other, other / base])
        print(f"{name:<24}{base:>12.1f}{other:>12.1f}{other / base:>12.2f}")
    recorder.write(args.json)


if __name__ == "__main__":
    main()
