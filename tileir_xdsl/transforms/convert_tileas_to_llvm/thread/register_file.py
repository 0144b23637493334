"""Register pressure: a remark on tiles that exceed the register file and are spilled, and an error
beyond a bound.
"""

from tileir_xdsl.analysis.threads.agent_warps import kernel_warps
from tileir_xdsl.analysis.threads.register_pressure import REGISTER_BYTES, largest_register_pressure
from tileir_xdsl.diagnostics import SPILL_PREDICTED, Excess, Resource, exceed, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import THREADS_PER_WARP

MOST_REGISTER_FILES = 16
"""How many times the live tiles may exceed the registers of a multiprocessor.

Each register of a tile takes separate instructions: beyond this bound the assembler runs for
minutes.
"""


def check_registers(function: nv_tileaa.FuncOp, target: Target) -> None:
    """Emits a remark on the bytes of live tiles that the assembler must spill to local memory.

    Raises `PassFailedException` where tiles need many times the registers of a multiprocessor.
    """
    # A function that is called has the registers of its caller.
    if function.kernel_spec is None:
        return
    limits, pressure = target.limits, largest_register_pressure(function)
    most = MOST_REGISTER_FILES * limits.registers_per_multiprocessor
    if pressure.registers > most:
        exceed(
            pressure.op,
            f"'{pressure.op.name}' op needs {pressure.registers} registers for the tiles in use, "
            f"{target.name} has {limits.registers_per_multiprocessor} for a block, and code for "
            f"at most {most} is generated",
            Excess(Resource.REGISTERS, pressure.registers, most),
        )
    threads = kernel_warps(function) * THREADS_PER_WARP
    held = min(limits.max_registers_per_thread * threads, limits.registers_per_multiprocessor)
    # A remark: such kernels run, and the resource ladder has tried slices before.
    if pressure.registers > held:
        spilled = -(-(pressure.registers - held) * REGISTER_BYTES // threads)
        remark(
            pressure.op,
            SPILL_PREDICTED,
            f"'{pressure.op.name}' op needs {pressure.registers} registers for the tiles in use, "
            f"{threads} threads of {target.name} have {held}: each spills at least {spilled} bytes "
            "to local memory",
        )
