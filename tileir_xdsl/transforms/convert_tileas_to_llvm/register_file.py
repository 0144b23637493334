"""Tiles that no block can hold in registers."""

from tileir_xdsl.analysis.register_pressure import largest_register_pressure
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.targets import Target


def check_registers(function: nv_tileaa.FuncOp, target: Target) -> None:
    """Raises `PassFailedException` where tiles need more registers than a multiprocessor has.

    Such a kernel would move most of its tiles between registers and memory, whatever the number of
    its threads. Up to there, it is for ptxas to spill what does not fit.
    """
    pressure, limit = (
        largest_register_pressure(function),
        target.limits.registers_per_multiprocessor,
    )
    if pressure.registers > limit:
        fail(
            pressure.op,
            f"'{pressure.op.name}' op needs {pressure.registers} registers for the tiles in use, "
            f"{target.name} has {limit} for a block",
        )
