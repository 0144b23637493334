"""Constants in the offsets of pointers come last, and the offsets stay what they are."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing.tools import parse, run_passes

TOKEN = "!nv_tileaa.mem_token"
NUMBERS = "tensor<16xi64>"
OFFSET_LEAVES = {"x": np.arange(16), "three": np.full(16, 3)}
_SIGNS = {"nv_tileaa.addi": 1, "arith.subi": -1}


def offsets_of_two_sums(outer: str) -> list[tuple[str, NDArray[Any]]]:
    """Every sum or difference of two sums or differences of leaves, the second one times three.

    Each is the text that makes `%at`, and what it is.
    """
    found: list[tuple[str, NDArray[Any]]] = []
    for ops in product(_SIGNS, repeat=2):
        for leaves in product(OFFSET_LEAVES, repeat=4):
            a, b, c, d = (OFFSET_LEAVES[leaf] for leaf in leaves)
            left, right = a + _SIGNS[ops[0]] * b, c + _SIGNS[ops[1]] * d
            text = "".join(
                f"%{name} = {op} %{first}, %{second} : {NUMBERS}\n"
                for name, op, first, second in (
                    ("left", ops[0], *leaves[:2]),
                    ("right", ops[1], *leaves[2:]),
                )
            )
            # Also by a factor, which the constant inside has as well.
            text += f"%scaled = arith.muli %right, %three : {NUMBERS}\n"
            text += f"%at = {outer} %left, %scaled : {NUMBERS}\n"
            found.append((text, left + _SIGNS[outer] * 3 * right))
    return found


@pytest.mark.parametrize("outer", _SIGNS)
def test_offsets_stay_what_they_are(outer: str):
    """Constants anywhere in sums and differences, on either side."""
    offsets = offsets_of_two_sums(outer)
    body = ""
    for number, (text, _) in enumerate(offsets):
        body += re.sub(r"%(left|right|scaled|at)\b", rf"%\1_{number}", text)
        body += f"""
          %from_{number} = nv_tileaa.addptr %array, %at_{number} : tensor<16x!nv_tileaa.ptr<i32>>, {NUMBERS}
          %v_{number}, %t_{number} = nv_tileaa.load weak %from_{number} : tensor<16x!nv_tileaa.ptr<i32>> -> tensor<16xi32>, {TOKEN}
          %n_{number} = arith.constant dense<{16 * number}> : {NUMBERS}
          %place_{number} = nv_tileaa.addi %n_{number}, %x : {NUMBERS}
          %to_{number} = nv_tileaa.addptr %out, %place_{number} : tensor<16x!nv_tileaa.ptr<i32>>, {NUMBERS}
          %done_{number} = nv_tileaa.store weak %to_{number}, %v_{number} : tensor<16x!nv_tileaa.ptr<i32>>, tensor<16xi32> -> {TOKEN}
        """
    text = f"""
      nv_tileaa.func @kernel(%p: !nv_tileaa.ptr<i32>, %o: !nv_tileaa.ptr<i32>) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
        %zero = arith.constant 0 : i32
        %sixteen = arith.constant 16 : i32
        %range = nv_tileaa.make_range %zero, %sixteen : i32 -> tensor<16xi32>
        %x = arith.extui %range : tensor<16xi32> to {NUMBERS}
        %three = arith.constant dense<3> : {NUMBERS}
        %start = arith.constant 200 : i64
        %middle = nv_tileaa.addptr %p, %start : !nv_tileaa.ptr<i32>, i64
        %array = nv_tileaa.splat %middle : !nv_tileaa.ptr<i32> -> tensor<16x!nv_tileaa.ptr<i32>>
        %out = nv_tileaa.splat %o : !nv_tileaa.ptr<i32> -> tensor<16x!nv_tileaa.ptr<i32>>
        {body}
        nv_tileaa.return
      }}
    """
    array, out = np.arange(-200, 200, dtype=np.int32), np.zeros((len(offsets), 16), np.int32)
    launch(run_passes(parse(text), "canonicalize"), "kernel", (1, 1, 1), [array, out])
    np.testing.assert_array_equal(out, [offset for _, offset in offsets])
