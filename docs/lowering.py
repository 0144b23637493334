"""Writes `docs/lowering/*.md`: one op in, instructions out, for each folder of the last conversion.

`python -m docs.lowering` compiles kernels of the zoo, gives one op of each a location of its own
before `convert-tileas-to-llvm`, and shows the PTX that has this location.
"""

import io
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.universe import Universe

from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass
from tileir_xdsl.transforms.tileas_select_lowering.selection import select_lowering

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "docs" / "lowering"
MOST_LINES = 40
"""Of longer programs the rest is counted."""
OF_THE_OP, OF_OTHERS = 1, 2
"""Line numbers of locations."""


@dataclass(frozen=True)
class Room:
    """A folder of the last conversion, and the op that shows what it does."""

    name: str
    about: str
    kernel: str
    gpu: str
    op: str
    reason: str


ROOMS = (
    Room(
        "thread",
        "Code in this folder builds the program of one thread: its values, registers, and issuers.",
        "divisible/matmul_f16_warpgroup",
        "sm_90a",
        "nv_tileas.async.tiled_tma_store",
        "One thread issues a bulk copy or a `tcgen05` MMA: from sm_90 on, the lane that "
        "`elect.sync` elects in the first warp. With `elect.sync` ptxas keeps descriptors in "
        "uniform registers. Before sm_90, thread 0 is the issuer. An attribute of the op names the "
        "issuer (`thread/elected_thread.py`).",
    ),
    Room(
        "arithmetic",
        "Arithmetic of integers and floats: one computation for every register of a thread.",
        "attention",
        "sm_90a",
        "arith.ceildivsi",
        "A division takes 30 or more instructions, but few if the divisor is constant or shared by "
        "elements, or if ranges are known. `tileas-select-lowering` chooses how to divide, since "
        "the last conversion does not know ranges.",
    ),
    Room(
        "math",
        "Elementary functions, with the precision that the specification requires of each type.",
        "softmax_f32",
        "sm_90a",
        "nv_tileaa.exp",
        "Some f32 functions use an approximate instruction, if the specification or the op allows "
        "its error. Other functions use a polynomial of a reduced argument, within the bounds of "
        "[numerics](../numerics.md#measured-errors).",
    ),
    Room(
        "shared_memory",
        "Buffers, staging, mbarriers, pipelines, and exchanges between layouts.",
        "matmul_f16",
        "sm_80",
        "nv_tileas.convert_layout",
        "Elements that stay in their thread cost nothing. Elements that stay in their warp cost a "
        "shuffle for each word. Elements that change warps go through shared memory, with a "
        "barrier. The layouts before and after determine the strategy.",
    ),
    Room(
        "global_memory",
        "Addresses, bounds, memory order, atomics, and asynchronous copies.",
        "vector_add",
        "sm_90a",
        "nv_tileas.tiled_load",
        "The atom of an access names its width, and whether the access is a bulk copy.",
    ),
    Room(
        "mma",
        "Dots on the target's matrix units, or by fused multiply-adds.",
        "divisible/matmul_f16_warpgroup",
        "sm_90a",
        "nv_tileas.async.dot",
        "The atom names the instruction; the layout of the accumulator gives its shape. Each "
        "32 bytes along K take one instruction; matrix descriptors of later instructions are the "
        "first ones plus constants. `wgmma.fence` precedes the first instruction, since "
        "accumulators and operands are packed into registers before it.",
    ),
    Room(
        "tiles",
        "Ops on whole tiles: shapes, reductions, scans, packing, output.",
        "layer_norm",
        "sm_90a",
        "nv_tileas.reduce",
        "A reduction combines the registers of a thread, then lanes by butterfly shuffles, then "
        "warps through shared memory, by the exchange strategy on the op.",
    ),
    Room(
        "control",
        "Functions, structured control flow, agents and asynchronous values.",
        "attention",
        "sm_90a",
        "scf.for",
        "Structured control flow becomes blocks and branches. One thread alone executes a loop of "
        "MMAs in tensor memory if no op in the loop needs other threads "
        "(`control/tcgen05_mma_loops.py`).",
    ),
)


def page(room: Room) -> str:
    """The page of one folder."""
    module = read(room.kernel)
    op, report = selected(module, room)
    lines = list(instructions(module, room))
    return "\n\n".join(
        (
            f"# `{room.name}`",
            _filled(room.about),
            "Written by `python -m docs.lowering` from the compiler's output.",
            f"This op is from `tileir_xdsl/testing/kernels/{room.kernel}.mlir`, on {room.gpu}:",
            f"```mlir schematic\n{op}\n```",
            f"This PTX replaces the op{_shortened(lines)}:",
            "```\n" + "\n".join(lines[:MOST_LINES]) + "\n```",
            _filled(room.reason) + f"\n{report}",
        )
    )


def _filled(text: str) -> str:
    return textwrap.fill(text, 110, break_long_words=False, break_on_hyphens=False)


def _shortened(lines: Sequence[str]) -> str:
    rest = len(lines) - MOST_LINES
    return "" if rest <= 0 else f" ({rest} more lines are left out)"


def read(kernel: str) -> ModuleOp:
    """A kernel of the zoo."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    path = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / f"{kernel}.mlir"
    return Parser(context, path.read_text("utf-8"), str(path)).parse_module()


def selected(module: ModuleOp, room: Room) -> tuple[str, str]:
    """Takes a kernel to the last conversion; the text of the op, and how it was selected."""
    context, report = Context(), ""
    for module_pass in passes(room.gpu):
        if isinstance(module_pass, ConvertTileASToLLVMPass):
            break
        if isinstance(module_pass, TileASSelectLoweringPass):
            report = _considered(module, room)
        module_pass.apply(context, module)
    return _text(_op_of(module, room)), report


def _op_of(module: ModuleOp, room: Room) -> Operation:
    return next(op for op in module.walk() if op.name == room.op)


def _text(op: Operation) -> str:
    """The first line of an op."""
    text = io.StringIO()
    Printer(text).print_op(op)
    first, _, _ = text.getvalue().partition("\n")
    return re.sub(r"%(\d+)", r"%v\1", first.removesuffix(" {")) if op.regions else first


def _considered(module: ModuleOp, room: Room) -> str:
    """What a selection considered, as a table."""
    op = _op_of(module, room)
    selections = select_lowering(module, target_or_default(module), {}).get(op, ())
    return "".join(_table(selection.facts_of_report()) for selection in selections)


def _table(considered: Mapping[str, Any]) -> str:
    rows: list[str] = []
    for facts in _tables(considered):
        rows += [f"| `{name}` | {cost:g} | |\n" for name, cost in facts["costs"].items()]
        rows += [f"| `{name}` | | {reason} |\n" for name, reason in facts["pruned"].items()]
    kind = next(kind for kind in ("issuer", "access", "strategy") if kind in considered)
    return f"\n| {kind} | cost | why not |\n|---|---:|---|\n" + "".join(rows)


PARTS = ("accesses", "agents", "exchanges")
"""What an op has several of, each with a strategy."""


def _tables(facts: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return next((facts[key] for key in PARTS if key in facts), (facts,))


def instructions(module: ModuleOp, room: Room) -> Iterator[str]:
    """Converts a kernel, and finds the instructions that one op becomes."""
    op = _op_of(module, room)
    # The body of a reduction is a part of it; that of a loop are ops of their own.
    inside = set(op.walk()) if isinstance(op, CollectiveOp) else {op}
    for other in module.walk():
        line = OF_THE_OP if other in inside else OF_OTHERS
        other.location = FileLineColLoc(StringAttr("k"), IntAttr(line), IntAttr(1))
    module.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()
    ConvertTileASToLLVMPass().apply(Context(), module)
    is_of_op, names = False, RegisterNames()
    for line in emit(module, room.gpu).splitlines():
        text = line.strip()
        if text.startswith(".loc"):
            is_of_op = text.split()[2] == str(OF_THE_OP)
        elif is_of_op and text and text != "}":
            yield REGISTER.sub(names, text)


REGISTER = re.compile(r"(%[a-z]+|\$L)(\d+)")


@dataclass
class RegisterNames:
    """Numbers registers and labels as they appear, so that a page changes with its own op alone."""

    known: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, match: re.Match[str]) -> str:
        count = sum(name.rstrip("0123456789") == match[1] for name in self.known)
        return self.known.setdefault(match[0], f"{match[1]}{count}")


def main() -> None:
    """Writes the pages."""
    FOLDER.mkdir(exist_ok=True)
    for room in ROOMS:
        (FOLDER / f"{room.name}.md").write_text(page(room), "utf-8")


if __name__ == "__main__":
    main()
