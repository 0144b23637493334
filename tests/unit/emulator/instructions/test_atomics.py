"""Atomic updates against a loop over the threads."""

import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import TYPES, Array
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

_THREADS = 128
_CELLS = 5


def compare_and_swap(old: Any, b: Any, c: Any) -> Any:
    return c if old == b else old


def exchange(old: Any, b: Any) -> Any:
    del old
    return b


def increment(old: Any, b: Any) -> Any:
    return 0 if old >= b else old + 1


def decrement(old: Any, b: Any) -> Any:
    return b if old == 0 or old > b else old - 1


_MEANINGS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "min": min,
    "max": max,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "exch": exchange,
    "inc": increment,
    "dec": decrement,
    "cas": compare_and_swap,
}

# Operation and what follows it, with the type of its operand.
FORMS: tuple[tuple[str, str, str], ...] = (
    *(("add", "", t) for t in ("u32", "s32", "u64", "f32", "f64")),
    *(("add", ".noftz", t) for t in ("f16", "f16x2", "bf16", "bf16x2")),
    *((op, "", t) for op in ("min", "max") for t in ("u32", "s32", "u64", "s64")),
    *((op, "", t) for op in ("and", "or", "xor", "exch", "cas") for t in ("b32", "b64")),
    ("cas", "", "b16"),
    ("inc", "", "u32"),
    ("dec", "", "u32"),
)


def atomic_kernel(instruction: str, type_: str, *, space: str, returns: bool, third: bool) -> str:
    """Thread i updates cell `cell[i]` with `b[i]` (and `c[i]`), and stores the old value."""
    operand = TYPES[type_]
    size, bits = operand.bits // 8, operand.bits
    if space == "shared":
        base = """
  mov.u32 %s, buffer;
  setp.lt.u32 %p, %i, 5;
  @%p mad.lo.u32 %s2, %i, SIZE, %s;
  @%p mad.wide.u32 %x, %i, SIZE, %memory;
  @%p ld.global.bBITS %d, [%x];
  @%p st.shared.bBITS [%s2], %d;
  bar.sync 0;
  mad.lo.u32 %s3, %c, SIZE, %s;
"""
        address = "%s3"
        finish = """
  bar.sync 0;
  @%p ld.shared.bBITS %d, [%s2];
  @%p st.global.bBITS [%x], %d;
"""
    else:
        base = "  mad.wide.u32 %m, %c, SIZE, %memory;\n"
        address, finish = "%m", ""
    destination = "%d, " if returns else ""
    operands = "%b, %e" if third else "%b"
    body = f"""
  ld.param.u64 %memory, [memory];
  ld.param.u64 %x, [cell]; mad.wide.u32 %x, %i, 4, %x; ld.global.u32 %c, [%x];
  ld.param.u64 %x, [b]; mad.wide.u32 %x, %i, SIZE, %x; ld.global.bBITS %b, [%x];
  ld.param.u64 %x, [c]; mad.wide.u32 %x, %i, SIZE, %x; ld.global.bBITS %e, [%x];
{base}
  {instruction} {destination}[{address}], {operands};
  ld.param.u64 %y, [old]; mad.wide.u32 %y, %i, SIZE, %y;
  {"st.global.bBITS [%y], %d;" if returns else ""}
{finish}
  ret;
"""
    body = body.replace("SIZE", str(size)).replace("BITS", str(bits))
    return f"""{HEADER}
.visible .entry k(.param .u64 memory, .param .u64 cell, .param .u64 b, .param .u64 c,
                  .param .u64 old) .reqntid {_THREADS}
{{
  .shared .align 16 .b8 buffer[64];
  .reg .pred %p; .reg .b32 %i, %c, %s, %s2, %s3; .reg .b64 %x, %y, %m, %memory;
  .reg .{operand.register} %b, %d, %e;
  mov.u32 %i, %tid.x;
{body}
}}
"""


def spelled(op: str, suffix: str, type_: str, space: str, *, returns: bool) -> str:
    return f"{'atom' if returns else 'red'}.relaxed.gpu.{space}.{op}{suffix}.{type_}"


def values_of(type_: str, seed: int, count: int) -> Array:
    generator = np.random.default_rng(seed)
    operand = TYPES[type_]
    shape = (count, operand.elements) if operand.elements > 1 else count
    if operand.dtype.kind in "iu":
        limit = 9 if type_ == "b16" or seed % 2 else 1 << min(operand.bits - 1, 40)
        return generator.integers(0, limit, shape).astype(operand.dtype)
    return generator.integers(-64, 64, shape).astype(operand.dtype)


def sequentially(op: str, memory: Array, cell: Array, operands: list[Array]) -> tuple[Array, Array]:
    """The memory afterwards and the old values, one thread after the other."""
    memory, old = memory.copy(), []
    for thread, index in enumerate(cell):
        before = memory[index].copy()
        old.append(before)
        lanes = [operand[thread] for operand in operands]
        memory[index] = _MEANINGS[op](before, *lanes)
    return memory, np.array(old)


ORDERS = (
    "atom.global.gpu.acq_rel.add.u32",
    "atom.global.acq_rel.gpu.add.u32",
    "atom.global.add.u32",
    "atom.shared::cta.cta.relaxed.add.u32",
)


def order_kernel(mnemonic: str) -> str:
    space = "shared" if "shared" in mnemonic else "global"
    return atomic_kernel(mnemonic, "u32", space=space, returns=True, third=False)


@pytest.mark.parametrize("mnemonic", ORDERS)
def test_orders_of_qualifiers(mnemonic: str):
    memory, cells = np.zeros(8, np.uint32), np.arange(_THREADS, dtype=np.uint32) % 4
    added, old = np.ones(_THREADS, np.uint32), np.zeros(_THREADS, np.uint32)
    emulator.load(order_kernel(mnemonic)).launch("k", (1, 1, 1), [memory, cells, added, added, old])
    assert memory.tolist() == [_THREADS // 4] * 4 + [0] * 4


@pytest.mark.parametrize("returns", [True, False], ids=["atom", "red"])
@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize(("op", "suffix", "type_"), FORMS)
def test_meaning(op: str, suffix: str, type_: str, space: str, returns: bool):
    if op in ("exch", "cas") and not returns:
        return
    memory = values_of(type_, 1, _CELLS)
    cell = np.random.default_rng(7).integers(0, _CELLS, _THREADS).astype(np.uint32)
    b, c = values_of(type_, 3, _THREADS), values_of(type_, 5, _THREADS)
    old = np.zeros_like(b)
    operands = [b, c] if op == "cas" else [b]
    with np.errstate(all="ignore"):
        expected, expected_old = sequentially(op, memory, cell, operands)
    instruction = spelled(op, suffix, type_, space, returns=returns)
    text = atomic_kernel(instruction, type_, space=space, returns=returns, third=op == "cas")
    emulator.load(text).launch("k", (1, 1, 1), [memory, cell, b, c, old])
    np.testing.assert_array_equal(memory, expected)
    if returns:
        np.testing.assert_array_equal(old, expected_old)


VECTORS: tuple[tuple[str, Any, int], ...] = (
    ("red.relaxed.gpu.global.add.v4.f32 [%m], {%f0, %f1, %f2, %f3};", np.float32, 4),
    ("red.relaxed.gpu.global.add.v2.f32 [%m], {%f0, %f1};", np.float32, 2),
    ("atom.relaxed.gpu.global.add.v2.f32 {%f0, %f1}, [%m], {%f0, %f1};", np.float32, 2),
    ("red.global.add.noftz.v2.f16 [%m], {%h0, %h1};", np.float16, 2),
    ("atom.global.add.noftz.v2.f16 {%h2, %h3}, [%m], {%h0, %h1};", np.float16, 2),
    ("red.global.max.noftz.v2.bf16x2 [%m], {%r0, %r1};", ml_dtypes.bfloat16, 4),
    (
        "atom.global.max.noftz.v2.bf16x2 {%r2, %r3}, [%m], {%r0, %r1};",
        ml_dtypes.bfloat16,
        4,
    ),
)


def vector_kernel(instruction: str, dtype: Any, count: int) -> str:
    """Every thread updates the same `count` elements with its own."""
    prefix, size = {"%f": ("%f", 4), "%h": ("%h", 2), "%r": ("%r", 4)}[
        next(p for p in ("%f", "%h", "%r") if p in instruction)
    ]
    registers = count * np.dtype(dtype).itemsize // size
    loads = "\n".join(
        f"ld.global.b{8 * size} {prefix}{i}, [%b+{i * size}];" for i in range(registers)
    )
    return f"""{HEADER}
.visible .entry k(.param .u64 memory, .param .u64 b) .reqntid 32
{{
  .reg .b32 %i, %r<4>; .reg .b64 %m, %b; .reg .f32 %f<4>; .reg .b16 %h<4>;
  mov.u32 %i, %tid.x;
  ld.param.u64 %m, [memory];
  ld.param.u64 %b, [b];
  mad.wide.u32 %b, %i, {registers * size}, %b;
  {loads}
  {instruction}
  ret;
}}
"""


@pytest.mark.parametrize(("instruction", "dtype", "count"), VECTORS)
def test_vectors(instruction: str, dtype: Any, count: int):
    memory = np.zeros(count, dtype)
    b = np.random.default_rng(2).integers(-8, 8, (32, count)).astype(dtype)
    text = vector_kernel(instruction, dtype, count)
    emulator.load(text).launch("k", (1, 1, 1), [memory, b])
    combined = b.max(0, initial=0) if "max" in instruction else b.astype(np.float32).sum(0)
    np.testing.assert_array_equal(memory, combined.astype(dtype))


def test_single_addition_flushes_subnormals_in_global_memory_only():
    for space, expected in (("global", 0.0), ("shared", 3e-40)):
        instruction = spelled("add", "", "f32", space, returns=False)
        text = atomic_kernel(instruction, "f32", space=space, returns=False, third=False)
        memory = np.zeros(_CELLS, np.float32)
        cell = np.zeros(_THREADS, np.uint32)
        b = np.zeros(_THREADS, np.float32)
        b[:2] = 1e-40, 2e-40
        emulator.load(text).launch("k", (1, 1, 1), [memory, cell, b, b, b.copy()])
        assert memory[0] == np.float32(expected)


def test_compare_and_swap_of_128_bits():
    text = f"""{HEADER}
.visible .entry k(.param .u64 memory, .param .u64 old) .reqntid 32
{{
  .reg .b32 %i; .reg .b64 %m, %lo, %x, %y; .reg .b128 %a, %b, %d;
  mov.u32 %i, %tid.x;
  cvt.u64.u32 %lo, %i;
  ld.param.u64 %m, [memory];
  mov.b128 %a, {{%lo, 7}};
  add.u64 %x, %lo, 1;
  mov.b128 %b, {{%x, 7}};
  atom.relaxed.gpu.global.cas.b128 %d, [%m], %a, %b;
  mov.b128 {{%x, %y}}, %d;
  ld.param.u64 %m, [old];
  mad.wide.u32 %m, %i, 8, %m;
  st.global.u64 [%m], %x;
  ret;
}}
"""
    memory = np.array([0, 7], np.uint64)
    old = np.zeros(32, np.uint64)
    emulator.load(text).launch("k", (1, 1, 1), [memory, old])
    np.testing.assert_array_equal(memory, [32, 7])
    np.testing.assert_array_equal(old, np.arange(32))
