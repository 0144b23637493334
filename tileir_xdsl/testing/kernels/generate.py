"""Writes the checked-in Tile IR of the kernels.

    python -m tileir_xdsl.testing.kernels.generate [NAME ..]

A kernel and its twin with divisible strides are written together. NVIDIA's front end compiles a
kernel to bytecode. NVIDIA's disassembler prints it without a module, so the text is wrapped in
`cuda_tile.module @kernels`.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS
from tileir_xdsl.testing.kernels.case import KernelCase

VERSIONS = ("13.1", "13.2", "13.3", "13.4")
"""The versions of Tile IR bytecode that the front end writes."""

_FIRST_PORTABLE = "13.3"
"""The first version of portable bytecode; earlier bytecode is for one GPU."""

_GPU = "sm_100"
"""The GPU for which earlier bytecode is exported; it supports all element types of the kernels."""


def expressible(case: KernelCase, version: str) -> bool:
    """Whether bytecode of `version` can express the kernel."""
    return _ordinal(version) >= _ordinal(case.since)


def bytecode(case: KernelCase, version: str) -> bytes:
    """The Tile IR bytecode of the kernel, with debug information.

    Raises ValueError if bytecode of `version` cannot express the kernel.
    """
    if not expressible(case, version):
        raise ValueError(
            f"kernel '{case.name}' needs Tile IR bytecode {case.since} or later, got {version}"
        )
    from cuda.tile.compilation import export_kernel

    file = io.BytesIO()
    export_kernel(
        case.kernel,
        [case.signature()],
        file,
        gpu_code=None if _ordinal(version) >= _ordinal(_FIRST_PORTABLE) else _GPU,
        output_format="tileir_bytecode",
        bytecode_version=version,
    )
    return file.getvalue()


def _ordinal(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def text_version(case: KernelCase) -> str:
    """The bytecode version of the checked-in text."""
    return max(case.text_version, case.since, key=_ordinal)


def text(case: KernelCase, version: str | None = None) -> str:
    """The Tile IR of the kernel as text, without locations, by default of the checked-in version.

    Raises ValueError if bytecode of `version` cannot express the kernel.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{case.name}.tileirbc"
        file.write_bytes(bytecode(case, version or text_version(case)))
        disassembled = subprocess.run(
            [tools.tileirdisasm_path(), file], check=True, capture_output=True, encoding="utf-8"
        ).stdout
    body = "".join(f"  {line}\n" if line else "\n" for line in disassembled.splitlines())
    return f"cuda_tile.module @kernels {{\n{body}}}\n"


def main() -> None:
    names = sys.argv[1:] or {**KERNELS, **DIVISIBLE}
    for name in names:
        cases = [table[name] for table in (KERNELS, DIVISIBLE) if name in table]
        if not cases:
            raise SystemExit(f"no kernel '{name}'")
        for case in cases:
            case.text_path.write_text(text(case), "utf-8")


if __name__ == "__main__":
    main()
