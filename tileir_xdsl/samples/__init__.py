"""Small kernels in the package: Tile IR as text, and a script with a cuTile kernel."""

from pathlib import Path

SUFFIX = ".mlir"

CUTILE_KERNEL = Path(__file__).with_name("cutile_kernel.txt")
"""A script that runs a cuTile kernel; `NAME` is the placeholder for its file name."""


def names() -> tuple[str, ...]:
    """The names of all samples, in order."""
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob(f"*{SUFFIX}")))


def path(name: str) -> Path:
    """The file of a sample. Raises KeyError for an unknown name."""
    if name not in names():
        raise KeyError(name)
    return Path(__file__).with_name(name + SUFFIX)
