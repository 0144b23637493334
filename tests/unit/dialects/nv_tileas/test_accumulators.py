"""How many accumulators an agent of MMAs fills in turn, as a switch says it."""

import pytest

from tileir_xdsl.dialects.nv_tileas import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.accumulators import accumulators_of
from tileir_xdsl.testing import tools


@pytest.mark.parametrize(("written", "count"), [("", None), ("0", 0), ("2", 2)])
def test_number_on_a_switch(written: str, count: int | None):
    decided = f", nv_tileas.accumulators = {written} : i32" if written else ""
    module = tools.parse(
        "nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32" + decided + "} "
        "{\n  nv_tileas.async.pipeline.yield\n}"
    )
    (switch,) = (op for op in module.walk() if isinstance(op, AgentSwitchOp))
    assert accumulators_of(switch) == count
