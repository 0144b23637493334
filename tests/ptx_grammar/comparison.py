"""Who accepts an instruction: the emulator, and `ptxas`, which is asked for many at once."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.ptx_grammar.generator import PER_TYPE, REGISTERS, generate
from tests.unit.tools import ptxas_path
from tileir_xdsl import emulator

TARGET = "sm_100a"
_HEAD = (
    ".version 8.8",
    f".target {TARGET}",
    ".address_size 64",
    ".visible .entry kernel()",
    "{",
    *(f".reg .{type} {prefix}<{PER_TYPE}>;" for type, prefix in REGISTERS.items()),
)


@dataclass(frozen=True)
class Disagreement:
    """An instruction that one of the two refuses, and what it says."""

    seed: int
    instruction: str
    refused_by: str
    message: str


def module_text(instructions: Sequence[str]) -> str:
    """A kernel with the instructions, each on a line of its own."""
    return "\n".join((*_HEAD, *(f"{text};" for text in instructions), "ret;", "}")) + "\n"


def emulator_refusal(instruction: str) -> str:
    """What the emulator says against an instruction, when it loads or runs it; empty if nothing."""
    try:
        module = emulator.load(module_text([instruction]))
        module.launch("kernel", (1, 1, 1), [], block=(32, 1, 1))
    except emulator.EmulatorError as error:
        return error.message
    return ""


def ptxas_refusals(instructions: Sequence[str]) -> dict[int, str]:
    """What `ptxas` says against instructions, by their number; those it accepts are left out.

    It names all the lines with a wrong type, but stops at the first that it cannot parse: what it
    names is taken out, and it is asked again.
    """
    refused: dict[int, str] = {}
    left = list(range(len(instructions)))
    while left:
        found = _errors(module_text([instructions[number] for number in left]))
        if not found:
            return refused
        refused |= {left[place]: message for place, message in found.items()}
        left = [number for place, number in enumerate(left) if place not in found]
    return refused


def _errors(text: str) -> dict[int, str]:
    """The errors of a module by the place of the instruction."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "module.ptx"
        source.write_text(text, encoding="utf-8")
        command = [ptxas_path(), "-O0", f"-arch={TARGET}", str(source), "-o", str(source) + ".out"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if not result.returncode:
        return {}
    found: dict[int, str] = {}
    for line, message in re.findall(r", line (\d+); (?:error|fatal)\s*: (.*)", result.stderr):
        place = int(line) - len(_HEAD) - 1
        if 0 <= place < text.count("\n") - len(_HEAD) - 2:
            found.setdefault(place, message)
    if not found:
        raise AssertionError(result.stderr)
    return found


def disagreements(seeds: Sequence[int]) -> list[Disagreement]:
    """The instructions of seeds that only one of the two accepts."""
    instructions = [generate(seed) for seed in seeds]
    refused = ptxas_refusals(instructions)
    found: list[Disagreement] = []
    for number, (seed, text) in enumerate(zip(seeds, instructions, strict=True)):
        ours, theirs = emulator_refusal(text), refused.get(number, "")
        if bool(ours) != bool(theirs):
            found.append(Disagreement(seed, text, "emulator" if ours else "ptxas", ours or theirs))
    return found
