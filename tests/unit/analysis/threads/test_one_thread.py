"""Which producers one thread can run: those that bulk copies fill, and nothing else."""

import pytest

from tests.unit.transforms.dot_loops import A_TILE
from tileir_xdsl.analysis.threads import one_thread
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.testing import tools

PIPE = "nv_tileas.async.pipeline"
TOKEN, ITERATOR = f"!{PIPE}.producer_token", f"!{PIPE}.iterator<{A_TILE}>"
REGISTERS = A_TILE.replace(", #nv_tileas.memory<smem>", "")
BULK = (
    "%v = nv_tileas.async.tiled_tma_load %map, %b[%i, %i], %m {atom = #nv_tileas<atom tma_load_2d>} "
    f": !nv_tileas.tma_desc, {A_TILE}, index, index, !nv_tileaa.mem_token -> !async.value<{A_TILE}>\n"
)
STORED = f"%s = nv_tileas.convert_layout %x : {REGISTERS} -> {A_TILE}\n"
LOADED = f"%l = nv_tileas.copy %other : {A_TILE} -> {REGISTERS}\n"

PRODUCERS = {
    # What the region does, what it yields: whether one thread runs it, whether threads write.
    "bulk copies": (BULK, "%b", True, False),
    "bulk copies, next to a tile in registers": (BULK + LOADED, "%b", False, True),
    "bulk copies, and a tile that threads store": (BULK + STORED, "%s", False, True),
    "a tile that threads store": (STORED, "%s", False, True),
    "a buffer that is elsewhere": ("", "%other", False, True),
    "a bulk copy elsewhere": (BULK.replace("%b[", "%other["), "%b", False, True),
    "nothing": ("", "%b", False, True),
}


@pytest.mark.parametrize("name", PRODUCERS)
def test_producers(name: str):
    body, yielded, one_runs_it, threads_write = PRODUCERS[name]
    module = tools.parse(f"""
    %t, %it, %map, %m, %i = "test.op"() : () -> ({TOKEN}, {ITERATOR}, !nv_tileas.tma_desc, !nv_tileaa.mem_token, index)
    %x, %other = "test.op"() : () -> ({REGISTERS}, {A_TILE})
    %p = {PIPE}.produce_one %t, %it {{producer_types = [{A_TILE}]}} : ({TOKEN}, {ITERATOR}) -> {TOKEN} {{
    ^bb0(%b : {A_TILE}):
      {body}
      {PIPE}.yield {yielded} : {A_TILE}
    }}
    """)
    (op,) = (op for op in module.walk() if isinstance(op, ProduceOp))
    regions_too = one_thread.is_scalar(op) and one_thread.can_run_in_one_thread(op.body)
    assert regions_too == one_runs_it
    assert one_thread.writes_by_threads(op) == threads_write
    assert one_thread.fills_by_copies(op) == one_runs_it
