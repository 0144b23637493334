"""The reference set: the programs whose machine code later work is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.variants import CASES as VARIANTS
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.written import WRITTEN

GPUS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")
FOLDER = Path(__file__).resolve().parent / "kernels"


def programs() -> Iterator[tuple[str, str]]:
    """Names and Tile IR: the zoo, kernels written as text, variants of products and attention."""
    for name, case in KERNELS.items():
        yield name, case.text_path.read_text("utf-8")
    for name, case in WRITTEN.items():
        yield f"written/{name}", case.text_path.read_text("utf-8")
    for path in sorted(FOLDER.glob("*.mlir")):
        yield f"bench/{path.stem}", path.read_text("utf-8")
    for name, case in VARIANTS.items():
        yield f"variants/{name}", text(case)
