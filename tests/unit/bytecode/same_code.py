"""What NVIDIA's compiler makes of a kernel, from the front end's bytes and from ours.

`python -m tests.unit.bytecode.same_code [NAME ..]` compares all kernels, or those named, at every
version and exits with 1 if any differs; a few minutes for all of them. `test_kernels.py` compares
one kernel out of each family, at one version.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable

from tests.unit.bytecode import reference
from tileir_xdsl.bytecode import read, write
from tileir_xdsl.testing.kernels import KERNELS, generate

BLACKWELL_ONLY = frozenset(
    {
        "expand_from_four_bits",
        "four_bit_matmul",
        "quantize_to_four_bits",
        "scale_factors",
        "scaled_matmul",
    }
)
"""Kernels with formats of 4 bits or scale factors, which the compiler refuses for sm_90."""

WRITTEN_ONLY = "13.5"
"""Our newest version is past that of the front end, and written from it."""

SLOW = frozenset({"deep_matmul"})
"""Kernels that NVIDIA's compiler takes several seconds for."""

VERSIONS = (*generate.VERSIONS, WRITTEN_ONLY)

NEGATIVE_INFINITY = 0xFFF0_0000_0000_0000


def _varint(number: int, length: int) -> bytes:
    """The bytes of a number in LEB128, with leading zeros up to `length`."""
    digits = [number >> 7 * place & 0x7F for place in range(length)]
    return bytes([*(digit | 0x80 for digit in digits[:-1]), digits[-1]])


_TOO_LONG = _varint(NEGATIVE_INFINITY << 1, 10)
_AS_MEANT = _varint(2 * (2**64 - NEGATIVE_INFINITY) - 1, 10)


def as_meant(data: bytes) -> bytes:
    """The file with the f64 that the front end writes with 65 bits, -inf, in its 64 bits."""
    return data.replace(_TOO_LONG, _AS_MEANT)


def front_end_version(version: str) -> str:
    """The version that a file of `version` is made from."""
    return version if version in generate.VERSIONS else generate.VERSIONS[-1]


def different_sections(name: str, version: str) -> list[str]:
    """Names of the cubin's sections that differ between the front end's file and ours.

    Raises CalledProcessError if the compiler rejects one of the files.
    """
    gpu = "sm_100" if name in BLACKWELL_ONLY else "sm_90"
    original = generate.bytecode(KERNELS[name], front_end_version(version))
    ours = write(read(original), version)
    assert ours != original
    files = (as_meant(original), ours)
    first, second = (reference.elf_sections(reference.compile_to_cubin(f, gpu)) for f in files)
    assert any(section.startswith(".text.") for section in first)
    return [s for s in sorted({*first, *second}) if first.get(s) != second.get(s)]


def cases(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each kernel with every version that can express it."""
    return [
        (name, version)
        for name in names
        for version in VERSIONS
        if generate.expressible(KERNELS[name], version)
    ]


_ELEMENT_TYPES = re.compile(r"(_(bf|f|tf|i|u)\d+|_e\dm\d|_bool)+$")


def spread() -> list[tuple[str, str]]:
    """One kernel of those that differ in element types only, at all versions in turn, but slow ones."""
    families: defaultdict[str, list[str]] = defaultdict(list)
    for name in KERNELS:
        if name not in SLOW:
            families[_ELEMENT_TYPES.sub("", name)].append(name)
    chosen: list[tuple[str, str]] = []
    for number, names in enumerate(families.values()):
        of_kernel = cases([names[number % len(names)]])
        chosen.append(of_kernel[number % len(of_kernel)])
    return chosen


def main() -> int:
    failed = 0
    compared = cases(sys.argv[1:] or KERNELS)
    for name, version in compared:
        if different := different_sections(name, version):
            failed += 1
            print(f"{name} at {version} differs in {', '.join(different)}", flush=True)
    print(f"{len(compared)} files, {failed} with other code than the front end's")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
