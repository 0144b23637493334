"""Writes `docs/conversion.md`, the op by op tables of the first two conversions.

`python -m docs.conversion` converts the texts that show every op of `cuda_tile` and the kernels of
the zoo, and lists, for each op, the ops that its pattern put in its place. What
`convert-tileaa-to-tileas` makes of an op is in its tables.
"""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.universe import Universe

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.rewriting import Conversion
from tileir_xdsl.targets import DEFAULT_TARGET, get_target
from tileir_xdsl.transforms import convert_tileaa_to_tileas
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import convert
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.populators import POPULATORS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.singletons import SINGLETONS
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa.types import type_converter

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "conversion.md"
SOURCES = (
    "tests/filecheck/dialects/cuda_tile/ops_*.mlir",
    "tests/filecheck/transforms/convert-cuda-tile-to-tileaa*.mlir",
    "tileir_xdsl/testing/kernels/*.mlir",
)
GROUPS = (
    *((name, (populate,)) for name, populate in zip("ABC", POPULATORS, strict=True)),
    ("alone", SINGLETONS),
)
STRUCTURED: dict[type[Operation], str] = {
    cuda_tile.ForOp: "`scf.for`, or `scf.while` where it is left early",
    cuda_tile.IfOp: "`scf.if`",
    cuda_tile.LoopOp: "`scf.while`",
    cuda_tile.BreakOp: "converted with its loop",
    cuda_tile.ContinueOp: "converted with its loop",
    cuda_tile.FPowFOp: "read as `pow`",
    cuda_tile.TokenJoinOp: "read as `join_tokens`",
}
"""Ops without a pattern of their own."""

HEADER = """# From cuda_tile to nv_tileaa, op by op

This table lists the ops that replace each op of `cuda_tile`. Written by `python -m docs.conversion`
from the output of the patterns. `A`, `B` and `C` are the populators that add the patterns, in this
order; `alone` marks patterns outside of the populators. Control flow is converted to `scf` before
types are converted. An op whose result equals its operand is replaced by this operand.

The option `compute-capability` names the target (`90`, `sm_90`, `sm_90a`). By default the target is
that of the module, or sm_90a. Types that a named target lacks are errors: 8-bit floats before
sm_89, scale factors and 4-bit floats before sm_100 (`tileir_xdsl/targets/tile_ir.py`). The option
`patterns` names a file of PDL patterns for ops that no other pattern converts:

<!-- schematic -->

    xdsl-opt FILE -p 'convert-cuda-tile-to-tileaa{compute-capability=sm_100a patterns="my.mlir"}'

| cuda_tile | group | becomes |
|---|---|---|
"""

SECOND_HEADER = """
## From nv_tileaa to nv_tileas, op by op

Ops that access memory, change layouts, or use matrix units or queues become ops of `nv_tileas` with
the same attributes; copy and reduce atoms are kept. Dots on tensor cores get an atom of the
module's target, and are asynchronous if these cores are. Dots computed by fused multiply-adds get
no atom. Ops that compute the offset of a slice remain only if the offset is not constant.

| nv_tileaa | becomes |
|---|---|
"""


@dataclass
class RecordingConversion(Conversion):
    """A conversion that notes which ops took the place of which."""

    replacements: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def replace(
        self,
        rewriter: PatternRewriter,
        op: Operation,
        new_ops: Operation | Sequence[Operation],
        results: Sequence[SSAValue | None] | None = None,
    ) -> None:
        seen = self.replacements.setdefault(op.name, [])
        for new_op in (new_ops,) if isinstance(new_ops, Operation) else new_ops:
            if new_op.name not in seen:
                seen.append(new_op.name)
        super().replace(rewriter, op, new_ops, results)


def modules() -> Iterator[ModuleOp]:
    """All modules that the table is made from."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    for pattern in SOURCES:
        for path in sorted(REPOSITORY.glob(pattern)):
            for text in path.read_text("utf-8").split("// -----"):
                yield Parser(context, text, str(path)).parse_module()


@cache
def replacements() -> dict[str, list[str]]:
    """For each op's name, the names of the ops that stood in its place somewhere."""
    found: dict[str, list[str]] = {}
    for module in modules():
        recording = RecordingConversion(type_converter(), replacements=found)
        convert(module, get_target(DEFAULT_TARGET), recording)
    return found


def groups() -> dict[str, str]:
    """The group that each op's pattern belongs to."""
    conversion, target = Conversion(type_converter()), get_target(DEFAULT_TARGET)
    return {
        op.name: group
        for group, populators in GROUPS
        for populate in populators
        for op in populate(conversion, target)
    }


def page() -> str:
    """The text of the page."""
    produced, group_of = replacements(), groups()
    rows: list[str] = []
    for op in cuda_tile.CudaTile.operations:
        becomes = STRUCTURED.get(op) or ", ".join(f"`{name}`" for name in sorted(produced[op.name]))
        rows.append(f"| `{op.name}` | {group_of.get(op.name, 'structure')} | {becomes} |\n")
    return HEADER + "".join(rows) + second_table()


def second_table() -> str:
    """The part of the page on `convert-tileaa-to-tileas`."""
    converted = convert_tileaa_to_tileas.counterparts()
    rows: list[str] = []
    stays: list[str] = []
    for op in nv_tileaa.NVTileAA.operations:
        if op in converted:
            becomes = ", ".join(f"`{new_op.name}`" for new_op in converted[op])
            rows.append(f"| `{op.name}` | {becomes} |\n")
        else:
            stays.append(f"`{op.name.removeprefix('nv_tileaa.')}`")
    legality_of = textwrap.fill(
        f"These ops of `nv_tileaa` stay: {', '.join(stays)}.",
        100,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{SECOND_HEADER}{''.join(rows)}\n{legality_of}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
