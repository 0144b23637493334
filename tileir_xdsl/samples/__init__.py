"""Small kernels that come with the package: Tile IR as text, to read, compile and run."""

from pathlib import Path

SUFFIX = ".mlir"


def names() -> tuple[str, ...]:
    """The names of all samples, in order."""
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob(f"*{SUFFIX}")))


def path(name: str) -> Path:
    """The file of a sample. Raises KeyError for a name that is not of `names`."""
    if name not in names():
        raise KeyError(name)
    return Path(__file__).with_name(name + SUFFIX)
