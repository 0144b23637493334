"""The kernels of the zoo as NVIDIA's front end writes them, at every version it writes.

The front end writes an f64 with a set sign bit as a number of 65 bits. NVIDIA's tools drop the
highest one, so that the identity -inf of a maximum becomes +inf; here it is read as it was meant.
"""

import re

import pytest

from tests.unit.bytecode import reference, same_code
from tileir_xdsl.bytecode import read, write
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.testing.kernels import KERNELS, generate

FILES = [
    pytest.param(
        name,
        version,
        # One version of each kernel: what a version changes is in the forms of single operations.
        marks=() if place == number % len(versions) else pytest.mark.soak,
    )
    for number, (name, case) in enumerate(KERNELS.items())
    for versions in [[v for v in generate.VERSIONS if generate.expressible(case, v)]]
    for place, version in enumerate(versions)
]
NEGATIVE_F64 = re.compile(r"0xFFF0000000000000 : f64|-[^ ,\]]* : f64")


def without_signs(text: str) -> str:
    """The text with the sign of f64 identities as NVIDIA's tools read them."""
    return NEGATIVE_F64.sub(lambda found: found[0].replace("0xFFF", "0x7FF").lstrip("-"), text)


def kernel(name: str, version: str) -> bytes:
    return generate.bytecode(KERNELS[name], version)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "version"), FILES)
def test_a_kernel_is_read_and_written(name: str, version: str):
    data = kernel(name, version)
    module = read(data)
    module.verify()
    text = disassemble(module, debug_info=True)
    assert without_signs(text) == reference.disassemble(data, debug_info=True)

    written = write(module, version)
    assert reference.disassemble(written, debug_info=True) == text
    again = read(written)
    assert disassemble(again, debug_info=True) == text
    assert str(again) == str(module)
    assert write(again, version) == written


@pytest.mark.parametrize("name", ["vector_add", "softmax_online", "histogram"])
def test_text_without_locations(name: str):
    data = kernel(name, "13.3")
    assert disassemble(read(data)) == reference.disassemble(data)


def test_negative_doubles_keep_their_sign():
    data = kernel("cube_roots_f64", "13.3")
    text = disassemble(read(data))
    assert "identities=[0xFFF0000000000000 : f64]" in text
    assert text != reference.disassemble(data) == without_signs(text)


@pytest.mark.one_in(20)
@pytest.mark.parametrize(("name", "version"), same_code.spread())
def test_tileiras_makes_the_same_code(name: str, version: str):
    assert same_code.different_sections(name, version) == []


def test_negative_doubles_make_other_code_than_as_the_front_end_writes_them():
    data = kernel("cube_roots_f64", "13.3")
    code, as_meant = (
        reference.elf_sections(reference.compile_to_cubin(file, "sm_90"))
        for file in (data, same_code.as_meant(data))
    )
    assert code != as_meant
    assert {name for name in code if code[name] != as_meant[name]} == {".text.cube_roots_f64"}


@pytest.mark.parametrize("name", ["vector_add", "softmax_online", "matmul_f16"])
@pytest.mark.parametrize("target", ["13.1", "13.2", "13.4", "13.5"])
def test_a_kernel_is_moved_to_another_version(name: str, target: str):
    module = read(kernel(name, "13.3"))
    moved = write(module, target)
    text = disassemble(module, debug_info=True)
    assert reference.disassemble(moved, debug_info=True) == text
    assert disassemble(read(moved), debug_info=True) == text
