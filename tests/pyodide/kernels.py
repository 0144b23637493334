"""What both Pythons compile; imports nothing of the tests, which Pyodide does not have."""

from pathlib import Path

import tileir_xdsl

KERNELS = ("vector_add", "matmul_f16")
TARGETS = ("sm_80", "sm_90a", "sm_100a")


def compiled(folder: str) -> dict[str, str]:
    """The PTX of every kernel of a folder for every target, by both names."""
    return {
        f"{name} {gpu}": tileir_xdsl.compile(Path(folder, f"{name}.mlir"), gpu).text
        for name in KERNELS
        for gpu in TARGETS
    }
