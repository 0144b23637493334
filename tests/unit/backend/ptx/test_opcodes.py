"""The names of instructions agree with those of the emulator, which stands alone."""

from tileir_xdsl.backend.ptx.opcodes import OPCODES
from tileir_xdsl.emulator.instructions.isa import CHAPTERS


def test_they_are_those_of_the_manual():
    names = {name.partition(".")[0] for chapter in CHAPTERS.values() for name in chapter}
    assert names == OPCODES
