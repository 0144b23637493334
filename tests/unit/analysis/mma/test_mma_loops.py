"""Which pipelines MMAs alone read: an MMA releases the stage whenever a thread has waited for it."""

from itertools import product

import pytest

from tests.unit.analysis.asynchronous_programs import CONSUMER, PIPE, PRODUCER
from tileir_xdsl.analysis.mma.mma_loops import pipelines_of_mmas
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools

SHARED = "tensor<128x128xf16, #nv_tileas.memory<smem>>"
STAGES = "tensor<2x128x128xf16, #nv_tileas.memory<smem>>"
ITERATOR = f"!{PIPE}.iterator<tile<128x128xf16, #nv_tileas.memory<smem>>>"
SUM = "tensor<128x128xf32>"

READERS = {
    "none": "",
    "mma": f"%d_NAME = nv_tileas.async.dot %stage, %k, %s {{atom = #nv_tileas<atom umma_f16_f16_f32>}} : {SHARED}, {SHARED}, {SUM} -> !async.value<{SUM}>",
    "threads": f"%t_NAME = nv_tileas.copy %stage : {SHARED} -> tensor<128x128xf16>",
}
PLACES: tuple[str, ...] = ("before", "then", "otherwise", "after")
"""Where the stage may be read: around a branch, and in its arms."""


def program(readers: dict[str, str]) -> nv_tileaa.FuncOp:
    """A function that waits for a stage, and reads it in some places."""
    at = {place: READERS[reader].replace("NAME", place) for place, reader in readers.items()}
    module = tools.parse(f"""
    nv_tileaa.func @f(%flag: i1, %s: {SUM}) {{
      %k = nv_tileas.alloc_tensor : {SHARED}
      %m = nv_tileas.alloc_tensor : {STAGES}
      %p, %c = {PIPE}.create_pipeline %m {{numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true}} : {STAGES} -> {PRODUCER}, {CONSUMER}
      %i = {PIPE}.create_iterator %c : {CONSUMER} -> {ITERATOR}
      %w = {PIPE}.consumer_wait %c, %i {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
      %read, %stage = {PIPE}.consumer_read %w {{consumer_idx = 0 : i32}} : {CONSUMER} -> {CONSUMER}, {SHARED}
      {at["before"]}
      scf.if %flag {{
        {at["then"]}
      }} else {{
        {at["otherwise"]}
      }}
      {at["after"]}
      nv_tileaa.return
    }}""")
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    return function


@pytest.mark.parametrize(("then", "otherwise"), list(product(READERS, repeat=2)))
def test_an_mma_follows_every_wait(then: str, otherwise: str):
    """On both ways, and threads read the stage on neither."""
    for before, after in product(READERS, repeat=2):
        readers = dict(zip(PLACES, (before, then, otherwise, after), strict=True))
        found = bool(pipelines_of_mmas(program(readers)))
        ways = [{before, arm, after} for arm in (then, otherwise)]
        assert not found or all("mma" in way and "threads" not in way for way in ways), readers
        # A release on both ways is seen where it does not depend on the branch.
        if "threads" not in readers.values() and "mma" in (before, after):
            assert found, readers
