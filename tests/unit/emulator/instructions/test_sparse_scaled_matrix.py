"""Products of a warp with a sparse factor and block scales."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.unit.emulator.instructions import test_scaled_matrix, test_sparse_matrix
from tests.unit.emulator.instructions.cases import Array
from tileir_xdsl import emulator


@dataclass(frozen=True)
class Dot(test_sparse_matrix.Dot):
    """`count` scales belong to a row of A or a column of B; `places` are byte and thread of both."""

    ordered: bool = True
    target: str = "sm_120a"
    version: str = "8.8"
    scales: str = "ue8m0"
    count: int = 1
    places: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def mnemonic(self) -> str:
        return f"{super().mnemonic}.{self.scales}"

    @property
    def more_words(self) -> tuple[str, ...]:
        return "%x", "%y"

    @property
    def more_operands(self) -> str:
        a_byte, a_thread, b_byte, b_thread = self.places
        return f", %x, {{{a_byte}, {a_thread}}}, %y, {{{b_byte}, {b_thread}}}"


_MXF8F6F4 = "m16n8k{}.row.col.kind::mxf8f6f4.block_scale"
_MXF4 = "m16n8k{}.row.col.kind::mxf4.block_scale"
_NVF4 = "m16n8k{}.row.col.kind::mxf4nvf4.block_scale"
_FOUR = "packed e2m1"
MMA_OPS: tuple[Dot, ...] = (
    Dot("e4m3", "e5m2", 64, qualifiers=f"{_MXF8F6F4}.scale_vec::1X", places=(3, 1, 2, 3)),
    Dot("e2m3", "e2m1", 64, qualifiers=_MXF8F6F4, places=(1, 0, 0, 1)),
    Dot("e3m2", "e4m3", 64, qualifiers="kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k{}.row.col"),
    Dot(_FOUR, _FOUR, 128, qualifiers=f"{_MXF4}.scale_vec::2X", count=2, places=(2, 1, 0, 2)),
    Dot(_FOUR, _FOUR, 128, qualifiers="kind::mxf4.block_scale.m16n8k{}.row.col", count=2),
    Dot(_FOUR, _FOUR, 128, qualifiers=f"{_NVF4}.scale_vec::2X", count=2, places=(2, 0, 2, 1)),
    Dot(
        _FOUR,
        _FOUR,
        128,
        qualifiers="kind::mxf4nvf4.block_scale.scale_vec::2X.m16n8k{}.row.col",
        count=2,
    ),
    Dot(
        _FOUR,
        _FOUR,
        128,
        qualifiers=f"{_NVF4}.scale_vec::4X",
        scales="ue4m3",
        count=4,
        places=(0, 1, 0, 1),
    ),
    Dot(_FOUR, _FOUR, 128, qualifiers=f"{_NVF4}.scale_vec::4X", count=4, version="9.1"),
    Dot(
        _FOUR,
        _FOUR,
        128,
        qualifiers="kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k{}.row.col",
        scales="ue4m3",
        count=4,
    ),
)


def data_of(dot: Dot) -> tuple[Array, Array]:
    """What the lanes load, and D."""
    data, _ = test_sparse_matrix.data_of(dot)
    _, _, dense = test_sparse_matrix.compressed(dot.a, (16, dot.k), True, 0)
    right = test_sparse_matrix.random_values(dot.b, (dot.k, 8), 2).astype(np.float64)
    kind = test_scaled_matrix.Dot("", f"_ _ {dot.scales}", dot.count)
    a_words, b_words = np.full(32, 0x55555555, np.uint32), np.full(32, 0x66666666, np.uint32)
    a_byte, a_thread, b_byte, b_thread = dot.places
    a_bits, a_scales = test_scaled_matrix.scales(kind, 16, 4)
    b_bits, b_scales = test_scaled_matrix.scales(kind, 8, 5)
    for row in range(16):
        lane = row % 8 * 4 + 2 * a_thread + row // 8
        a_words[lane : lane + 1].view(np.uint8)[a_byte : a_byte + dot.count] = a_bits[row]
    for column in range(8):
        own = b_words[4 * column + b_thread :][:1].view(np.uint8)
        own[b_byte : b_byte + dot.count] = b_bits[column]
    block = dot.k // dot.count
    total = (dense * np.repeat(a_scales, block, axis=1)) @ (
        right.T * np.repeat(b_scales, block, 1)
    ).T
    c = np.random.default_rng(3).integers(-4, 5, (16, 8))
    lane, element = np.arange(32)[:, None], np.arange(4)
    rows, columns = lane // 4 + 8 * (element // 2), 2 * (lane % 4) + element % 2
    words = np.stack([a_words, b_words], axis=1)
    return np.concatenate([data, words], axis=1), (total + c)[rows, columns].astype(np.float32)


@pytest.mark.parametrize("dot", MMA_OPS, ids=lambda dot: dot.mnemonic)
def test_product(dot: Dot):
    data, expected = data_of(dot)
    np.testing.assert_array_equal(test_sparse_matrix.run(dot, data), expected)


def test_metadata_names_pairs_of_four_bits():
    dot = MMA_OPS[3]
    data, _ = data_of(dot)
    data[:, 12] = 0x44444441
    message = "the metadata of row 0 and columns 0 to 7 of A is 0b0001, not one of 0b0100"
    with pytest.raises(emulator.EmulatorError, match=message):
        test_sparse_matrix.run(dot, data)
