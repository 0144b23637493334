"""Small kernels that come with the package: Tile IR as text, and a script with a cuTile kernel."""

from pathlib import Path

SUFFIX = ".mlir"

CUTILE_KERNEL = Path(__file__).with_name("cutile_kernel.txt")
"""A script with a cuTile kernel, which runs it; `NAME` stands for its name."""


def names() -> tuple[str, ...]:
    """The names of all samples, in order."""
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob(f"*{SUFFIX}")))


def path(name: str) -> Path:
    """The file of a sample. Raises KeyError for a name that is not of `names`."""
    if name not in names():
        raise KeyError(name)
    return Path(__file__).with_name(name + SUFFIX)
