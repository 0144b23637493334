"""Machine code of a report: PTX assembled by `ptxas` and listed by `nvdisasm`, if installed.

A copy of the PTX states the PTX line before each instruction, as the assembler requires.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tileir_xdsl.report.schema import Line, Text
from tileir_xdsl.runtime.ptxas import (
    Assembly,
    AssemblyError,
    ToolNotFoundError,
    assemble,
    find_tool,
    ptxas_path,
)

NVDISASM_PACKAGE = "nvidia-cuda-nvdisasm"

_INSTRUCTION = re.compile(r"\t[^.$\s/]")
_KERNEL_END = re.compile(r"}\s*$")
_STATED = re.compile(r'//## File "[^"]*", line (\d+)')
_CODE = re.compile(r"^\s+/\*(?P<address>[0-9a-f]{4,})\*/\s+(?P<text>.*;)")
_SECTION = re.compile(r"^\.text\.(?P<name>\S+):")
_LABEL = re.compile(r"^(?P<name>\.L_x_\d+):")
_JUMP = re.compile(r"\.L_x_\d+")


@dataclass(frozen=True)
class MachineCode:
    """The assembled module, and its listing; None without a disassembler."""

    assembly: Assembly
    sass: Text | None


def assembled_code(ptx: Text, gpu: str, title: str) -> MachineCode | None:
    """The machine code of PTX; None without an assembler, or if it rejects the PTX."""
    try:
        ptxas_path()
        assembly = assemble(_stating_lines(ptx.lines), gpu, "-lineinfo")
    except (ToolNotFoundError, AssemblyError):
        return None
    return MachineCode(assembly, _listing(assembly.cubin, ptx, title))


def tool_version(name: str, package: str) -> str | None:
    """The version of a tool of the CUDA toolkit; None if the tool is not installed."""
    try:
        path = find_tool(name, package)
    except ToolNotFoundError:
        return None
    done = subprocess.run([path, "--version"], capture_output=True, encoding="utf-8", check=False)
    found = re.search(r"release (\d+\.\d+)", done.stdout)
    return None if found is None else found[1]


def _stating_lines(lines: Sequence[Line]) -> str:
    """The PTX with a `.loc` directive before each instruction, which states its PTX line from 1."""
    return "\n".join(_stated(lines))


def _stated(lines: Sequence[Line]) -> Iterator[str]:
    inside = False
    for number, line in enumerate(lines, 1):
        text = line.text
        if text.startswith(("\t.loc", ".file ")):
            continue
        if text == "{":
            inside = True
        if _KERNEL_END.match(text):
            inside = False
        if inside and line.ids and _INSTRUCTION.match(text):
            yield f"\t.loc 1 {number} 1"
        yield text
        if text.startswith(".address_size"):
            yield '.file 1 "kernel.ptx"'


def _listing(cubin: bytes, ptx: Text, title: str) -> Text | None:
    try:
        tool = find_tool("nvdisasm", NVDISASM_PACKAGE)
    except ToolNotFoundError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "module.cubin")
        file.write_bytes(cubin)
        command = [str(tool), "--print-line-info", "--print-code", str(file)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        return None
    return Text(title, "sass", tuple(sass_lines(done.stdout.split("\n"), ptx.lines)))


def sass_lines(listing: Iterable[str], ptx: Sequence[Line]) -> Iterator[Line]:
    """The sections, labels and instructions of a listing, with the origins of their PTX lines."""
    texts = list(listing)
    # The listing labels every statement of a line, too.
    targets = {
        name for text in texts if (code := _CODE.match(text)) for name in _JUMP.findall(code[0])
    }
    ids: tuple[str, ...] = ()
    for text in texts:
        if section := _SECTION.match(text):
            ids = ()
            yield Line(f"{section['name']}:")
        elif (label := _LABEL.match(text)) is not None:
            if label["name"] in targets:
                yield Line(text.strip())
        elif stated := _STATED.search(text):
            number = int(stated[1])
            ids = ptx[number - 1].ids if number <= len(ptx) else ()
        elif code := _CODE.match(text):
            yield Line(f"/*{code['address']}*/ {' '.join(code['text'].split())}", ids)
