"""The listing of a cubin that `tileiras` made of one op: its instructions, and a result it knew.

The listing is NVIDIA's own, `cuobjdump -sass`; of an instruction only its name, its registers and
its constants are read.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from bench.sweep.measuring import THEIR_GPUS
from tests.tileiras_agreement.cases import VERSION
from tileir_xdsl import bytecode
from tileir_xdsl.runtime.ptxas import find_tool
from tileir_xdsl.testing import tools

UNDEFINED, COMPUTED = "undefined", "computed"
"""Results of constants: there is no store, since the result is undefined; the op is still there."""

_LINE = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
_REGISTER = re.compile(r"(?<![\w.])(U?R|U?P)(\d+)(?![\w])")
_PREDICATE = re.compile(r"U?P(?:\d+|T)")
_COMPARES = re.compile(r"SETP2?$|^U?PLOP3$|^FCHK$")
_UNIT = re.compile(r"MMA$|^ATOM|^RED")
_NO_DESTINATION = ("ST", "RED", "BRA", "EXIT", "RET", "BSSY", "BSYNC", "NOP", "BAR", "WARPSYNC")


@dataclass(frozen=True)
class Instruction:
    """One line: its guard, its name with modifiers, and its operands."""

    guard: str
    name: str
    operands: tuple[str, ...]

    @property
    def opcode(self) -> str:
        """The name without modifiers."""
        return self.name.partition(".")[0]


def instruction(text: str) -> Instruction:
    """An instruction of a listing: `@P0 FADD R1, R2, R3`."""
    guard, _, rest = text.partition(" ") if text.startswith("@") else ("", "", text)
    name, _, operands = rest.strip().partition(" ")
    return Instruction(guard, name, tuple(filter(None, re.split(r"\s*,\s*", operands.strip()))))


def functions(listing: str) -> dict[str, list[Instruction]]:
    """The instructions of each function of a listing."""
    found: dict[str, list[Instruction]] = {}
    body: list[Instruction] = []
    for line in listing.splitlines():
        if (named := re.search(r"Function : (\S+)", line)) is not None:
            body = found.setdefault(named[1], [])
        elif (match := _LINE.match(line)) is not None:
            body.append(instruction(match[1]))
    return found


class RefusedError(Exception):
    """`tileiras` refuses a module; in its words."""


def listing_of(text: str, gpu: str) -> dict[str, list[Instruction]]:
    """The functions of what `tileiras` makes of a module. Raises RefusedError."""
    with tempfile.TemporaryDirectory() as folder:
        file, cubin = Path(folder) / "kernel.tileirbc", Path(folder) / "kernel.cubin"
        file.write_bytes(bytecode.write(tools.parse(text), VERSION))
        command = [tools.tileiras_path(), "--gpu-name", THEIR_GPUS.get(gpu, gpu), str(file)]
        done = subprocess.run([*command, "-o", str(cubin)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RefusedError(done.stderr)
        tool = str(find_tool("cuobjdump", "nvidia-cuda-cuobjdump"))
        listed = subprocess.run(
            [tool, "-sass", str(cubin)], check=True, capture_output=True, text=True
        )
    return functions(listed.stdout)


# Instructions that depend on loaded numbers.


def _numbered(operand: str) -> Iterator[tuple[str, int]]:
    for kind, number in _REGISTER.findall(operand):
        yield kind, int(number)


def _count_of(each: Instruction) -> int:
    """How many registers in a row a result takes."""
    wide = re.search(r"\.(64|128)(?:\.|$)", each.name)
    if wide is not None:
        return int(wide[1]) // 32
    is_wide = each.opcode.startswith("D") or each.name == "CS2R" or ".WIDE" in each.name
    return 2 if is_wide or ".F64" in each.name else 1


def _written(each: Instruction) -> tuple[int, set[tuple[str, int]]]:
    """How many operands are results, and their registers: `R1`, `P0, PT` or `P0, R1`."""
    if each.opcode.startswith(_NO_DESTINATION):
        return 0, set()
    predicates = list(takewhile(_PREDICATE.fullmatch, each.operands))
    # A comparison has no other result; else a register follows the predicates.
    alone = _COMPARES.search(each.opcode) is not None
    count = len(predicates) + (0 if predicates and alone else 1)
    found = {register for operand in each.operands[:count] for register in _numbered(operand)}
    wide = _count_of(each)
    return count, {(k, n + i) for k, n in found for i in range(wide if k.endswith("R") else 1)}


def dependent(body: Sequence[Instruction]) -> list[Instruction]:
    """The instructions between loads and stores that depend on what is loaded, in their order."""
    tainted, found = set[tuple[str, int]](), list[Instruction]()
    for each in body:
        count, written = _written(each)
        if each.opcode.startswith("LD") and not each.opcode.startswith("LDC"):
            tainted |= written
            continue
        read = {register for operand in each.operands[count:] for register in _numbered(operand)}
        read |= set(_numbered(each.guard))
        # Operands of MMAs and atomics may be descriptors and addresses alone.
        if read & tainted or _UNIT.search(each.opcode) is not None:
            tainted |= written
            if not each.opcode.startswith(("ST", "BRA", "BSYNC", "EXIT")):
                found.append(each)
        elif not each.guard:
            tainted -= written
    return found


def shown(each: Instruction) -> str:
    """The name of an instruction, with its constants."""
    constants = [o for o in each.operands if re.match(r"-?(?:0x|\d|\+?INF|\+?QNAN)", o)]
    return " ".join((each.name, *constants))


# Results that were known at compile time.


_NAN_BITS = {"QNAN": 0x7FFF, "+QNAN": 0x7FFF, "-QNAN": 0xFFFF}
"""Halves whose payload is not listed: all bits set, as of the extremes of integers."""


def _half(text: str) -> int:
    """The bits of an f16, written as a number."""
    return _NAN_BITS.get(text) or int.from_bytes(struct.pack("<e", float(text)), "little")


def _value(body: Sequence[Instruction], end: int, register: str) -> int | None:
    """The bits of a register before an instruction, where a constant was moved into it."""
    if register in ("RZ", "URZ"):
        return 0
    kind, number = next(_numbered(register), ("", -1))
    for place in reversed(range(end)):
        each = body[place]
        count, written = _written(each)
        if (kind, number) not in written:
            continue
        sources = each.operands[count:]
        if each.guard:
            return None
        if sources == ("SRZ",):
            return 0
        if each.opcode == "HFMA2" and sources[:2] == ("-RZ", "RZ"):
            return _half(sources[2]) << 16 | _half(sources[3])
        if each.opcode not in ("MOV", "UMOV") and each.name not in ("IMAD.MOV.U32", "IMAD.U32"):
            return None
        source = next((s for s in sources if s not in ("RZ", "URZ")), "RZ")
        # Of a pair of registers the second holds the upper half.
        upper = number - next(_numbered(each.operands[0]))[1]
        if source.startswith(("0x", "-0x")):
            return (int(source, 16) >> 32 * upper) % (1 << 32)
        source_kind, source_number = next(_numbered(source), ("", -1))
        return _value(body, place, f"{source_kind}{source_number + upper}" if upper else source)
    return None


def constant_result(body: Sequence[Instruction]) -> int | str:
    """The bits that a function without loads stores, or `UNDEFINED`, or `COMPUTED`."""
    place = next((i for i, each in enumerate(body) if each.opcode == "STG"), None)
    if place is None:
        return UNDEFINED
    store = body[place]
    register = store.operands[-1]
    found = _value(body, place, register)
    if found is None:
        return COMPUTED
    if ".64" not in store.name:
        return found
    kind, number = next(_numbered(register), ("", -1))
    high = 0 if register == "RZ" else _value(body, place, f"{kind}{number + 1}")
    return COMPUTED if high is None else found | high << 32
