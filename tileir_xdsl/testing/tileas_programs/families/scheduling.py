"""Back-end directives, generated tiles, shuffles, and requests of other tile blocks.

Only programs for machine code have ops of these kinds. A program requests another tile block at
most once. A second request after a failed one is undefined (PTX ISA,
`clusterlaunchcontrol.try_cancel`).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Block, Region

from tileir_xdsl.dialects.nv_tileaa import IsValidProgramIdOp
from tileir_xdsl.dialects.nv_tileas import (
    AsyncCancelNextProgramIdOp,
    CancelNextProgramIdOp,
    GenerateOp,
    PragmaOp,
    ShuffleOp,
    YieldOp,
)
from tileir_xdsl.dialects.nv_tileas.layout import register_layout, tile_layout
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing.tileas_programs.families.pointers import is_for_machine, numbered
from tileir_xdsl.testing.tileas_programs.scope import Row, Scope, type_of

_WITH_REQUESTS = ("sm_100a", "sm_120a")
"""Targets on which a tile block can request another one's work."""


def _pragma(s: Scope) -> None:
    """Encloses a few ops in a pragma, which yields their results."""
    body = s.child()
    for _ in range(s.integer(1, 2)):
        body.step()
    given = [body.tile() for _ in range(s.integer(0, 2))]
    body.add(YieldOp(given))
    directives = ("nounroll",) if s.chance(0.5) else ()
    types = [value.type for value in given]
    s.tiles += s.add(PragmaOp(types, Region(body.block), directives)).outputs


def _generate(s: Scope) -> None:
    """A tile computed from element indices, perhaps also from a number."""
    type_ = s.draft.tile(i32, s.draft.shape)
    if s.chance(0.5):
        s.tiles.append(numbered(s, type_, s.draft.scalar((-5, 3, 100))))
        return
    body = Block(arg_types=[i32] * len(s.draft.shape))
    first, second = body.args
    op = s.choose((arith.XOrIOp, arith.SubiOp, arith.MuliOp, arith.MaxSIOp))(first, second)
    body.add_ops([op, YieldOp([op.results[0]])])
    s.tiles.append(s.add(GenerateOp(type_, Region(body))).result)


def _shuffle(s: Scope) -> None:
    """Converts a tile to a layout that permutes elements among the lanes of each warp."""
    source = s.tile()
    type_ = type_of(source)
    layout = tile_layout(type_)
    assert layout is not None
    bits = [*layout.register, *layout.lane]
    s.draft.random.shuffle(bits)
    count = len(layout.register)
    moved = LinearLayout(
        tuple(bits[:count]), tuple(bits[count:]), layout.warp, layout.block, layout.shape
    )
    result = TensorType(type_.element_type, type_.get_shape(), register_layout(moved))
    s.tiles.append(s.add(ShuffleOp(source, result)).result)


def _ask_for_a_tile_block(s: Scope) -> None:
    s.draft.has_request = True
    if s.chance(0.5):
        answer = s.add(CancelNextProgramIdOp()).result
    else:
        work = s.add(AsyncCancelNextProgramIdOp()).result
        s.step()
        answer = s.wait(work)
    s.flags.append(s.add(IsValidProgramIdOp(answer)).result)


def _may_ask(s: Scope) -> bool:
    is_new = not s.draft.has_request and s.draft.target in _WITH_REQUESTS
    return is_for_machine(s) and is_new and s.parent is None


def _has_layouts(s: Scope) -> bool:
    return is_for_machine(s) and s.draft.assigned


def _is_shallow(s: Scope) -> bool:
    return is_for_machine(s) and s.depth < 2


ROWS = (
    Row(1, _pragma, _is_shallow),
    Row(1, _generate, is_for_machine),
    Row(1.5, _shuffle, _has_layouts),
    Row(2, _ask_for_a_tile_block, _may_ask),
)
