"""Each listed instruction form is printed, assembled for its lowest target, known to the emulator.

That the emulator carries out each of its forms as stated is tested in `tests.unit.emulator`.
"""

import pytest

from tests.unit.backend.ptx.harness import assemble
from tests.unit.backend.ptx.instruction_list import FURTHER, LISTED
from tests.unit.backend.ptx.test_nvvm import FORMS, Form, module
from tests.unit.tools import parse
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit

BY_OPCODE: dict[str, Form] = {form.opcode: form for form in (*FORMS, *FURTHER)}


def joined(forms: list[Form]) -> str:
    """One module with a kernel for each form."""
    memory, _, _ = module("").strip().partition("\n")
    kernels = [module(form.op).strip().partition("\n")[2] for form in forms]
    named = [text.replace("@k(", f"@k{index}(", 1) for index, text in enumerate(kernels)]
    return "\n".join([memory, *named])


@pytest.mark.parametrize(("gpu", "version"), LISTED, ids=str)
def test_listed_forms(gpu: str, version: float) -> None:
    opcodes = LISTED[gpu, version]
    assert [opcode for opcode in opcodes if opcode not in BY_OPCODE] == []
    text = emit(parse(joined([BY_OPCODE[opcode] for opcode in opcodes])), gpu, version)
    bodies = text.split(".visible .entry ")[1:]
    missing = [o for o, body in zip(opcodes, bodies, strict=True) if o not in body]
    assert missing == []
    assemble(text, gpu)
    emulator.load(text)
