"""Rounding modes of conversions between floats: those that NVIDIA's disassembler takes."""

import itertools
import subprocess

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.unit.bytecode import reference
from tileir_xdsl.bytecode import write
from tileir_xdsl.dialects.cuda_tile.conversions import FToFOp, RoundingMode, RoundingModeAttr
from tileir_xdsl.testing import tools

TYPES = ("f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E8M0FNU")
MODES = (RoundingMode.ZERO, RoundingMode.POSITIVE_INF, RoundingMode.FULL, RoundingMode.NEAREST_AWAY)


@pytest.mark.parametrize(("source", "result"), list(itertools.permutations(TYPES, 2)))
def test_modes(source: str, result: str):
    """The verifier accepts the same modes, and refuses the others in the same words."""
    module = tools.parse(
        f"cuda_tile.module @m {{ entry @k() {{ %a = constant <{source}: 1.0> : tile<4x{source}>\n"
        f"%b = ftof %a : tile<4x{source}> -> tile<4x{result}>\nreturn }} }}",
        verify=False,
    )
    (operation,) = (op for op in module.walk() if isinstance(op, FToFOp))
    for mode in MODES:
        operation.rounding_mode = RoundingModeAttr(mode)
        data = write(module, "13.5")
        try:
            operation.verify()
        except VerifyException as error:
            with pytest.raises(subprocess.CalledProcessError) as refused:
                reference.disassemble(data)
            words = str(error).splitlines()[0].partition(" op ")[2]
            assert words and words in refused.value.stderr
        else:
            assert "ftof" in reference.disassemble(data)
