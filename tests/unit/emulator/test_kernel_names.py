"""Names of a kernel's own variables hide those of the module, in every state space."""

from itertools import product

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator


@pytest.mark.parametrize(
    ("outer", "inner"), tuple(product(("global", "const"), ("shared", "local", "param")))
)
def test_an_inner_variable_hides_that_of_the_module(outer: str, inner: str):
    is_parameter = inner == "param"
    own = "" if is_parameter else f".{inner} .align 4 .b32 x[2]; st.{inner}.u32 [x], 5;"
    text = f"""{HEADER}
.{outer} .align 4 .b32 first[2] = {{1, 2}};
.{outer} .align 4 .b32 x[2] = {{3, 4}};
.visible .entry k(.param .u64 out, .param .u32 {"x" if is_parameter else "y"}) .reqntid 1
{{
  .reg .b64 %o; .reg .b32 %r;
  ld.param.u64 %o, [out];
  {own}
  ld.{inner}.u32 %r, [x];
  st.global.u32 [%o], %r;
  ld.{outer}.u32 %r, [first+4];
  st.global.u32 [%o+4], %r;
  ret;
}}
"""
    out = np.zeros(2, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out, 5])
    assert list(out) == [5, 2]
