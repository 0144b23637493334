"""Writes the checked-in Tile IR of the kernels: `python -m tests.kernels.generate [NAME ..]`.

A kernel goes through NVIDIA's front end to bytecode and through NVIDIA's disassembler to text,
which prints no module line: it is put into `cuda_tile.module @kernels`.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from cuda.tile.compilation import export_kernel

from tests.kernels import KERNELS
from tests.kernels.case import KernelCase
from tests.unit import tools

BYTECODE_VERSION = "13.3"


def bytecode(case: KernelCase) -> bytes:
    """The Tile IR bytecode of the kernel, with debug information."""
    file = io.BytesIO()
    export_kernel(
        case.kernel,
        [case.signature()],
        file,
        gpu_code=None,
        output_format="tileir_bytecode",
        bytecode_version=BYTECODE_VERSION,
    )
    return file.getvalue()


def text(case: KernelCase) -> str:
    """The Tile IR of the kernel as text, without locations."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{case.name}.tileirbc"
        file.write_bytes(bytecode(case))
        disassembled = subprocess.run(
            [tools.tileirdisasm_path(), file], check=True, capture_output=True, text=True
        ).stdout
    body = "".join(f"  {line}\n" if line else "\n" for line in disassembled.splitlines())
    return f"cuda_tile.module @kernels {{\n{body}}}\n"


def main() -> None:
    for name in sys.argv[1:] or KERNELS:
        KERNELS[name].text_path.write_text(text(KERNELS[name]))


if __name__ == "__main__":
    main()
