"""Products of opaque fragments: what is loaded, multiplied and stored again is the product."""

import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

_DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "s32": np.int32,
    "s8": np.int8,
    "u8": np.uint8,
}


@dataclass(frozen=True)
class Dot:
    """One `wmma.mma`: its shape, layouts of both factors, types `d a b c`, registers of each."""

    shape: str
    layouts: str
    types: str
    registers: tuple[int, int, int, int]
    satfinite: bool = False

    @property
    def extents(self) -> tuple[int, int, int]:
        m, n, k = (int(extent) for extent in re.findall(r"\d+", self.shape))
        return m, n, k

    @property
    def mnemonic(self) -> str:
        d, a, b, c = self.types.split()
        saturates = ".satfinite" if self.satfinite else ""
        types = f"{d}.{c}" if a == "f16" else f"{d}.{a}.{b}.{c}"
        return f"wmma.mma.sync.aligned.{self.layouts}.{self.shape}.{types}{saturates}"

    def kernel(self) -> str:
        """A and B are dense, in global memory; C and D have rows with a gap of 8 elements."""
        d, a, b, c = self.types.split()
        layouts = dict(zip("ab", self.layouts.split("."), strict=True)) | {"c": "row", "d": "row"}
        kinds = {"f32": "f32", "f64": "f64", "s32": "b32"}
        names = dict(zip("dabc", self.registers, strict=True))
        types = {"d": d, "a": a, "b": b, "c": c}
        vectors = {x: "{" + ", ".join(f"%{x}{i}" for i in range(n)) + "}" for x, n in names.items()}
        stride = self.extents[1] + 8
        prefix = "sync.aligned"
        lines = [f".reg .{kinds.get(types[x], 'b32')} %{x}<{n}>;" for x, n in names.items()]
        for x in "abc":
            lines.append(f"ld.param.u64 %p, [{x}];")
            end = ", %s" if x == "c" else ""
            lines.append(
                f"wmma.load.{x}.{prefix}.{layouts[x]}.{self.shape}.global.{types[x]} {vectors[x]}, [%p]{end};"
            )
        lines.append(f"{self.mnemonic} " + ", ".join(vectors[x] for x in "dabc") + ";")
        lines.append("ld.param.u64 %p, [d];")
        lines.append(f"wmma.store.d.{prefix}.row.{self.shape}.{d} [%p], {vectors['d']}, %s;")
        return f"""{HEADER}
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) .reqntid 32
{{
  .reg .b64 %p; .reg .b32 %s; mov.u32 %s, {stride};
  {" ".join(lines)}
  ret;
}}
"""


MMA_OPS: tuple[Dot, ...] = (
    Dot("m16n16k16", "row.col", "f32 f16 f16 f32", (8, 8, 8, 8)),
    Dot("m16n16k16", "col.row", "f16 f16 f16 f16", (4, 8, 8, 4)),
    Dot("m8n32k16", "row.row", "f32 f16 f16 f32", (8, 8, 8, 8)),
    Dot("m32n8k16", "col.col", "f32 f16 f16 f16", (8, 8, 8, 4)),
    Dot("m16n16k16", "row.row", "f32 bf16 bf16 f32", (8, 4, 4, 8)),
    Dot("m8n32k16", "col.row", "f32 bf16 bf16 f32", (8, 2, 8, 8)),
    Dot("m16n16k16", "row.col", "s32 s8 s8 s32", (8, 2, 2, 8)),
    Dot("m32n8k16", "row.col", "s32 u8 u8 s32", (8, 4, 1, 8), satfinite=True),
    Dot("m16n16k8", "row.col", "f32 tf32 tf32 f32", (8, 4, 4, 8)),
    Dot("m8n8k4", "row.col", "f64 f64 f64 f64", (2, 1, 1, 2)),
)


def _values(type_: str, shape: tuple[int, int], seed: int) -> Array:
    low = 0 if type_.startswith("u") else -4
    return np.random.default_rng(seed).integers(low, 5, shape).astype(_DTYPES[type_])


@pytest.mark.parametrize("dot", MMA_OPS, ids=lambda dot: dot.mnemonic)
def test_product(dot: Dot):
    m, n, k = dot.extents
    d, a, b, c = dot.types.split()
    left, right = _values(a, (m, k), 1), _values(b, (k, n), 2)
    first, second = dot.layouts.split(".")
    addend = _values(c, (m, n + 8), 3)
    result = np.full((m, n + 8), 7, _DTYPES[d])
    stored = [
        np.ascontiguousarray(x if layout == "row" else x.T)
        for x, layout in ((left, first), (right, second))
    ]
    emulator.load(dot.kernel()).launch("k", (1, 1, 1), [*stored, addend, result])
    expected = left.astype(np.float64) @ right.astype(np.float64) + addend[:, :n]
    np.testing.assert_array_equal(result[:, :n].astype(np.float64), expected)
    assert (result[:, n:] == 7).all()


def test_elements_of_a_fragment_are_all_of_the_matrix():
    dot = MMA_OPS[0]
    text = dot.kernel().replace("wmma.mma", "add.f32 %c0, %c0, 1.0; wmma.mma")
    arrays = [np.zeros((16, 16), np.float16)] * 2 + [np.zeros((16, 24), np.float32)] * 2
    out = arrays[3].copy()
    emulator.load(text).launch("k", (1, 1, 1), [*arrays[:3], out])
    assert out.sum() == 32


def test_addresses_are_checked():
    dot = MMA_OPS[0]
    arrays = [np.zeros((16, 16), np.float16)] * 2
    short, out = np.zeros((15, 24), np.float32), np.zeros((16, 24), np.float32)
    with pytest.raises(emulator.EmulatorError, match="out-of-bounds 4-byte read") as raised:
        emulator.load(dot.kernel()).launch("k", (1, 1, 1), [*arrays, short, out])
    assert raised.value.instruction is not None
    assert raised.value.instruction.startswith("wmma.load.c")
