"""What one point costs: our machine code, NVIDIA's, and whether ours computes the right thing."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.framework.machine_code import TRIPS, figures
from bench.sweep.kinds import Generated
from tests.unit.road import zoo
from tileir_xdsl.analysis.threads.register_pressure import predicted_registers
from tileir_xdsl.bytecode import write
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.runtime.lowering import Lowered, lower
from tileir_xdsl.runtime.ptxas import AssemblyError, assemble
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.testing import tools

VERSION = "13.3"
LIMIT, THEIR_LIMIT = 60, 20
"""Seconds of processor time that we and `tileiras` may take for a kernel."""
WAITING = 20
"""How much longer than its processor time a command may take where others work, too."""
LONGEST_MESSAGE = 160
SCHEDULED = "tileas-generate-schedule"
THEIR_GPUS = {
    "sm_90a": "sm_90",
    "sm_100a": "sm_100",
    "sm_107a": "sm_107",
    "sm_120a": "sm_120",
}
"""What `tileiras` calls targets that it gives other names."""

_THREADS = re.compile(r"\.(?:reqntid|maxntid)\s+(\d+)")
WARP = 32


@dataclass(frozen=True)
class Code:
    """What a cubin is made of: per thread, bytes of shared memory per CTA."""

    instructions: int
    weighted: int
    """Times 16 for every loop around."""
    registers: int
    shared: int
    spills: int
    """Instructions that read or write local memory."""


@dataclass(frozen=True)
class Ours(Code):
    """What we know besides of our own code."""

    spilled: int
    """Bytes of spill stores and loads, as `ptxas` counts them, of a thread."""
    predicted: int
    """Registers of a thread, as predicted; 0 where agents divide the registers among them."""
    warps: int
    per_work: float
    """Weighted instructions of all warps of a CTA for a unit of its work."""
    seconds: float


class OutOfTimeError(Exception):
    """A compiler that takes longer than it may."""


@contextmanager
def limited(seconds: int) -> Generator[None]:
    """Raises OutOfTimeError in the main thread after so much processor time of this process."""

    def stop(_signal: int, _frame: Any) -> None:
        raise OutOfTimeError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def shorten(message: str) -> str:
    """The first line of a diagnostic without places and numbers of values."""
    line = message.strip().splitlines()[0] if message.strip() else "no message"
    return re.sub(r"^\S*?(:\d+:\d+)?: (error: )?", "", line)[:LONGEST_MESSAGE]


def compile_ours(program: str, gpu: str) -> tuple[Lowered, int]:
    """Our PTX, and the registers that are predicted when loops have their schedules.

    Raises InputError where the compiler refuses.
    """
    context, predicted = new_context(), 0

    def look(module_pass: ModulePass, module: ModuleOp) -> None:
        nonlocal predicted
        if module_pass.name == SCHEDULED:
            functions = [op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp)]
            predicted = max(map(predicted_registers, functions))

    module = read_text(context, program, "kernel")
    lowered = lower(context, module, "ptx", gpu=gpu, file="kernel", observe=look)
    return lowered, predicted


def measure_ours(generated: Generated, program: str, gpu: str) -> tuple[Ours, Lowered]:
    """Our code; raises InputError, AssemblyError or OutOfTimeError."""
    start = time.process_time()
    with limited(LIMIT):
        lowered, predicted = compile_ours(program, gpu)
    seconds = time.process_time() - start
    assert lowered.ptx is not None
    assembly = assemble(lowered.ptx, gpu, "-O3")
    found = figures(assembly.cubin)
    name = generated.case.name
    threads = _THREADS.search(lowered.ptx)
    warps = int(threads[1]) // WARP if threads else 0
    kernel = assembly.kernels[name]
    ours = Ours(
        found.instructions,
        found.weighted,
        found.registers,
        found.shared + dynamic_shared_memory(lowered.module, name),
        found.local_accesses,
        kernel.spill_stores + kernel.spill_loads,
        0 if "setmaxnreg" in lowered.ptx else predicted,
        warps,
        round(found.weighted * warps / (generated.work * TRIPS**generated.loops), 4),
        round(seconds, 2),
    )
    return ours, lowered


def _limit_their_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (THEIR_LIMIT, THEIR_LIMIT))


def measure_theirs(program: str, gpu: str) -> Code:
    """The code of `tileiras -O3`; raises CalledProcessError, TimeoutExpired or BytecodeError."""
    data = write(tools.parse(program), VERSION)
    with tempfile.TemporaryDirectory() as folder:
        file, cubin = Path(folder) / "kernels.tileirbc", Path(folder) / "kernels.cubin"
        file.write_bytes(data)
        command = [tools.tileiras_path(), "--gpu-name", THEIR_GPUS.get(gpu, gpu), "-O3"]
        command += [str(file), "-o", str(cubin)]
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            encoding="utf-8",
            timeout=WAITING * THEIR_LIMIT,
            preexec_fn=_limit_their_time,
        )
        found = figures(cubin.read_bytes())
    return Code(
        found.instructions, found.weighted, found.registers, found.shared, found.local_accesses
    )


def emulate(generated: Generated, program: str, lowered: Lowered) -> None:
    """Runs our code late, with races looked for; raises AssertionError for wrong values."""
    assert lowered.ptx is not None
    with tempfile.TemporaryDirectory() as folder:
        case = replace(generated.case, folder=Path(folder))
        case.text_path.write_text(program, "utf-8")
        kernel = zoo.Lowered(lowered.module, lowered.ptx)
        zoo.run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)


def _attempt(action: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What an action returns, or why it has failed: a refusal is a result, a crash is one, too."""
    try:
        return action()
    except (InputError, BytecodeError) as error:
        return {"refused": shorten(str(error))}
    except AssemblyError as error:
        return {"refused": f"ptxas: {shorten(str(error))}"}
    except subprocess.CalledProcessError as error:
        if error.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return {"refused": "out of time"}
        return {"refused": shorten(error.stderr or f"exit status {error.returncode}")}
    except (OutOfTimeError, subprocess.TimeoutExpired):
        return {"refused": "out of time"}
    except Exception as error:
        return {"crashed": shorten(f"{type(error).__name__} {error}")}


def our_row(generated: Generated, program: str, gpu: str, *, run_it: bool) -> dict[str, Any]:
    """Figures of our code as JSON; `values` is "right", or what is wrong."""

    def measure() -> dict[str, Any]:
        ours, lowered = measure_ours(generated, program, gpu)
        if not run_it:
            return asdict(ours)
        try:
            emulate(generated, program, lowered)
            values = "right"
        except Exception as error:
            values = f"{type(error).__name__}: {error}"[:LONGEST_MESSAGE]
        return asdict(ours) | {"values": values}

    return _attempt(measure)


def their_row(program: str, gpu: str) -> dict[str, Any]:
    """Figures of NVIDIA's code as JSON."""
    return _attempt(lambda: asdict(measure_theirs(program, gpu)))
