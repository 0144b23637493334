"""Products of a warp with a sparse factor, lane by lane as the manual gives them."""

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tileir_xdsl import emulator

# Numpy's type of a factor, the bits that it takes in a register, its own bits, and where they are.
TYPES: dict[str, tuple[Any, int, int, int]] = {
    "f16": (np.float16, 16, 16, 0),
    "bf16": (ml_dtypes.bfloat16, 16, 16, 0),
    "tf32": (np.float32, 32, 32, 0),
    "s8": (np.int8, 8, 8, 0),
    "u8": (np.uint8, 8, 8, 0),
    "s4": (ml_dtypes.int4, 4, 4, 0),
    "u4": (ml_dtypes.uint4, 4, 4, 0),
    "e4m3": (ml_dtypes.float8_e4m3fn, 8, 8, 0),
    "e5m2": (ml_dtypes.float8_e5m2, 8, 8, 0),
    "e3m2": (ml_dtypes.float6_e3m2fn, 8, 6, 0),
    "e2m3": (ml_dtypes.float6_e2m3fn, 8, 6, 0),
    "e2m1": (ml_dtypes.float4_e2m1fn, 8, 4, 2),
    "packed e2m1": (ml_dtypes.float4_e2m1fn, 4, 4, 0),
}
RESULTS: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "s32": np.int32}
PAIRED = ("s4", "u4", "packed e2m1")
ORDERED = (0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110)
ANY_ORDER = tuple(bits for bits in range(16) if bits % 4 != bits // 4)


def stored_places(type_: str, bits: int) -> list[int]:
    """Where the stored elements of a chunk are, and with the width of a chunk, as in the figures."""
    if type_ == "tf32":
        return [{0b0100: 0, 0b1110: 1}[bits]]
    first, second = bits & 3, bits >> 2
    if type_ in PAIRED:
        return [2 * first, 2 * first + 1, 2 * second, 2 * second + 1]
    return [first, second]


def chunk_width(type_: str) -> int:
    return 2 if type_ == "tf32" else 8 if type_ in PAIRED else 4


def compressed(type_: str, shape: tuple[int, int], ordered: bool, seed: int) -> tuple[Array, ...]:
    """A random factor `[m, k]`: its stored elements, its metadata by chunks, and all its elements."""
    rng = np.random.default_rng(seed)
    rows, k = shape
    width = chunk_width(type_)
    meaningful = (0b0100, 0b1110) if type_ == "tf32" else ORDERED if ordered else ANY_ORDER
    bits = rng.choice(meaningful, (rows, k // width))
    stored = random_values(type_, (rows, k // 2), seed + 1)
    return stored, bits, expanded(type_, stored, bits)


def expanded(type_: str, stored: Array, bits: Array) -> Array:
    """All elements of a factor, by its stored elements and its metadata."""
    width = chunk_width(type_)
    places = np.array([[stored_places(type_, int(each)) for each in row] for row in bits])
    places += width * np.arange(bits.shape[1])[:, None]
    dense = np.zeros((len(stored), 2 * stored.shape[1]))
    values = np.asarray(stored).astype(np.float64)
    np.put_along_axis(dense, places.reshape(values.shape), values, axis=1)
    return dense


def random_values(type_: str, shape: tuple[int, ...], seed: int) -> Array:
    low = 0 if type_.startswith("u") else -4
    return np.random.default_rng(seed).integers(low, 5, shape).astype(TYPES[type_][0])


def raw_bits(values: Array, type_: str) -> Array:
    """The elements as they are in a register, one number each."""
    _, _, bits, shift = TYPES[type_]
    raw = np.ascontiguousarray(values).view(f"u{values.itemsize}").astype(np.uint64)
    return (raw & np.uint64((1 << bits) - 1)) << np.uint64(shift)


def words(raw: Array, size: int) -> Array:
    """The registers of rows of numbers of `size` bits, the first in the low bits."""
    groups = raw.astype(np.uint64).reshape(len(raw), -1, 32 // size)
    return (groups << (np.arange(32 // size, dtype=np.uint64) * size)).sum(-1).astype(np.uint32)


def packed(numbers: Array, size: int) -> int:
    """Numbers in one register, the first in the low bits."""
    return sum(int(number) << size * index for index, number in enumerate(numbers))


@dataclass(frozen=True)
class Dot:
    """One `mma.sp`: the types of A and B, `k`, and the sparsity selector."""

    a: str
    b: str
    k: int
    result: str = "f32"
    selector: int = 0
    ordered: bool = False
    qualifiers: str = "m16n8k{}.row.col"
    target: str = "sm_80"
    version: str = "8.5"

    @property
    def mnemonic(self) -> str:
        order = "::ordered_metadata" if self.ordered else ""
        types = f"{self.result}.{self.a}.{self.b}.{self.result}".replace("packed ", "")
        return f"mma.sp{order}.sync.aligned.{self.qualifiers.format(self.k)}.{types}"

    @property
    def counts(self) -> tuple[int, int, int]:
        """Registers of A, B and the sums in a lane."""
        sums = 2 if self.result == "f16" else 4
        return self.k * TYPES[self.a][1] // 128, self.k * TYPES[self.b][1] // 128, sums

    @property
    def more_words(self) -> tuple[str, ...]:
        """What a lane loads behind the metadata."""
        return ()

    @property
    def more_operands(self) -> str:
        return ""

    @property
    def contributors(self) -> int:
        """How many threads of every four have metadata, by the manual."""
        if self.a in ("f16", "bf16"):
            return {16: 1, 32: 2}[self.k]
        if self.a == "tf32":
            return {8: 1, 16: 2}[self.k]
        return {32: 2, 64: 2 if self.a in PAIRED else 4, 128: 4}[self.k]

    def kernel(self) -> str:
        """Each lane loads its registers of A, B, C and the metadata, and stores D."""
        a, b, sums = self.counts
        kind = "f32" if self.result == "f32" else "b32"
        names = [f"%a{i}" for i in range(a)] + [f"%b{i}" for i in range(b)]
        names += [f"%c{i}" for i in range(sums)] + ["%e", *self.more_words]
        loads = " ".join(
            f"ld.global.{kind if 'c' in name else 'b32'} {name}, [%p+{4 * i}];"
            for i, name in enumerate(names)
        )
        first, second, third = (
            "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"
            for name, count in (("a", a), ("b", b), ("c", sums))
        )
        return f""".version {self.version}
.target {self.target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) .reqntid 32
{{
  .reg .b64 %p, %q; .reg .b32 %i, %e, %x, %y, %a<4>, %b<4>; .reg .{kind} %c<4>;
  mov.u32 %i, %tid.x; ld.param.u64 %p, [in]; mad.wide.u32 %p, %i, {4 * len(names)}, %p;
  ld.param.u64 %q, [out]; mad.wide.u32 %q, %i, {4 * sums}, %q;
  {loads}
  {self.mnemonic} {third}, {first}, {second}, {third}, %e, {self.selector}{self.more_operands};
  {" ".join(f"st.global.{kind} [%q+{4 * i}], %c{i};" for i in range(sums))}
  ret;
}}
"""


def metadata_words(dot: Dot, bits: Array) -> Array:
    """The metadata of all lanes, `[32]`: the others than those that are selected have noise."""
    words = np.random.default_rng(9).integers(0, 1 << 32, 32).astype(np.uint32)
    count = dot.contributors
    for lane in range(32):
        group, thread = lane // 4, lane % 4 - count * dot.selector
        if not 0 <= thread < count:
            continue
        if dot.a in ("f16", "bf16", "tf32"):
            own = np.concatenate([bits[row, 4 * thread :][:4] for row in (group, group + 8)])
        else:
            own = bits[group + 8 * (thread % 2), 8 * (thread // 2) :][:8]
        words[lane] = packed(own, 4)
    return words


def data_of(dot: Dot, seed: int = 0) -> tuple[Array, Array]:
    """What the lanes load, and D."""
    stored, bits, dense = compressed(dot.a, (16, dot.k), dot.ordered, seed)
    right = random_values(dot.b, (dot.k, 8), seed + 2)
    c = np.random.default_rng(seed + 3).integers(-4, 5, (16, 8)).astype(np.float64)
    a_count, b_count, sums = dot.counts
    dtype = RESULTS[dot.result]
    rows = np.array([[lane // 4 + 8 * (e // 2) for e in range(4)] for lane in range(32)])
    columns = np.array([[2 * (lane % 4) + e % 2 for e in range(4)] for lane in range(32)])
    data = np.zeros((32, a_count + b_count + sums + 1), np.uint32)
    a_raw, b_raw = raw_bits(stored, dot.a), raw_bits(right, dot.b)
    a_per, b_per = 32 // TYPES[dot.a][1], 32 // TYPES[dot.b][1]
    for lane in range(32):
        group, thread = lane // 4, lane % 4
        for register in range(a_count):
            start = a_per * (thread + 4 * (register // 2))
            numbers = a_raw[group + 8 * (register % 2), start : start + a_per]
            data[lane, register] = packed(numbers, TYPES[dot.a][1])
        for register in range(b_count):
            start = b_per * (thread + 4 * register)
            numbers = b_raw[start : start + b_per, group]
            data[lane, a_count + register] = packed(numbers, TYPES[dot.b][1])
    start_sums = np.ascontiguousarray(c[rows, columns].astype(dtype)).view(np.uint32)
    data[:, a_count + b_count : -1] = start_sums
    data[:, -1] = metadata_words(dot, bits)
    exact = dense @ right.astype(np.float64) + c
    return data, exact[rows, columns].astype(dtype)


def run(dot: Dot, data: Array) -> Array:
    out = np.zeros((32, dot.counts[2]), np.uint32)
    emulator.load(dot.kernel()).launch("k", (1, 1, 1), [data, out])
    return out.view(RESULTS[dot.result])


_SATURATING = "m16n8k{}.row.col.satfinite"
_KIND = "m16n8k{}.row.col.kind::f8f6f4"
_PLAIN: tuple[Dot, ...] = (
    *(Dot("f16", "f16", k, result) for k in (16, 32) for result in ("f16", "f32")),
    *(Dot("bf16", "bf16", k) for k in (16, 32)),
    *(Dot("tf32", "tf32", k) for k in (8, 16)),
    *(Dot(a, b, k, "s32") for a in ("s8", "u8") for b in ("s8", "u8") for k in (32, 64)),
    *(Dot(a, b, k, "s32") for a in ("s4", "u4") for b in ("s4", "u4") for k in (64, 128)),
    Dot("s8", "s8", 32, "s32", qualifiers=_SATURATING),
    Dot("u4", "u4", 128, "s32", qualifiers=_SATURATING),
    *(Dot(a, b, 64, target="sm_89") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
)
_NARROW: tuple[Dot, ...] = (
    *(
        Dot(a, b, 64, result, 0, True, _KIND, "sm_120a", "8.7")
        for a, b, result in (
            ("e4m3", "e5m2", "f16"),
            ("e3m2", "e2m1", "f32"),
            ("e2m1", "e2m3", "f32"),
            ("e2m3", "e4m3", "f16"),
        )
    ),
    Dot("e5m2", "e3m2", 64, "f32", 0, True, "kind::f8f6f4.m16n8k{}.row.col", "sm_120a", "8.7"),
    Dot("e2m1", "e2m1", 64, "f16", 0, True, "kind::f8f6f4.m16n8k{}.row.col", "sm_120a", "8.7"),
    Dot("e5m2", "e4m3", 64, "f16", 0, True, target="sm_120a", version="8.7"),
)
MMA_OPS: tuple[Dot, ...] = (
    tuple(
        replace(dot, ordered=ordered, selector=selector)
        for dot in _PLAIN
        for selector in range(4 // dot.contributors)
        for ordered in (False, True)
        if not (ordered and selector)
    )
    + _NARROW
)


@pytest.mark.parametrize("dot", MMA_OPS, ids=lambda p: f"{p.mnemonic}-{p.selector}")
def test_product(dot: Dot):
    data, expected = data_of(dot)
    np.testing.assert_array_equal(run(dot, data), expected)


def test_elements_that_are_not_stored_are_not_multiplied():
    """Not even with infinities."""
    dot = Dot("f16", "f16", 16)
    data = np.zeros((32, 9), np.uint32)
    data[:, :2] = 0x3C003C00
    data[:, -1] = 0x44444444
    # Elements 0 and 1 of each chunk are stored: rows 2 and 3 of B have infinities.
    data[[lane for lane in range(32) if lane % 2], 2:4] = 0x7C007C00
    assert (run(dot, data) == 0).all()
    data[:, -1] = 0x84444444
    assert (run(dot, data)[:, 2:] == np.inf).all()


@pytest.mark.parametrize("saturates", [False, True])
def test_integer_sums_wrap_or_saturate(saturates: bool):
    qualifiers = _SATURATING if saturates else "m16n8k{}.row.col"
    dot = Dot("s8", "s8", 32, "s32", qualifiers=qualifiers)
    data = np.full((32, 9), 0x01010101, np.uint32)
    data[:, 4:8] = 2**31 - 1
    data[:, 8] = 0xEEEEEEEE
    assert (run(dot, data) == (2**31 - 1 if saturates else -(2**31) + 15)).all()


def test_low_bits_of_tf32_do_not_count():
    dot = Dot("tf32", "tf32", 8)
    data = np.zeros((32, 9), np.uint32)
    data[:, :4] = np.float32(1 + 2.0**-11).view(np.uint32)
    data[:, 8] = 0x44444444
    assert (run(dot, data) == 4).all()


@pytest.mark.parametrize(
    ("dot", "word", "message"),
    [
        (Dot("f16", "f16", 16), 0x44444044, "row 0 and columns 8 to 11 of A is 0b0000"),
        (
            Dot("f16", "f16", 16, ordered=True),
            0x44414444,
            "row 8 and columns 0 to 3 of A is 0b0001, not one of 0b0100, 0b1000",
        ),
        (Dot("tf32", "tf32", 16), 0x4E444449, "row 0 and columns 0 to 1 of A is 0b1001"),
        (Dot("u8", "s8", 64, "s32"), 0x4444F444, "row 0 and columns 12 to 15 of A is 0b1111"),
        (Dot("s4", "s4", 64, "s32"), 0x54444444, "row 0 and columns 56 to 63 of A is 0b0101"),
    ],
    ids=str,
)
def test_metadata_without_a_meaning(dot: Dot, word: int, message: str):
    data, _ = data_of(dot)
    data[:, -1] = word
    with pytest.raises(emulator.EmulatorError) as raised:
        run(dot, data)
    assert message in raised.value.message
    lines = dot.kernel().splitlines()
    assert raised.value.line is not None and "mma.sp" in lines[raised.value.line - 1]
    assert raised.value.location is not None


def test_metadata_of_lanes_that_do_not_run():
    """In a block of one thread the error names that thread."""
    text = Dot("tf32", "tf32", 8).kernel().replace(".reqntid 32", ".reqntid 1")
    arrays = [np.zeros(4096, np.uint8), np.zeros(4096, np.uint8)]
    with pytest.raises(emulator.EmulatorError, match="the metadata of row 0") as raised:
        emulator.load(text).launch("k", (1, 1, 1), arrays)
    assert raised.value.location == emulator.ThreadLocation((0, 0, 0), 0, 0)


@pytest.mark.parametrize(
    ("dot", "selector", "allowed"),
    [
        (Dot("f16", "f16", 16), "4", "a constant from 0 to 3"),
        (Dot("bf16", "bf16", 32), "2", "a constant from 0 to 1"),
        (Dot("s8", "s8", 32, "s32"), "%i", "a constant from 0 to 1"),
        (Dot("s4", "u4", 128, "s32"), "1", "0"),
    ],
    ids=str,
)
def test_selector(dot: Dot, selector: str, allowed: str):
    text = dot.kernel().replace("%e, 0;", f"%e, {selector};")
    message = f"the sparsity selector of m16n8k{dot.k} on {dot.a} must be {allowed}"
    with pytest.raises(emulator.EmulatorError, match=message) as raised:
        emulator.load(text).launch("k", (1, 1, 1), [np.zeros(512), np.zeros(512)])
    assert raised.value.line is not None


def test_unknown_types():
    text = MMA_OPS[0].kernel().replace("f16.f16.f16.f16", "f16.bf16.bf16.f16")
    with pytest.raises(emulator.EmulatorError, match=r"unknown instruction 'mma\.sp\.sync"):
        emulator.load(text).launch("k", (1, 1, 1), [np.zeros(512), np.zeros(512)])
