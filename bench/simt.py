"""Our code against that of NVIDIA's Tile IR compiler, on the kernels of the zoo.

`python -m bench.simt [NAME ..]` compiles each kernel both ways for sm_90a, from the same program,
and prints the machine instructions, registers and bytes of shared and of local memory that
`cuobjdump` finds in both cubins, and the median ratios. The goal is at most 1.0, without spills.
"""

import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tests.kernels import KERNELS
from tests.unit import tools
from tests.unit.bytecode.reference import compile_to_cubin
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.bytecode import write
from tileir_xdsl.runtime.ptxas import assemble, find_tool

GPU, TILE_IR_GPU = "sm_90a", "sm_90"
VERSION = "13.3"


@dataclass(frozen=True)
class Code:
    """What a cubin is made of, per thread and block."""

    instructions: int
    registers: int
    shared: int
    local: int


def _dump(cubin: bytes, option: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        command = [str(find_tool("cuobjdump", "nvidia-cuda-cuobjdump")), option, str(path)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read_code(cubin: bytes) -> Code:
    """The figures of a cubin with one kernel; `NOP`s that pad it do not count."""
    usage = _dump(cubin, "-res-usage")
    listing = _dump(cubin, "-sass")
    opcodes = re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z][\w.]*)", listing, re.M)

    def resource(name: str) -> int:
        found = re.search(rf"\b{name}:(\d+)", usage)
        return int(found[1]) if found else 0

    instructions = sum(opcode != "NOP" for opcode in opcodes)
    return Code(instructions, resource("REG"), resource("SHARED"), resource("LOCAL"))


def compare(name: str) -> tuple[Code, Code]:
    """Our code for a kernel, and that of NVIDIA's compiler."""
    text = KERNELS[name].text_path.read_text()
    theirs = compile_to_cubin(write(tools.parse(text), VERSION), TILE_IR_GPU)
    lowered = tools.run_passes(tools.parse(text), f'tileir-pipeline{{gpu="{GPU}"}}')
    return read_code(assemble(emit(lowered, GPU), GPU, "-O3").cubin), read_code(theirs)


def main() -> None:
    """Measures and prints the table."""
    rows: dict[str, tuple[Code, Code]] = {}
    for name in sys.argv[1:] or KERNELS:
        try:
            rows[name] = compare(name)
        except Exception as error:
            print(f"{name:<28} {str(error).splitlines()[0][:90]}")
            continue
        ours, theirs = map(astuple, rows[name])
        columns = (f"{a:>7}/{b:<7}" for a, b in zip(ours, theirs, strict=True))
        print(f"{name:<28} {' '.join(columns)}", flush=True)
    for number, field in enumerate(fields(Code)):
        ratios = [
            astuple(ours)[number] / astuple(theirs)[number]
            for ours, theirs in rows.values()
            if astuple(theirs)[number]
        ]
        if ratios:
            middle, worst = statistics.median(ratios), max(ratios)
            print(f"{field.name:<14} median ratio {middle:.2f}, worst {worst:.2f}")


if __name__ == "__main__":
    main()
