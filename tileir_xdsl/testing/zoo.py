"""The kernels of the zoo by name: real kernels as NVIDIA's front end emits them."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.testing import tools

FOLDER = Path(__file__).parent / "kernels"


def zoo_names() -> list[str]:
    """The names of all kernels in alphabetical order; names with a folder have strides for TMA."""
    files = FOLDER.rglob("*.mlir")
    return sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in files)


def zoo_text(name: str) -> str:
    """The Tile IR of a kernel. Raises KeyError for an unknown name."""
    path = FOLDER / f"{name}.mlir"
    if name not in zoo_names():
        raise KeyError(f"no kernel of the zoo is called '{name}'{did_you_mean(name, zoo_names())}")
    return path.read_text("utf-8")


def zoo_module(name: str) -> ModuleOp:
    """The module of a kernel, verified. Raises KeyError for an unknown name."""
    return tools.parse(zoo_text(name), name=f"{name}.mlir")
