"""The attribute of a switch for how many accumulators the MMA-issuing agent fills in rotation.

    agent_switch {.., num_warps = array<i32: 8, 1, 1>} {..}, {..}, {..}
        {nv_tileas.accumulators = 2 : i32}

With 0 there is no separate MMA agent: the agent that reads accumulators also issues MMAs.
"""

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

ACCUMULATORS = "nv_tileas.accumulators"


def accumulators_of(op: Operation) -> int | None:
    """The number of accumulators on a switch; None if undecided."""
    attribute = op.attributes.get(ACCUMULATORS)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None
