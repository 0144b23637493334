"""Who accepts an instruction: the emulator, and `ptxas`, which is asked for many at once."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.ptx_grammar.generator import PLAIN, generate, target_of
from tests.ptx_grammar.operands import DECLARED, REGISTERS, VARIABLE
from tileir_xdsl import emulator
from tileir_xdsl.testing.tools import ptxas_path


def _head(target: str) -> tuple[str, ...]:
    return (
        ".version 9.3",
        f".target {target}",
        ".address_size 64",
        ".visible .entry kernel()",
        "{",
        *(f".reg .{type} {prefix}<{DECLARED}>;" for type, prefix in REGISTERS.items()),
        f".shared .align 128 .b8 {VARIABLE}[1024];",
    )


_LINES = len(_head(""))
_TIMEOUT = 30.0
"""Seconds that `ptxas` has for a module."""


@dataclass(frozen=True)
class Disagreement:
    """An instruction that one of the two refuses, and what it says."""

    seed: int
    instruction: str
    refused_by: str
    message: str


def module_text(instructions: Sequence[str], target: str) -> str:
    """A kernel with the instructions or scopes, each on a line of its own."""
    lines = (text if text.startswith("{") else f"{text};" for text in instructions)
    return "\n".join((*_head(target), *lines, "ret;", "}")) + "\n"


def emulator_refusal(instruction: str, target: str) -> str:
    """What the emulator says against an instruction and its operands; empty if nothing."""
    try:
        emulator.load(module_text([instruction], target)).check()
    except emulator.EmulatorError as error:
        return error.message
    return ""


def ptxas_refusals(instructions: Sequence[str], target: str) -> dict[int, str]:
    """What `ptxas` says against instructions, by their number; those it accepts are left out.

    It names all the lines with a wrong type, but stops at the first that it cannot parse: what it
    names is taken out, and it is asked again.
    """
    refused: dict[int, str] = {}
    left = list(range(len(instructions)))
    while left:
        found = _named(instructions, left, target)
        if not found:
            return refused
        refused |= {left[place]: message for place, message in found.items()}
        left = [number for place, number in enumerate(left) if place not in found]
    return refused


def _named(instructions: Sequence[str], left: Sequence[int], target: str) -> dict[int, str]:
    """The errors that `ptxas` names; by halves where it dies without naming any."""
    try:
        return _errors(module_text([instructions[number] for number in left], target), target)
    except AssertionError as error:
        if len(left) == 1:
            return {0: str(error)}
        middle = len(left) // 2
        second = _named(instructions, left[middle:], target)
        return _named(instructions, left[:middle], target) | {
            middle + place: message for place, message in second.items()
        }


def _errors(text: str, target: str) -> dict[int, str]:
    """The errors of a module by the place of the instruction."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "module.ptx"
        source.write_text(text, encoding="utf-8")
        command = [ptxas_path(), "-O0", f"-arch={target}", str(source), "-o", str(source) + ".out"]
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_TIMEOUT
            )
        except subprocess.TimeoutExpired:
            raise AssertionError("does not end") from None
    if not result.returncode:
        return {}
    found: dict[int, str] = {}
    for line, message in re.findall(r", line (\d+); (?:error|fatal)\s*: (.*)", result.stderr):
        place = int(line) - _LINES - 1
        if 0 <= place < text.count("\n") - _LINES - 2:
            found.setdefault(place, message)
    if not found:
        raise AssertionError(result.stderr)
    return found


def disagreements(seeds: Sequence[int], family: str = PLAIN) -> list[Disagreement]:
    """The instructions of seeds that only one of the two accepts."""
    target = target_of(family)
    instructions = [generate(seed, family) for seed in seeds]
    refused = ptxas_refusals(instructions, target)
    found: list[Disagreement] = []
    for number, (seed, text) in enumerate(zip(seeds, instructions, strict=True)):
        ours, theirs = emulator_refusal(text, target), refused.get(number, "")
        if bool(ours) != bool(theirs):
            found.append(Disagreement(seed, text, "emulator" if ours else "ptxas", ours or theirs))
    return found
