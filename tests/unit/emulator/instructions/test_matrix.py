"""Matrix instructions against the fragment tables of the manual, written out per shape."""

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array, Case, check
from tests.unit.emulator.instructions.fragments import (
    DTYPES,
    bits_of,
    collect,
    described,
    dot,
    packed,
    places,
    random_matrix,
    scatter,
)
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

_LANES = np.arange(32)


def warps(x: Array) -> Array:
    return x.reshape(-1, 32)


def transposed(a: Array) -> Array:
    matrices = warps(a).copy().view(np.uint16).reshape(-1, 8, 8)
    return np.ascontiguousarray(matrices.swapaxes(1, 2)).view(np.uint32).ravel()


def smem_kernel(body: str, registers: int) -> str:
    """Two warps, each with 64 rows of 16 bytes of its own in shared memory (1024 bytes).

    Lane l finds the address of its row `8 * (l % 4) + l // 4` in %s; `registers` results per lane.
    """
    stores = "\n".join(f"st.global.b32 [%o+{4 * i}], %v{i};" for i in range(registers))
    return f"""{HEADER}
.visible .entry k(.param .u64 in, .param .u64 out) .reqntid 64
{{
  .shared .align 16 .b8 buffer[2048];
  .reg .b64 %a, %o; .reg .b32 %i, %l, %w, %s, %t, %x, %v<4>;
  mov.u32 %i, %tid.x; mov.u32 %l, %laneid; mov.u32 %w, %warpid;
  ld.param.u64 %a, [in];
  mad.wide.u32 %a, %i, 16, %a;
  mov.u32 %t, buffer;
  mad.lo.u32 %t, %w, 1024, %t;
  mad.lo.u32 %s, %l, 16, %t;
  ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%a];
  st.shared.v4.b32 [%s], {{%v0, %v1, %v2, %v3}};
  bar.warp.sync -1;
  and.b32 %x, %l, 3;
  shr.u32 %l, %l, 2;
  mad.lo.u32 %l, %x, 8, %l;
  mad.lo.u32 %s, %l, 16, %t;
  {body}
  bar.warp.sync -1;
  ld.param.u64 %o, [out];
  mad.wide.u32 %o, %i, {4 * registers}, %o;
  {stores}
  ret;
}}
"""


def matrices_of(rows: Array, count: int, *, trans: bool) -> Array:
    """`[lanes, count]` registers that ldmatrix gives; `rows[l]` is the row lane l points to."""
    result = np.zeros((32, count), np.uint32)
    for j in range(count):
        matrix = rows[8 * j : 8 * j + 8]
        if trans:
            matrix = matrix.T
        for lane in range(32):
            low, high = (int(x) for x in matrix[lane // 4, 2 * (lane % 4) :][:2])
            result[lane, j] = low | high << 16
    return result


_ROW_OF_LANE = 8 * (_LANES % 4) + _LANES // 4


@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix(count: int, trans: bool):
    vector = "{" + ", ".join(f"%v{i}" for i in range(count)) + "}"
    suffix = ".trans" if trans else ""
    body = f"ldmatrix.sync.aligned.m8n8.x{count}{suffix}.shared.b16 {vector}, [%s];"
    data = np.random.default_rng(count).integers(0, 2**16, (2, 32, 8)).astype(np.uint16)
    out = np.zeros((2, 32, count), np.uint32)
    emulator.load(smem_kernel(body, count)).launch("k", (1, 1, 1), [data, out])
    for warp in range(2):
        expected = matrices_of(data[warp][_ROW_OF_LANE], count, trans=trans)
        np.testing.assert_array_equal(out[warp], expected)


@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix_is_the_inverse_of_ldmatrix(count: int, trans: bool):
    registers = [f"%v{i}" for i in range(count)]
    suffix = ".trans" if trans else ""
    vector = "{" + ", ".join(registers) + "}"
    body = (
        f"stmatrix.sync.aligned.m8n8.x{count}{suffix}.shared::cta.b16 [%s], {vector};\n"
        "bar.warp.sync -1;\n"
        f"ldmatrix.sync.aligned.m8n8.x{count}{suffix}.shared::cta.b16 {vector}, [%s];"
    )
    data = np.random.default_rng(count).integers(0, 2**32, (64, 4)).astype(np.uint32)
    out = np.zeros((64, count), np.uint32)
    emulator.load(smem_kernel(body, count)).launch("k", (1, 1, 1), [data, out])
    np.testing.assert_array_equal(out, data[:, :count])


def test_stmatrix_row_addresses():
    body = (
        "stmatrix.sync.aligned.m8n8.x1.b16 [%s], {%v0};\nmov.u32 %s, %t; ld.shared.b32 %v0, [%s];"
    )
    data = np.zeros((64, 4), np.uint32)
    data[0, 0] = 0x0002_0001
    out = np.zeros((64, 1), np.uint32)
    text = smem_kernel("cvta.shared.u64 %o, %a; " + body, 1).replace("cvta.shared.u64 %o, %a; ", "")
    text = text.replace("m8n8.x1.b16 [%s]", "m8n8.x1.shared.b16 [%s]")
    emulator.load(text).launch("k", (1, 1, 1), [data, out])
    assert (out[:32] == 0x0002_0001).all()


def test_matrix_addresses_are_checked():
    body = "add.u32 %s, %s, 8;\nldmatrix.sync.aligned.m8n8.x2.shared.b16 {%v0, %v1}, [%s];"
    text = smem_kernel(body, 2)
    args = [np.zeros((64, 4), np.uint32), np.zeros((64, 2), np.uint32)]
    with pytest.raises(emulator.EmulatorError, match="misaligned 16-byte read at shared") as caught:
        emulator.load(text).launch("k", (1, 1, 1), args)
    assert caught.value.location == emulator.ThreadLocation((0, 0, 0), 0, 0)
    # Lanes from 16 on supply no address to x2.
    body = (
        "mov.u32 %x, %laneid;\nsetp.gt.u32 %p, %x, 15;\n@%p mov.u32 %s, 3;\n"
        + body.partition("\n")[2]
    )
    text = smem_kernel(body, 2).replace("%v<4>;", "%v<4>; .reg .pred %p;")
    emulator.load(text).launch("k", (1, 1, 1), args)


CASES: tuple[Case, ...] = (
    Case("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", "a:b32", "d:b32", transposed),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)


def mma_kernel(mnemonic: str, counts: dict[str, int], kinds: dict[str, str]) -> str:
    """One warp; every register of A, B and C is loaded, D is stored, lane by lane."""
    target = "sm_89" if "e4m3" in mnemonic or "e5m2" in mnemonic else "sm_90"
    version = "8.7" if target == "sm_89" else "8.3"
    lines: list[str] = []
    for name in "abc":
        kind, size = kinds[name], 8 if kinds[name] == "f64" else 4
        lines.append(f"ld.param.u64 %p, [{name}]; mad.wide.u32 %p, %i, {size * counts[name]}, %p;")
        for i in range(counts[name]):
            lines.append(f"ld.global.{kind} %{name}{i}, [%p+{size * i}];")
    vectors = {
        name: "{" + ", ".join(f"%{name}{i}" for i in range(counts[name])) + "}" for name in "abcd"
    }
    lines.append(f"{mnemonic} {vectors['d']}, {vectors['a']}, {vectors['b']}, {vectors['c']};")
    kind, size = kinds["d"], 8 if kinds["d"] == "f64" else 4
    lines.append(f"ld.param.u64 %p, [d]; mad.wide.u32 %p, %i, {size * counts['d']}, %p;")
    lines += [f"st.global.{kind} [%p+{size * i}], %d{i};" for i in range(counts["d"])]
    registers = " ".join(f".reg .{kinds[name]} %{name}<{counts[name]}>;" for name in "abcd")
    body = "\n".join(lines)
    return f""".version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) .reqntid 32
{{
  .reg .b64 %p; .reg .b32 %i; {registers}
  mov.u32 %i, %tid.x;
{body}
  ret;
}}
"""


MULTIPLICATIONS: tuple[str, ...] = (
    *(
        f"mma.sync.aligned.{shape}.row.col.{d}.f16.f16.{d}"
        for shape in ("m16n8k16", "m16n8k8")
        for d in ("f32", "f16")
    ),
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
    *(
        f"mma.sync.aligned.{shape}.row.col{sat}.s32.{a}.{b}.s32"
        for shape, sat, a, b in (
            ("m16n8k32", "", "s8", "s8"),
            ("m16n8k32", ".satfinite", "u8", "s8"),
            ("m16n8k16", "", "s8", "u8"),
            ("m8n8k16", ".satfinite", "u8", "u8"),
            ("m8n8k32", "", "s4", "s4"),
            ("m8n8k32", ".satfinite", "u4", "u4"),
            ("m16n8k32", ".satfinite", "s4", "u4"),
            ("m16n8k32", "", "u4", "s4"),
            ("m16n8k64", "", "u4", "s4"),
            ("m16n8k64", "", "u4", "u4"),
        )
    ),
    *(
        f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{operation}.popc"
        for shape in ("m8n8k128", "m16n8k128", "m16n8k256")
        for operation in ("xor", "and")
    ),
    *(
        f"mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{d}"
        for shape, d, a, b in (
            ("m16n8k32", "f32", "e4m3", "e4m3"),
            ("m16n8k32", "f32", "e5m2", "e4m3"),
            ("m16n8k32", "f16", "e4m3", "e5m2"),
            ("m16n8k16", "f32", "e5m2", "e5m2"),
        )
    ),
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
    "mma.sync.aligned.m16n8k8.row.col.rn.f64.f64.f64.f64",
    "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",
)


def kernel_of(mnemonic: str) -> str:
    (m, n, k), _, types = described(mnemonic)
    sizes = {"d": m * n, "a": m * k, "b": k * n, "c": m * n}
    kinds = {
        name: type_ if type_ in ("f32", "f64", "s32") else "b32"
        for name, type_ in zip("dabc", types, strict=True)
    }
    counts = {
        name: sizes[name] * bits_of(type_) // (2048 if type_ == "f64" else 1024)
        for name, type_ in zip("dabc", types, strict=True)
    }
    return mma_kernel(mnemonic, counts, kinds)


def multiply(mnemonic: str, a: Array, b: Array, c: Array) -> Array:
    (m, n, _), shape, types = described(mnemonic)
    of_lanes = places("c", shape, types[3])
    d = np.zeros((32, m * n // 32), DTYPES[types[0]])
    arguments = [
        packed(scatter(a, places("a", shape, types[1])), types[1]),
        packed(scatter(b, places("b", shape, types[2])), types[2]),
        scatter(c, of_lanes),
        d,
    ]
    emulator.load(kernel_of(mnemonic)).launch("k", (1, 1, 1), arguments)
    return collect(d, of_lanes, (m, n))


@pytest.mark.parametrize("mnemonic", MULTIPLICATIONS)
def test_mma(mnemonic: str):
    (m, n, k), _, types = described(mnemonic)
    a, b = random_matrix(types[1], (m, k), 1), random_matrix(types[2], (k, n), 2)
    c = random_matrix(types[3], (m, n), 3)
    expected = dot(mnemonic, a, b, c)
    np.testing.assert_array_equal(multiply(mnemonic, a, b, c).astype(np.float64), expected)


def test_mma_integers_wrap_or_saturate():
    a, b = np.full((16, 32), 127, np.int8), np.full((32, 8), 127, np.int8)
    c = np.full((16, 8), 2**31 - 1, np.int32)
    wrapping = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
    expected = (2**31 - 1 + 127 * 127 * 32) - 2**32
    assert (multiply(wrapping, a, b, c) == expected).all()
    saturating = wrapping.replace(".col", ".col.satfinite")
    assert (multiply(saturating, a, b, c) == 2**31 - 1).all()


@pytest.mark.parametrize("types", ["s4.s4", "u4.s4"])
def test_mma_of_4_bits_wraps_or_saturates(types: str):
    wrapping = f"mma.sync.aligned.m16n8k64.row.col.s32.{types}.s32"
    low = -8 if types[0] == "s" else 0
    a, b = np.full((16, 64), low or 15, np.int8), np.full((64, 8), -8, np.int8)
    c = np.full((16, 8), 2**31 - 1 if low else -(2**31), np.int32)
    exact = (low or 15) * -8 * 64 + int(c[0, 0])
    assert (multiply(wrapping, a, b, c) == exact - (2**32 if low else -(2**32))).all()
    saturating = wrapping.replace(".col", ".col.satfinite")
    assert (multiply(saturating, a, b, c) == c).all()


def test_mma_ignores_the_low_bits_of_tf32():
    mnemonic = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
    a = np.full((16, 8), 1 + 2**-11, np.float32)
    b, c = np.ones((8, 8), np.float32), np.zeros((16, 8), np.float32)
    assert (multiply(mnemonic, a, b, c) == 8).all()


def test_mma_rounds_once():
    mnemonic = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"
    a, b = np.full((16, 16), 0.1, np.float16), np.full((16, 8), 0.3, np.float16)
    c = np.full((16, 8), 1000, np.float16)
    exact = 16 * float(a[0, 0]) * float(b[0, 0]) + 1000
    assert (multiply(mnemonic, a, b, c) == np.float16(exact)).all()


def test_mma_by_part_of_a_warp_is_a_deadlock():
    text = kernel_of(MULTIPLICATIONS[0])
    text = text.replace("mma.sync", "setp.lt.u32 %q, %i, 20;\n@%q mma.sync")
    text = text.replace(".reg .b64 %p;", ".reg .b64 %p; .reg .pred %q;")
    text = text.replace("  ret;", "  bar.sync 0;\n  ret;")
    arguments = [np.zeros(256, np.float32) for _ in range(4)]
    with pytest.raises(emulator.EmulatorError, match=r"deadlock: lanes 20, 21, .*, 31 of the warp"):
        emulator.load(text).launch("k", (1, 1, 1), arguments)
