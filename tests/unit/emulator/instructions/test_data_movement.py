"""Moves, loads and stores of every width and space."""

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import TYPES, Array, Case, check, each
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator


def unchanged(a: Array) -> Array:
    return a


def low_then_high(a: Array) -> tuple[Array, Array]:
    half = a.dtype.itemsize * 4
    return a & a.dtype.type((1 << half) - 1), a >> a.dtype.type(half)


def joined(a: Array, b: Array) -> Array:
    return a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(a.dtype.itemsize * 8)


def stored_and_loaded(type_: str, space: str, suffix: str = "") -> Case:
    """Through a variable that each thread has to itself."""
    size = TYPES[type_].bits // 8
    declaration = ".local .align 16 .b8 buffer[16];"
    index = "mov.u64 %at, buffer;"
    if space.startswith("shared"):
        declaration = f".shared .align 16 .b8 buffer[{128 * size}];"
        index = f"mov.u32 %slot, %tid.x; mov.u64 %at, buffer; mad.wide.u32 %at, %slot, {size}, %at;"
    return Case(
        f"{declaration} .reg .b64 %at; .reg .b32 %slot; {index}\n"
        f"st{suffix}.{space}.{type_} [%at], %a;\nld{suffix}.{space}.{type_} %d, [%at];",
        f"a:{type_}",
        f"d:{type_}",
        unchanged,
    )


def through_generic(space: str) -> Case:
    slot = "mad.wide.u32 %at, %slot, 4, %at;" if space == "shared" else ""
    return Case(
        f".{space} .align 4 .b8 buffer[512]; .reg .b64 %at; .reg .b32 %slot; .reg .pred %in;\n"
        f"mov.u32 %slot, %tid.x; mov.u64 %at, buffer; {slot}\n"
        f"cvta.{space}.u64 %at, %at;\nisspacep.{space} %in, %at;\n"
        "@!%in trap;\nst.u32 [%at], %a;\nld.u32 %d, [%at];\n"
        f"cvta.to.{space}.u64 %at, %at;\nld.{space}.u32 %e, [%at];",
        "a:u32",
        "d:u32 e:u32",
        lambda a: (a, a),
    )


CASES: tuple[Case, ...] = (
    *(
        Case(f"mov.{t} %d, %a;", f"a:{t}", f"d:{t}", unchanged)
        for t in (
            "pred",
            "b16",
            "b32",
            "b64",
            "u16",
            "u32",
            "u64",
            "s16",
            "s32",
            "s64",
            "f32",
            "f64",
        )
    ),
    Case("mov.b32 %d, 0f3FC00000;", "a:b32", "d:f32", lambda a: np.full(a.size, 1.5)),
    Case("mov.f64 %d, 0d3FF8000000000000;", "a:b32", "d:f64", lambda a: np.full(a.size, 1.5)),
    Case("mov.f64 %d, -2.5e0;", "a:b32", "d:f64", lambda a: np.full(a.size, -2.5)),
    Case(
        "mov.u64 %d, 0xFFFFFFFF00000001U;",
        "a:b32",
        "d:u64",
        each(lambda a: 0 * a + 0xFFFFFFFF00000001),
    ),
    Case("mov.s32 %d, -7;", "a:b32", "d:s32", lambda a: np.full(a.size, -7)),
    Case("mov.s32 %d, 017;", "a:b32", "d:s32", lambda a: np.full(a.size, 15)),
    Case("mov.s32 %d, 0b101;", "a:b32", "d:s32", lambda a: np.full(a.size, 5)),
    Case("mov.u32 %d, WARP_SZ;", "a:b32", "d:u32", lambda a: np.full(a.size, 32)),
    Case("mov.b32 {%d, %e}, %a;", "a:b32", "d:b16 e:b16", low_then_high),
    Case("mov.b64 {%d, %e}, %a;", "a:b64", "d:b32 e:b32", low_then_high),
    Case("mov.b64 {_, %e}, %a;", "a:b64", "e:b32", lambda a: a >> np.uint64(32)),
    Case("mov.b32 %d, {%a, %b};", "a:b16 b:b16", "d:b32", joined),
    Case("mov.b64 %d, {%a, %b};", "a:b32 b:b32", "d:b64", joined),
    Case(
        ".reg .b128 %w; .reg .b64 %z; mov.b128 %w, {%a, %b};\nmov.b128 {%d, %z}, %w;\n"
        "xor.b64 %e, %z, %a;",
        "a:b64 b:b64",
        "d:b64 e:b64",
        lambda a, b: (a, a ^ b),
    ),
    Case(
        "mov.b64 {%d, %e, %f, %g}, %a;",
        "a:b64",
        "d:b16 e:b16 f:b16 g:b16",
        lambda a: tuple((a >> np.uint64(16 * i)) & np.uint64(0xFFFF) for i in range(4)),
    ),
    Case(
        "setp.lt.u32 %p, %a, 1000;\n@%p mov.b32 %b, {%h, %h};\n@!%p mov.b32 {%h, _}, %b;"
        "\nmov.b32 %d, %b; mov.b16 %e, %h;",
        "a:u32 b:b32 h:b16 p:pred",
        "d:b32 e:b16",
        lambda a, b, h, p: (
            np.where(a < 1000, h.astype(np.uint32) * np.uint32(0x10001), b),
            np.where(a < 1000, h, b & np.uint32(0xFFFF)),
        ),
    ),
    *(
        stored_and_loaded(t, s)
        for s in ("shared", "local")
        for t in ("b8", "u16", "s32", "f32", "b64", "f64")
    ),
    stored_and_loaded("b32", "shared", ".volatile"),
    stored_and_loaded("b32", "shared::cta"),
    through_generic("shared"),
    through_generic("local"),
    *(
        Case(
            "cvt.s32.s8 %d, %a;\nst.local.u8 [buffer], %a;\nld.local.s8 %e, [buffer];".replace(
                "cvt", ".local .b8 buffer[4]; cvt"
            ),
            "a:s8",
            "d:s32 e:s16",
            lambda a: (a, a),
        )
        for _ in "1"
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)


# Loads and stores of global memory: what is between `ld.` or `st.` and the registers.
LOADS: tuple[str, ...] = (
    "global.v2.f32",
    "global.v4.f32",
    "global.v2.b64",
    "global.v2.f64",
    "global.v4.u32",
    "global.v2.u16",
    "global.v4.b8",
    "weak.global.ca.b32",
    "global.cg.b32",
    "global.L1::no_allocate.L2::128B.v4.b32",
    "global.L1::evict_last.b32",
    "global.nc.v4.f32",
    "global.nc.L1::no_allocate.L2::256B.v2.b32",
    "volatile.global.u32",
    "relaxed.gpu.global.u32",
    "acquire.sys.global.u32",
    "acquire.cta.u32",
    "relaxed.cluster.global.L1::no_allocate.v2.u32",
    "mmio.relaxed.sys.global.u32",
    "const.u32",
    "v4.u32",
    "u64",
)
STORES: tuple[str, ...] = (
    "global.v2.f32",
    "global.v4.f32",
    "global.v2.b64",
    "global.v4.b8",
    "global.v2.u16",
    "weak.global.wb.b32",
    "global.cs.v4.b32",
    "global.L1::no_allocate.v4.b32",
    "volatile.global.v2.u32",
    "relaxed.gpu.global.u32",
    "release.sys.global.u32",
    "release.cta.u32",
    "mmio.relaxed.sys.global.u32",
    "v4.u32",
    "f64",
)
WIDE_LOADS: tuple[str, ...] = ("global.v8.b32", "global.v4.b64", "global.nc.v8.f32")
WIDE_STORES: tuple[str, ...] = ("global.v8.b32", "global.v4.f64")


def shape_of(mnemonic: str) -> tuple[int, str]:
    """How many registers of which type an access moves."""
    parts = mnemonic.split(".")
    vector = next((part for part in parts if part in ("v2", "v4", "v8")), "v1")
    return int(vector[1:]), parts[-1]


def access_kernel(mnemonic: str, *, load: bool, target: str = "sm_90") -> str:
    """Copies one access per thread; the other side moves registers one by one."""
    count, type_ = shape_of(mnemonic)
    size = TYPES[type_].bits // 8
    registers = [f"%v{i}" for i in range(count)]
    vector = f"{{{', '.join(registers)}}}" if count > 1 else registers[0]
    if load:
        moves = [f"ld.{mnemonic} {vector}, [%from];"]
        moves += [f"st.global.b{8 * size} [%to+{i * size}], {r};" for i, r in enumerate(registers)]
    else:
        moves = [f"ld.global.b{8 * size} {r}, [%from+{i * size}];" for i, r in enumerate(registers)]
        moves += [f"st.{mnemonic} [%to], {vector};"]
    header = HEADER if target == "sm_90" else ".version 8.8\n.target sm_100a\n.address_size 64\n"
    source = "table" if mnemonic.startswith("const") else "from"
    constants = ", ".join(str(1000 + i) for i in range(64))
    return f"""{header}
.const .align 16 .u32 table[64] = {{{constants}}};
.visible .entry k(.param .u64 from, .param .u64 to) .reqntid 64
{{
  .reg .b64 %from, %to; .reg .b32 %i; .reg .{TYPES[type_].register} %v<{count}>;
  ld.param.u64 %from, [from];
  {"mov.u64 %from, table;" if source == "table" else ""}
  ld.param.u64 %to, [to];
  mov.u32 %i, %tid.x;
  mad.wide.u32 %from, %i, {size * count}, %from;
  mad.wide.u32 %to, %i, {size * count}, %to;
  {" ".join(moves)}
  ret;
}}
"""


@pytest.mark.parametrize(
    ("mnemonic", "load"),
    [*((m, True) for m in (*LOADS, *WIDE_LOADS)), *((m, False) for m in (*STORES, *WIDE_STORES))],
)
def test_global_access(mnemonic: str, load: bool):
    count, type_ = shape_of(mnemonic)
    source = np.random.default_rng(3).integers(0, 100, 64 * count).astype(TYPES[type_].dtype)
    result = np.zeros_like(source)
    emulator.load(access_kernel(mnemonic, load=load)).launch("k", (1, 1, 1), [source, result])
    expected = np.arange(1000, 1064) if mnemonic.startswith("const") else source
    np.testing.assert_array_equal(result, expected)


def test_mixed_generic_addresses():
    """Even threads point into shared memory, odd ones into global memory."""
    text = f"""{HEADER}
.visible .entry k(.param .u64 p) .reqntid 64
{{
  .shared .align 4 .b8 buffer[256];
  .reg .pred %q; .reg .b64 %a, %b; .reg .b32 %i, %x, %o;
  mov.u32 %i, %tid.x;
  mov.u64 %a, buffer;
  cvta.shared.u64 %a, %a;
  ld.param.u64 %b, [p];
  and.b32 %o, %i, 1;
  setp.eq.u32 %q, %o, 0;
  selp.b64 %a, %a, %b, %q;
  mad.wide.u32 %a, %i, 4, %a;
  add.u32 %x, %i, 500;
  st.u32 [%a], %x;
  ld.u32 %x, [%a];
  atom.add.u32 %x, [%a], 1;
  mad.wide.u32 %b, %i, 4, %b;
  st.global.u32 [%b+256], %x;
  ret;
}}
"""
    out = np.zeros(128, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out])
    lanes = np.arange(64)
    np.testing.assert_array_equal(out[:64], np.where(lanes % 2, lanes + 501, 0))
    np.testing.assert_array_equal(out[64:], lanes + 500)


def test_module_variables_and_initialisers():
    text = f"""{HEADER}
.global .align 8 .u64 pointer = generic(values);
.global .align 4 .f32 values[4] = {{0f3F800000, 2.5, -3.0}};
.global .align 4 .b8 text[5] = {{104, 105, 0}};
.visible .entry k(.param .u64 out) .reqntid 32
{{
  .reg .b64 %a, %o; .reg .b32 %x; .reg .b16 %h;
  ld.param.u64 %o, [out];
  ld.global.u64 %a, [pointer];
  ld.b32 %x, [%a+8];
  st.global.b32 [%o], %x;
  ld.global.b32 %x, [values+4];
  st.global.b32 [%o+4], %x;
  ld.global.u8 %h, [text+1];
  cvt.u32.u16 %x, %h;
  st.global.b32 [%o+8], %x;
  ret;
}}
"""
    out = np.zeros(3, np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out])
    np.testing.assert_array_equal(out[:2].view(np.float32), [-3.0, 2.5])
    assert out[2] == 105


def test_hints_do_nothing():
    text = f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid 32
{{
  .reg .b64 %o, %policy; .reg .b32 %x;
  ld.param.u64 %o, [out];
  createpolicy.fractional.L2::evict_last.b64 %policy, 0f3F800000;
  createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %policy;
  createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %policy, [%o], 128, 256;
  createpolicy.cvt.L2.b64 %policy, 0x12F0000000000000;
  prefetch.global.L2 [%o];
  prefetch.global.L2::evict_last [%o];
  prefetchu.L1 [%o];
  applypriority.global.L2::evict_normal [%o], 128;
  discard.global.L2 [%o], 128;
  prefetch.param.tensormap [%o];
  ld.global.L2::cache_hint.b32 %x, [%o], %policy;
  add.u32 %x, %x, 1;
  st.global.L1::no_allocate.L2::cache_hint.b32 [%o], %x, %policy;
  ldu.global.u32 %x, [%o];
  ret;
}}
"""
    out = np.array([41], np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out])
    assert out[0] == 42


def bulk_store_kernel(store: str) -> str:
    """Thread 0 fills part of a buffer of 512 bytes of ones, which is then stored whole."""
    return f"""
.version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 size) .reqntid 64
{{
  .shared .align 16 .b64 buffer[64];
  .reg .pred %p; .reg .b64 %o, %at, %size, %x; .reg .b32 %i, %s;
  ld.param.u64 %o, [out]; ld.param.u64 %size, [size];
  mov.u32 %i, %tid.x; mov.u32 %s, buffer; mad.lo.u32 %s, %i, 8, %s;
  mad.wide.u32 %o, %i, 8, %o; mov.u64 %x, -1;
  st.shared.u64 [%s], %x;
  bar.sync 0;
  setp.eq.u32 %p, %i, 0;
  mov.u32 %s, buffer; cvta.shared.u64 %at, buffer;
  @%p {store}
  bar.sync 0;
  mad.lo.u32 %s, %i, 8, %s; ld.shared.u64 %x, [%s]; st.global.u64 [%o], %x;
  ret;
}}
"""


BULK_STORES = (
    "st.bulk.weak.shared::cta [%s + 16], %size, 0;",
    "st.bulk [%at + 16], %size, 0;",
)


@pytest.mark.parametrize("store", BULK_STORES)
@pytest.mark.parametrize("size", [0, 8, 24, 496])
def test_bulk_store(store: str, size: int):
    out = np.zeros(64, np.int64)
    emulator.run(bulk_store_kernel(store), 1, None, [out, size], races=True, warp_seed=1)
    expected = np.full(64, -1)
    expected[2 : 2 + size // 8] = 0
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("store", "size", "message"),
    [
        (BULK_STORES[0], 12, "the size is not a multiple of 8 bytes"),
        (BULK_STORES[0], 512, "shared"),
        (BULK_STORES[1], 2**40, "0x"),
        ("st.bulk [%at], %size, 1;", 8, "st.bulk fills memory with 0 only"),
    ],
)
def test_bulk_stores_that_do_not_fit(store: str, size: int, message: str):
    with pytest.raises(emulator.EmulatorError, match=message) as caught:
        emulator.run(bulk_store_kernel(store), 1, None, [np.zeros(64, np.int64), size])
    assert caught.value.line == 16
