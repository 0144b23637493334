"""Attributes of a function and its accesses that request a use of resources from passes.

A user writes them, or the ladder of `tileir-pipeline` (`transforms/resource_ladder.py`) if a kernel
exceeds a resource without them.
"""

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation

SLICES_ATTRIBUTE = "nv_tileas.slices"
"""The number of slices, a power of two. `tileas-slice-and-fuse` reads this number, and writes the
number of slices on each loop.
"""

STAGES_ATTRIBUTE = "nv_tileas.num_stages"
"""The most stages of a pipeline, an integer that `tileas-materialize-async` reads."""

STRATEGY_ATTRIBUTE = "nv_tileas.pipeline_strategy"
"""The strategy of `tileas-materialize-schedule`, a string."""

MMA_SCHEDULE_ATTRIBUTE = "nv_tileas.mma_schedule"
"""The form of loops with asynchronous MMAs, a string that `tileas-generate-schedule` reads."""

WARPS_ATTRIBUTE = "nv_tileaa.asked_warps"
"""A unit attribute: a hint or an option requested the kernel's number of warps."""

DEVICE_MAPS_ATTRIBUTE = "nv_tileas.device_tensor_maps"
"""A unit attribute: a kernel of ABI `tile` makes its tensor maps itself. `tileas-plan-tensor-maps`
writes the attribute.
"""


LATENCY_ATTRIBUTE = "latency"
"""The latency hint of an access, 1 (low) to 10 (high): a property, but a discardable attribute of
bulk copies. `tileas-materialize-async` removes the hint from loads in pipelines.
"""


def asked_latency(op: Operation) -> int | None:
    """The hint `latency` of an access that no pass has followed yet."""
    given = op.properties.get(LATENCY_ATTRIBUTE, op.attributes.get(LATENCY_ATTRIBUTE))
    return given.value.data if isinstance(given, IntegerAttr) else None


def asked_integer(function: Operation, name: str) -> int | None:
    """The integer of an attribute of a function, if it has one."""
    attribute = function.attributes.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def asked_string(function: Operation, name: str) -> str | None:
    """The string of an attribute of a function, if it has one."""
    attribute = function.attributes.get(name)
    return attribute.data if isinstance(attribute, StringAttr) else None
