"""Runs passes on a text in a separate process, to protect the server."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass

MOST_SECONDS = 120.0
"""The time after which a run is stopped."""

PTX = "ptx"


@dataclass(frozen=True)
class PassRun:
    """A run of passes on a text, with the target for which the result is printed, if any."""

    title: str
    passes: str = ""
    target: str = ""

    @property
    def language(self) -> str:
        """The language of the result, as the editor extension names it."""
        return self.target or "tileir"


PIPELINE = "tileir-pipeline{gpu=%s}"

_CONVERSIONS = {
    "cuda_tile": PassRun("Convert to nv_tileaa", "convert-cuda-tile-to-tileaa"),
    "nv_tileaa": PassRun("Convert to nv_tileas", "convert-tileaa-to-tileas"),
}


def steps_for(level: str | None, gpu: str) -> list[PassRun]:
    """Passes offered for a program of a level, the next conversion of the road first."""
    if level is None:
        return []
    pipeline = PIPELINE % gpu
    if level in ("llvm", "nvvm"):
        return [PassRun("Print PTX", target=PTX)]
    steps = [_CONVERSIONS[level]] if level in _CONVERSIONS else []
    return [
        *steps,
        PassRun("Canonicalize", "canonicalize"),
        PassRun(f"Run {pipeline}", pipeline),
        PassRun(f"Compile to PTX for {gpu}", pipeline, PTX),
    ]


@dataclass(frozen=True)
class Outcome:
    """The output of a run, or its error."""

    text: str | None
    message: str | None = None


async def run_passes(text: str, passes: str, target: str = "") -> Outcome:
    """Runs passes on a text; returns their output, in the syntax of `target` if given."""
    # Without -P, Python would import from the folder of the editor.
    command = [sys.executable, "-P", "-m", "tileir_xdsl.cli.main", "opt"]
    command += [f"--passes={passes}", *([f"--target={target}"] if target else []), "-"]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    given = text.encode(errors="replace")
    try:
        printed, errors = await asyncio.wait_for(process.communicate(given), MOST_SECONDS)
    except TimeoutError:
        return Outcome(None, f"the passes took longer than {MOST_SECONDS:.0f} s")
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        lines = errors.decode(errors="replace").splitlines()
        return Outcome(None, lines[0] if lines else "the passes ended without a message")
    return Outcome(printed.decode(errors="replace"))
