"""Products of a warpgroup: matrices that bulk copies put into shared memory, or registers hold."""

from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.kernels import HOPPER_HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.emulator.tensor_maps import Swizzle

Major = Literal["k", "mn", "registers"]

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
    "b1": np.uint8,
    "f32": np.float32,
    "s32": np.int32,
}
B_START = 32768


@dataclass(frozen=True)
class Dot:
    """`d = a @ b.T` with a `[64, k]` and b `[n, k]`; `steps` instructions along k.

    Bits are counted by their bytes: `k` and `step` are 1/8 of the bits. `saturate` says on which
    side of the types `.satfinite` is.
    """

    types: tuple[str, str, str]
    n: int
    span: Swizzle = 128
    a: Major = "k"
    b: Literal["k", "mn"] = "k"
    negate: tuple[int, int] = (1, 1)
    saturate: Literal["", "before", "after"] = ""

    @property
    def size(self) -> int:
        return np.dtype(DTYPES[self.types[1]]).itemsize

    @property
    def step(self) -> int:
        """How many elements along k one instruction takes: 32 bytes."""
        return 32 // self.size

    @property
    def k(self) -> int:
        """A row of the swizzle span, which is two steps without swizzling."""
        return (self.span or 64) // self.size

    @property
    def registers(self) -> int:
        return self.n // 2 // (2 if self.types[0] == "f16" else 1)

    def box(self, major: str, extent: int) -> tuple[int, int]:
        width = (self.span or 16) // self.size
        return (extent, width) if major == "k" else (self.k, width)

    def copies(self, major: str, extent: int) -> int:
        """How many boxes one operand takes."""
        return (self.k if major == "k" else extent) // self.box(major, extent)[1]

    def descriptor(self, major: str, extent: int, start: int, step: int) -> int:
        """The upper half's fields and the start for one step along k."""
        width = self.span or 16
        rows = self.box(major, extent)[0]
        distance = rows * width
        if self.span:
            leading, stride = (16 if major == "k" else distance), 8 * self.span
            start += step * (32 if major == "k" else self.step * self.span)
        elif major == "k":
            leading, stride = distance, 128
            start += step * 2 * distance
        else:
            leading, stride = 128, distance
            start += step * self.step * 16
        mode = {0: 0, 128: 1, 64: 2, 32: 3}[self.span]
        return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62

    def kernel(self) -> str:
        d, a, b = self.types
        kind, width = {"s32": ("r", 32), "f16": ("r", 32)}.get(d, ("f", 32))
        registers = [f"%d{i}" for i in range(self.registers)]
        vector = "{" + ", ".join(registers) + "}"
        declared = ", ".join(registers)
        lines = [f".reg .{'b' if kind == 'r' else 'f'}{width} {declared};"]
        lines += [f"mov.b32 {register}, 0x3f803f80;" for register in registers]
        fragments = 4
        lines += [
            f"ld.global.b32 %a{i}, [%f+{4 * i}];"
            for i in range(fragments if self.a == "registers" else 0)
        ]
        lines.append("wgmma.fence.sync.aligned;")
        for step in range(self.k // self.step):
            second = self.descriptor(self.b, self.n, B_START, step)
            lines.append(f"mov.b64 %y, {second:#x};")
            if self.a == "registers":
                first = "{%a0, %a1, %a2, %a3}"
            else:
                lines.append(f"mov.b64 %x, {self.descriptor(self.a, 64, 0, step):#x};")
                first = "%x"
            operands = f"{vector}, {first}, %y, {'%none' if step == 0 else '1'}"
            if d != "s32":
                operands += f", {self.negate[0]}, {self.negate[1]}"
            if a in ("f16", "bf16"):
                operands += f", {int(self.a == 'mn')}" if self.a != "registers" else ""
                operands += f", {int(self.b == 'mn')}"
            shape = f"m64n{self.n}k{self.step * (8 if a == 'b1' else 1)}"
            types = f"{d}.{a}.{b}" + (".and.popc" if a == "b1" else "")
            if self.saturate:
                pair = (types, "satfinite")
                types = ".".join(pair if self.saturate == "after" else reversed(pair))
            lines.append(f"wgmma.mma_async.sync.aligned.{shape}.{types} {operands};")
            if self.a == "registers":
                break
        lines += ["wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
        lines += [f"st.global.b32 [%o+{4 * i}], {r};" for i, r in enumerate(registers)]
        return _kernel(self, "\n".join(lines))


def _loads(dot: Dot) -> str:
    found: list[str] = []
    for name, major, extent, start in (
        ("a", dot.a, 64, 0),
        ("b", dot.b, dot.n, B_START),
    ):
        if major == "registers":
            continue
        rows, width = dot.box(major, extent)
        for copy in range(dot.copies(major, extent)):
            found.append(
                f"mov.b64 %x, map_{name}; cvta.param.u64 %x, %x;"
                f"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%m], {rows * width * dot.size};"
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                f" [%s+{start + copy * rows * width * dot.size}], [%x, {{{copy * width}, 0}}], [%m];"
            )
    return "\n".join(found)


def _kernel(dot: Dot, body: str) -> str:
    # Products of mixed integer types came later than the others.
    return f"""{HOPPER_HEADER.replace("8.3", "8.4")}
.visible .entry k(.param .u64 fragments, .param .u64 out,
                  .param .align 64 .b8 map_a[128], .param .align 64 .b8 map_b[128]) .reqntid 128
{{
  .shared .align 1024 .b8 buffer[98304]; .shared .align 8 .b64 object;
  .reg .b64 %f, %o, %x, %y; .reg .b32 %i, %s, %m, %a<4>; .reg .pred %p, %none;
  ld.param.u64 %f, [fragments]; ld.param.u64 %o, [out]; mov.u32 %i, %tid.x;
  mad.wide.u32 %f, %i, 16, %f; mad.wide.u32 %o, %i, {4 * dot.registers}, %o;
  mov.u32 %s, buffer; mov.u32 %m, object; setp.ne.u32 %p, %i, 0; setp.ne.u32 %none, %i, %i;
  @%p bra $START;
  mbarrier.init.shared::cta.b64 [%m], 1;
  {_loads(dot)}
  mbarrier.arrive.shared::cta.b64 _, [%m];
$START:
  bar.sync 0;
$WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0;
  @!%p bra $WAIT;
{body}
  ret;
}}
"""


def _values(rng: np.random.Generator, shape: tuple[int, int], name: str) -> Array:
    if name == "b1":
        return rng.integers(0, 256, shape).astype(np.uint8)
    low = 0 if name == "u8" else -4
    return rng.integers(low, 5, shape).astype(DTYPES[name])


def run(dot: Dot, *, late: bool = False, text: str | None = None) -> tuple[Array, Array]:
    """The result `[64, n]`, and what it should be; `text` replaces the kernel of the product."""
    rng = np.random.default_rng(dot.n)
    d, a_type, b_type = dot.types
    k = dot.step if dot.a == "registers" else dot.k
    a, b = _values(rng, (64, k), a_type), _values(rng, (dot.n, dot.k), b_type)
    stored = {"a": a if dot.a == "k" else np.ascontiguousarray(a.T)}
    stored["b"] = b if dot.b == "k" else np.ascontiguousarray(b.T)
    raw = np.dtype({1: np.uint8, 2: np.uint16, 4: np.float32}[dot.size])
    maps = [
        TensorMap(stored["a"].view(raw), dot.box(dot.a, 64), dot.span)
        if dot.a != "registers"
        else TensorMap(np.zeros((8, 8), np.float32), (4, 4)),
        TensorMap(stored["b"].view(raw), dot.box(dot.b, dot.n), dot.span),
    ]
    fragments = np.zeros((128, 4), np.uint32)
    if dot.a == "registers":
        per_register = 4 // dot.size
        for thread, register in np.ndindex(128, 4):
            warp, lane = divmod(thread, 32)
            row = 16 * warp + lane // 4 + 8 * (register % 2)
            column = (lane % 4 + 4 * (register // 2)) * per_register
            fragments[thread, register] = a[row, column : column + per_register].view(np.uint32)[0]
    out = np.zeros((128, dot.registers), np.uint32)
    module = emulator.load(text or dot.kernel())
    module.launch("k", (1, 1, 1), [fragments, out, *maps], late=late)
    elements = out.view(DTYPES[d])
    found = np.zeros((64, dot.n), DTYPES[d])
    for thread, element in np.ndindex(*elements.shape):
        warp, lane = divmod(thread, 32)
        row = 16 * warp + lane // 4 + 8 * (element // 2 % 2)
        found[row, 8 * (element // 4) + 2 * (lane % 4) + element % 2] = elements[thread, element]
    left, right = a, b[:, :k]
    if a_type == "b1":
        left, right = (np.unpackbits(x, axis=-1) for x in (left, right))
    exact = left.astype(np.float64) @ right.astype(np.float64).T
    return found, (exact * dot.negate[0] * dot.negate[1]).astype(DTYPES[d])


SPANS: tuple[Swizzle, ...] = (0, 32, 64, 128)
MMA_OPS = [
    *(
        Dot(("f32", "f16", "f16"), 64, s, a, b)
        for s in SPANS
        for a in ("k", "mn")
        for b in ("k", "mn")
    ),
    *(Dot(("f32", "bf16", "bf16"), 8, s, "registers", "k") for s in SPANS),
    Dot(("f32", "f16", "f16"), 256, 128, "registers", "mn"),
    Dot(("f16", "f16", "f16"), 24, 64, "k", "k", (-1, 1)),
    Dot(("f16", "f16", "f16"), 16, 128, "registers", "k"),
    Dot(("f32", "bf16", "bf16"), 136, 128, "k", "k", (1, -1)),
    *(Dot(("f32", "tf32", "tf32"), 40, s) for s in SPANS),
    Dot(("f32", "tf32", "tf32"), 8, 128, "registers"),
    *(Dot(("f32", a, b), 32, 128) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
    Dot(("f16", "e4m3", "e5m2"), 16, 64),
    Dot(("f32", "e5m2", "e4m3"), 8, 32, "registers"),
    *(Dot(("s32", a, b), 48, 64) for a in ("s8", "u8") for b in ("s8", "u8")),
    Dot(("s32", "s8", "s8"), 24, 128, "registers", saturate="before"),
    Dot(("s32", "s8", "s8"), 8, 128, saturate="after"),
    *(Dot(("s32", "b1", "b1"), 16, s) for s in SPANS),
    Dot(("s32", "b1", "b1"), 8, 128, "registers"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dot", MMA_OPS, ids=repr)
def test_product(dot: Dot):
    found, expected = run(dot)
    np.testing.assert_array_equal(found, expected)


def test_low_bits_of_tf32_do_not_count():
    dot = Dot(("f32", "tf32", "tf32"), 8, 32)
    kernel = dot.kernel()
    a = np.full((64, 8), 1.0 + 2.0**-11, np.float32)
    b = np.full((8, 8), 1.0, np.float32)
    out = np.zeros((128, 4), np.float32)
    maps = [TensorMap(a, (64, 8), 32), TensorMap(b, (8, 8), 32)]
    emulator.load(kernel).launch("k", (1, 1, 1), [np.zeros((128, 4), np.uint32), out, *maps])
    assert (out == 8).all()


def _error(text: str) -> str:
    dot = Dot(("f32", "f16", "f16"), 8)
    maps = [TensorMap(np.zeros((rows, 64), np.uint16), (rows, 64), 128) for rows in (64, dot.n)]
    fragments, out = np.zeros((128, 4), np.uint32), np.zeros((128, dot.registers), np.uint32)
    with pytest.raises(emulator.EmulatorError) as raised:
        emulator.load(text).launch("k", (1, 1, 1), [fragments, out, *maps])
    return str(raised.value)


def test_faults():
    text = Dot(("f32", "f16", "f16"), 8).kernel()
    first = f"mov.b64 %x, {Dot(('f32', 'f16', 'f16'), 8).descriptor('k', 64, 0, 0):#x};"
    assert first in text
    beyond = _error(text.replace(first, "mov.b64 %x, 0x4000004000013fff;"))
    assert "wrong matrix descriptor: the matrix reaches to byte " in beyond
    based = _error(text.replace(first, "mov.b64 %x, 0x4002004000010000;"))
    assert "wrong matrix descriptor: a matrix begins at a multiple of its swizzle" in based
    different = _error(text.replace(first, "cvt.u64.u32 %x, %i;"))
    assert "the threads of a warpgroup have different descriptors" in different
    assert "lane 1" in different
    part = text.replace("wgmma.fence", "setp.gt.u32 %p, %i, 63;\n  @%p exit;\nwgmma.fence")
    assert "only some threads of a warpgroup have ended" in _error(part)
    small = text.replace(".reqntid 128", ".reqntid 96")
    assert "the instruction needs 128 threads, from a multiple of 128 on" in _error(small)
    scaled = text.replace(", 1, 1, 0, 0;", ", 2, 1, 0, 0;")
    assert "the scale of an input must be the constant 1 or -1" in _error(scaled)
    flipped = text.replace(", 1, 1, 0, 0;", ", 1, 1, 0, 3;")
    assert "the transposition of an input must be the constant 0 or 1" in _error(flipped)


def test_warps_that_met_by_themselves_still_meet_their_warpgroup():
    """What one warp does together right before a product says nothing about the other warps."""
    dot = Dot(("f32", "f16", "f16"), 8)
    text = dot.kernel().replace(
        "wgmma.fence", "movmatrix.sync.aligned.m8n8.trans.b16 %s, %i;\nwgmma.fence"
    )
    rng = np.random.default_rng(5)
    a, b = _values(rng, (64, 64), "f16"), _values(rng, (8, 64), "f16")
    maps = [TensorMap(x.view(np.uint16), x.shape, 128) for x in (a, b)]
    fragments = np.zeros((256, 4), np.uint32)
    found: list[Array] = []
    for seed in (None, 1):
        out = np.zeros((128, 4), np.float32)
        emulator.load(text).launch("k", (1, 1, 1), [fragments, out, *maps], warp_seed=seed)
        found.append(out)
    assert found[0].any() and (found[0] == found[1]).all()


@pytest.mark.parametrize("late", (False, True))
def test_blocks_without_a_product_between_others(late: bool):
    dot = Dot(("f32", "f16", "f16"), 8)
    text = dot.kernel().replace(
        "wgmma.fence",
        "mov.u32 %s, %ctaid.x; mad.wide.u32 %o, %s, 2048, %o;\n"
        "setp.eq.u32 %p, %s, 1;\n@%p bra $SKIP;\nwgmma.fence",
    )
    text = text.replace("st.global.b32 [%o+0]", "$SKIP:\nst.global.b32 [%o+0]")
    rng = np.random.default_rng(6)
    a, b = _values(rng, (64, 64), "f16"), _values(rng, (8, 64), "f16")
    maps = [TensorMap(x.view(np.uint16), x.shape, 128) for x in (a, b)]
    out = np.zeros((3, 128, 4), np.float32)
    fragments = np.zeros((128, 4), np.uint32)
    emulator.load(text).launch("k", (3, 1, 1), [fragments, out, *maps], late=late)
    assert out[0, 0, 0] == a[0].astype(np.float32) @ b[0].astype(np.float32)
    assert (out[0] == out[2]).all()
    assert (out[1].view(np.uint32) == 0x3F803F80).all()


def test_warps_wait_for_their_warpgroup():
    """Every second warp takes a longer way; the two warpgroups need not meet each other."""
    dot = Dot(("f32", "f16", "f16"), 8)
    text = dot.kernel()
    detour = """
  and.b32 %s, %i, 32; setp.eq.u32 %p, %s, 0;
  @%p bra $DIRECT;
  mov.u32 %s, 0;
$DETOUR:
  add.u32 %s, %s, 1; setp.lt.u32 %p, %s, 20;
  @%p bra $DETOUR;
$DIRECT:
  wgmma.fence"""
    text = text.replace("wgmma.fence", detour).replace(".reqntid 128", ".reqntid 256")
    rng = np.random.default_rng(5)
    a, b = _values(rng, (64, 64), "f16"), _values(rng, (8, 64), "f16")
    maps = [TensorMap(x.view(np.uint16), x.shape, 128) for x in (a, b)]
    out = np.zeros((2, 128, 4), np.float32)
    fragments = np.zeros((256, 4), np.uint32)
    emulator.load(text).launch("k", (3, 1, 1), [fragments, out, *maps])
    assert (out[0] == out[1]).all()
    again = np.zeros_like(out)
    emulator.load(text).launch("k", (2, 1, 1), [fragments, again, *maps], warp_seed=1)
    assert (out == again).all()
    assert out[0, 0, 0] == (a[0].astype(np.float32) @ b[0].astype(np.float32))
    never = text.replace("$DETOUR:", "bar.sync 1, 128;\n$DETOUR:")
    with pytest.raises(
        emulator.EmulatorError, match="deadlock: warp 1 of the warpgroup never arrives"
    ):
        emulator.load(never.replace("bar.sync 1, 128", "bar.sync 1, 160")).launch(
            "k", (1, 1, 1), [fragments, out, *maps]
        )
