"""What either compiler makes of some bytecode: accepted, refused with words, or worse."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from xdsl.utils.exceptions import VerifyException

from bench.sweep.measuring import THEIR_GPUS, OutOfTimeError, limited
from tileir_xdsl import bytecode
from tileir_xdsl.bytecode import BytecodeError
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.ptxas import AssemblyError, assemble
from tileir_xdsl.runtime.reader import new_context
from tileir_xdsl.testing import tools
from tileir_xdsl.verification import verify_module

LIMIT = 60
"""Seconds of processor time for a module."""
LONGEST = 240
ACCEPTED, INVALID, REFUSED, CRASHED, SLOW = "accepted", "invalid", "refused", "crashed", "slow"
_LIKE_A_CRASH = ("PLEASE submit a bug report", "Stack dump", "internal compiler error")


@dataclass(frozen=True)
class Verdict:
    """What a compiler says: `invalid` before it knows a target, `refused` after it."""

    kind: str
    words: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether there is machine code."""
        return self.kind == ACCEPTED


def shortened(message: str) -> str:
    """The message that says most, in one line and without places."""
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    wanted = [line for line in lines if "error" in line.lower()] or lines or [""]
    text = re.sub(r"loc\((?:[^()]|\([^()]*\))*\)", "loc(..)", wanted[0])
    text = re.sub(r"^(?:\S+?:\d+:\d+: |<unknown>:0: |loc\(\.\.\): )?(?:error: )?", "", text)
    return text[:LONGEST]


def ours(data: bytes, gpu: str) -> Verdict:
    """What this compiler makes of it, with `ptxas`."""
    try:
        with limited(LIMIT):
            try:
                module = bytecode.read(data)
                verify_module(module)
            except (BytecodeError, VerifyException) as error:
                return Verdict(INVALID, shortened(_words(error)))
            lowered = lower(new_context(), module, "ptx", gpu=gpu, file="kernel")
            assert lowered.ptx is not None
            assemble(lowered.ptx, gpu, "-O1")
    except InputError as error:
        return Verdict(REFUSED, shortened(str(error)))
    except AssemblyError as error:
        return Verdict(CRASHED, f"ptxas: {shortened(str(error))}")
    except OutOfTimeError:
        return Verdict(SLOW)
    except Exception as error:
        return Verdict(CRASHED, f"{type(error).__name__}: {shortened(str(error))}")
    return Verdict(ACCEPTED)


def _words(error: Exception) -> str:
    """What a verifier says, which xDSL puts after the module it is about."""
    text = str(error)
    found = re.findall(r"'cuda_tile\.[^\n]*", text)
    return found[-1] if found else text


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def theirs(data: bytes, gpu: str) -> Verdict:
    """What `tileiras` makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        file, cubin = Path(folder) / "kernel.tileirbc", Path(folder) / "kernel.cubin"
        file.write_bytes(data)
        command = [tools.tileiras_path(), "--gpu-name", THEIR_GPUS.get(gpu, gpu)]
        done = subprocess.run(
            [*command, str(file), "-o", str(cubin)],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20 * LIMIT,
            preexec_fn=_limit,
        )
        has_code = cubin.exists()
    if done.returncode == 0 and has_code:
        return Verdict(ACCEPTED)
    if done.returncode == -signal.SIGXCPU:
        return Verdict(SLOW)
    words = shortened(done.stderr)
    if done.returncode < 0:
        return Verdict(CRASHED, f"{signal.Signals(-done.returncode).name} {words}".strip())
    if any(each in done.stderr for each in _LIKE_A_CRASH):
        return Verdict(CRASHED, words)
    return Verdict(REFUSED, words or f"exit status {done.returncode}")
