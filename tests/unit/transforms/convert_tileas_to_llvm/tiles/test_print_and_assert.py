"""What a kernel prints, as PTX and in the interpreter of `nv_tileaa`."""

import io

import pytest

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

SPEC = "attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"
VALUES = {"i1": 1, "i8": -3, "i16": -300, "i32": -70000, "i64": -(1 << 40)}


def kernel(element: str, conversion: str) -> str:
    value = "true" if element == "i1" else f"{VALUES[element]} : {element}"
    return f"""
    nv_tileaa.func @k() {SPEC} {{
      %x = arith.constant {value}
      %t = nv_tileaa.print "<%{conversion}>\\n", %x : {element} -> !nv_tileaa.mem_token
      nv_tileaa.return
    }}
    """


@pytest.mark.parametrize("conversion", ["d", "i", "u", "x"])
@pytest.mark.parametrize("element", VALUES)
def test_integers(element: str, conversion: str):
    """A bit is 0 or 1, also where it is read as signed."""
    text = kernel(element, conversion)
    width, number = int(element[1:]), VALUES[element]
    if conversion not in "di":
        number %= 1 << width
    expected = f"<{number:x}>\n" if conversion == "x" else f"<{number}>\n"
    outputs = [io.StringIO(), io.StringIO()]
    interpreters.launch(tools.parse(text), "k", (1, 1, 1), [], output=outputs[0])
    lowered = lower(tools.context(), tools.parse(text), "ptx", gpu="sm_90a", file="k.mlir")
    assert lowered.ptx is not None
    emulator.load(lowered.ptx).launch("k", (1, 1, 1), [], output=outputs[1])
    assert [output.getvalue() for output in outputs] == [expected, expected]
