"""Instructions on multicast memory, of which the emulator has one device."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

REGISTERS = {"32": "%r", "64": "%l"}

REDUCTIONS = (
    ("and", "b32", np.bitwise_and),
    ("xor", "b64", np.bitwise_xor),
    ("add", "u64", np.add),
    ("add", "s32", np.add),
    ("min", "s64", np.minimum),
    ("max", "u32", np.maximum),
)

ORDERS = (
    ("", "", ""),
    (".relaxed.gpu", ".relaxed.gpu", ".relaxed.gpu"),
    (".acquire.sys", ".release.cta", ".release.cluster"),
)
"""Of a load, a store and a reduction."""


def kernel(operation: str, type_: str, orders: tuple[str, str, str]) -> str:
    """Loads what is there, stores it behind, and combines 3 with what was there."""
    load, store, reduction = orders
    bits = type_[1:]
    x = REGISTERS[bits]
    return f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 32
{{
  .reg .b64 %a, %l, %m; .reg .b32 %i, %r, %s;
  mov.u32 %i, %tid.x; ld.param.u64 %a, [out]; mad.wide.u32 %a, %i, {int(bits) // 8}, %a;
  multimem.ld_reduce{load}.global.{operation}.{type_} {x}, [%a];
  multimem.st{store}.global.u{bits} [%a+{4 * int(bits)}], {x};
  mov.b{bits} {x}, 3;
  multimem.red{reduction}.global.{operation}.{type_} [%a], {x};
  ret;
}}
"""


PAIRS = f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 32
{{
  .reg .b64 %a; .reg .b32 %i, %r;
  mov.u32 %i, %tid.x; ld.param.u64 %a, [out]; mad.wide.u32 %a, %i, 4, %a;
  multimem.ld_reduce.weak.global.max.f16x2 %r, [%a];
  multimem.st.weak.global.f16x2 [%a+128], %r;
  multimem.ld_reduce.relaxed.gpu.global.add.acc::f32.f16x2 %r, [%a+128];
  multimem.ld_reduce.weak.global.add.acc::f32.f16x2 %r, [%a+128];
  multimem.red.relaxed.gpu.global.add.f16x2 [%a], %r;
  ret;
}}
"""


def built_kernels() -> list[str]:
    """One for each operation and order."""
    return [
        PAIRS,
        *(kernel(name, type_, orders) for name, type_, _ in REDUCTIONS for orders in ORDERS),
    ]


@pytest.mark.parametrize("orders", ORDERS)
@pytest.mark.parametrize(("operation", "type_", "function"), REDUCTIONS)
def test_one_device(operation: str, type_: str, function: np.ufunc, orders: tuple[str, str, str]):
    kind = "int" if type_[0] == "s" else "uint"
    data = np.arange(-16, 48).astype(f"{kind}{type_[1:]}")
    found = data.copy()
    emulator.load(kernel(operation, type_, orders)).launch("k", (1, 1, 1), [found])
    np.testing.assert_array_equal(found[32:], data[:32])
    np.testing.assert_array_equal(found[:32], function(data[:32], data.dtype.type(3)))


def test_pairs_of_halves():
    data = np.arange(-32, 96).astype(np.float16)
    found = data.copy()
    emulator.load(PAIRS).launch("k", (1, 1, 1), [found])
    np.testing.assert_array_equal(found[64:], data[:64])
    np.testing.assert_array_equal(found[:64], np.add(data[:64], data[:64]))
