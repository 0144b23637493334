"""What is asked of pip without bounds, what is newer than here, and what fails."""

import re
from collections.abc import Iterable, Mapping

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

FREED = ("xdsl", "numpy", "ml-dtypes", "cuda-tile", "cuda-bindings")
"""Packages whose newest version is wanted, besides those of `NVIDIA`."""

NVIDIA = "nvidia-cuda-"
"""What the names of NVIDIA's tools begin with: they are released together."""

OURS = "tileir_xdsl"

_FAILED = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\])?)(?: - .*)?$", re.MULTILINE)
_FAILED_KERNEL = re.compile(r"^(sm_\w+, \w+, [^:]+): ", re.MULTILINE)


def is_freed(name: str) -> bool:
    """Whether the newest version of a package is wanted."""
    canonical = canonicalize_name(name)
    return canonical in FREED or canonical.startswith(NVIDIA)


def freed(requirements: Iterable[str]) -> list[str]:
    """Requirements without the bounds of what is freed, and without parts of this package."""
    parsed = [Requirement(line) for line in requirements]
    for requirement in parsed:
        if is_freed(requirement.name):
            requirement.specifier = SpecifierSet()
    ours = canonicalize_name(OURS)
    return [str(each) for each in parsed if canonicalize_name(each.name) != ours]


def changes(tested: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """A line for each freed package of `tested` that has another version in `found`."""
    return [
        f"{name}: {version} tested, {found.get(name, 'none')} found"
        for name, version in sorted(tested.items())
        if is_freed(name) and found.get(name) != version
    ]


def failures(printed: str) -> list[str]:
    """The names of tests in the summary of pytest that failed or could not begin."""
    return _FAILED.findall(printed)


def failed_kernels(printed: str) -> list[str]:
    """The target, the table and the name of each kernel that `tests.kernels` says has failed."""
    return _FAILED_KERNEL.findall(printed)
