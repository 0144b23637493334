"""Products in tensor memory with a sparse factor and block scales."""

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.emulator.instructions import test_sparse_tcgen05_mma, test_tcgen05_scaled_mma
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_sparse_matrix import chunk_width, expanded, words
from tests.unit.emulator.instructions.test_sparse_tcgen05_mma import MEANINGFUL, METADATA
from tests.unit.emulator.instructions.test_tcgen05_mma import Statement
from tests.unit.emulator.instructions.test_tcgen05_scaled_mma import Dot, packed, values
from tileir_xdsl import emulator

_PLAIN = test_sparse_tcgen05_mma.SPARSE[0]
_B_START, _N = 32768, 16

MMA_OPS: tuple[Dot, ...] = (
    *test_tcgen05_scaled_mma.MMA_OPS,
    Dot("mxf4nvf4.block_scale.scale_vec::4X", "e2m1 e2m1", 4, scales="ue4m3"),
)


def opcode(dot: Dot) -> str:
    return f"tcgen05.mma.sp.cta_group::1.kind::{dot.qualifiers}"


def kernel(dot: Dot, prologue: str = "") -> str:
    """Scales are in columns 256 to 260, the metadata is in columns 264 and 265."""
    scaled = (
        f"mov.u32 %d, {dot.descriptor | 4}; {prologue} {opcode(dot)} "
        "[%t], %a, %b, [%t+264], %d, [%t+256], [%t+260], %add;"
    )
    return _PLAIN.kernel().replace(_PLAIN.instruction, scaled)


def statement(dot: Dot) -> Statement:
    """As for a dense product of the stored elements, with twice as many elements along k."""
    a_name, b_name = dot.types.split()
    k = dot.k
    stored, b = values(a_name, (128, k), 1), values(b_name, (_N, 2 * k), 2)
    kind = "packed e2m1" if k == 64 else a_name
    generator = np.random.default_rng(6)
    bits = generator.choice(MEANINGFUL, (128, 2 * k // chunk_width(kind)))
    dense = test_tcgen05_scaled_mma.statement(dot)
    images = dense.images.copy()
    images[0, _B_START:] = _PLAIN.placed(
        np.concatenate([packed(b[:, :k], b_name, k), packed(b[:, k:], b_name, k)], axis=1),
        transposed=False,
    )
    metadata = generator.integers(0, 1 << 32, (128, 4)).astype(np.uint32)
    metadata[:, :2] = words(bits, 4)
    images[0, METADATA : METADATA + 2048] = metadata.view(np.uint8).ravel()
    a_scales, b_scales = (
        np.repeat(each, 2 * k // dot.count, axis=1) for each in scales(dot, dense.words[0])
    )
    total = (expanded(kind, stored, bits) * a_scales) @ (b.astype(np.float64) * b_scales).T
    sign = dot.signs[0] * dot.signs[1]
    return replace(dense, images=images, expected=(total * sign + dense.sums).astype(np.float32))


def scales(dot: Dot, cells: Array) -> tuple[Array, Array]:
    """Those of A and of B, as they are in tensor memory."""
    octets = np.ascontiguousarray(cells).view(np.uint8).reshape(128, 8, 4)
    found: list[Array] = []
    for extent, column, first in ((128, 0, dot.first[0]), (_N, 4, dot.first[1])):
        row = np.arange(extent)
        own = octets[row % 32, column + row // 32, first : first + dot.count]
        if dot.scales == "ue8m0":
            found.append(2.0 ** (own.astype(np.float64) - 127))
        else:
            e4m3 = test_tcgen05_scaled_mma.ml_dtypes.float8_e4m3fn
            found.append(own.copy().view(e4m3).astype(np.float64))
    return found[0], found[1]


def run(dot: Dot, text: str, *, late: bool = False) -> tuple[Array, Array]:
    stated = statement(dot)
    out = np.zeros_like(stated.sums)
    arguments = [stated.images, stated.words, stated.sums, out]
    emulator.load(text).launch("k", (1, 1, 1), arguments, late=late)
    return out, stated.expected


@pytest.mark.parametrize("dot", MMA_OPS, ids=lambda dot: dot.qualifiers)
def test_product(dot: Dot):
    np.testing.assert_array_equal(*run(dot, kernel(dot)))


def test_late_work():
    np.testing.assert_array_equal(*run(MMA_OPS[0], kernel(MMA_OPS[0]), late=True))


def built_kernels() -> list[str]:
    return [kernel(dot) for dot in MMA_OPS]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" tcgen05.mma.sp", " and.b32 %d, %d, -5; tcgen05.mma.sp", "bit 2 says that A is dense"),
        # Nobody has written there.
        ("[%t+264], %d", "[%t+300], %d", "0 to 3 of A is 0b1011, not one of 0b0100, 0b0110"),
    ],
)
def test_fault(old: str, new: str, message: str):
    text = kernel(MMA_OPS[0])
    assert old in text
    with pytest.raises(emulator.EmulatorError) as raised:
        run(MMA_OPS[0], text.replace(old, new))
    assert message in raised.value.message
    assert raised.value.line is not None
