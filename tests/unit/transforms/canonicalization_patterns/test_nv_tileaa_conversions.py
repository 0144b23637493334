"""Conversions that become one have the values of both, for every number of the first format."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.road.agreement import evaluate
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools

BETWEEN = ("f16", "bf16")
RESULTS: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
FORMATS: dict[str, Any] = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
}
CODES = np.arange(256, dtype=np.uint8).view(np.int8)


def _body(source: str, between: str, result: str) -> str:
    if source == "i8":
        first = f"itof %x0 signed : tile<256xi8> -> tile<256x{between}>"
        code = ""
    else:
        code = f"%code = bitcast %x0 : tile<256xi8> -> tile<256x{source}>"
        first = f"ftof %code : tile<256x{source}> -> tile<256x{between}>"
    return f"""
      {code}
      %first = {first}
      %y0 = ftof %first : tile<256x{between}> -> tile<256x{result}>
    """


def _expected(source: str, result: str) -> NDArray[Any]:
    return CODES.view(FORMATS[source]).astype(np.float32).astype(RESULTS[result])


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("gpu", ("sm_89", "sm_90a"))
def test_all_codes(source: str, between: str, gpu: str):
    results = [result for result in RESULTS if result != between]
    for result in results:
        body = _body(source, between, result)
        (found,) = evaluate(body, [CODES], [(result, (256,))], gpu=gpu)
        expected = _expected(source, result)
        np.testing.assert_array_equal(found.astype(np.float32), expected.astype(np.float32))


def test_one_conversion_is_left():
    text = """
      nv_tileaa.func @f(%x: tensor<8xbf16>) {
        %wide = nv_tileaa.fp_to_fp %x : tensor<8xbf16> to tensor<8xf32>
        %wider = nv_tileaa.fp_to_fp %wide : tensor<8xf32> to tensor<8xf64>
        %half = nv_tileaa.fp_to_fp %wider : tensor<8xf64> to tensor<8xf16>
        "test.op"(%half) : (tensor<8xf16>) -> ()
        nv_tileaa.return
      }
    """
    module = tools.run_passes(tools.parse(text), "canonicalize")
    (conversion,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FpToFpOp))
    assert str(conversion.source.type) == "tensor<8xbf16>"
