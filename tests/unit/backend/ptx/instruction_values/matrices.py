"""Copies of matrices between shared memory and a warp: random rows at permuted addresses."""

from collections.abc import Iterator, Mapping

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import Loaded, Stored, Value
from tests.unit.emulator.instructions import test_byte_matrix, test_matrix
from tests.unit.emulator.instructions.cases import Array

_ROWS: Array = np.random.default_rng(1).integers(0, 256, (32, 16)).astype(np.uint8)
"""What is in shared memory first: the row of each lane."""
_PLACES: Array = np.random.default_rng(2).permutation(32).astype(np.int32)
"""Which row each lane has the address of."""

_FILL = """llvm.store %rows, %row : vector<4xi32>, !llvm.ptr<3>
nvvm.bar.warp.sync %all : i32
%at = llvm.getelementptr %smem[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16 x i8>
"""
_LOADS = {"rows": Loaded("vector<4xi32>", _ROWS), "place": Loaded("i32", _PLACES)}


def _attributes(kind: str, extents: tuple[int, int], *, trans: bool) -> str:
    m, n = extents
    return (
        f"layout = #nvvm.mma_layout<{'col' if trans else 'row'}>, "
        f"shape = #nvvm.ld_st_matrix_shape<m = {m}, n = {n}>, "
        f"eltType = #nvvm.ld_st_matrix_elt_type<{kind}>}}"
    )


def _load(count: int, registers: int, attributes: str, expected: Array) -> Value:
    """`expected` are the registers of each lane."""
    type_ = "i32" if registers == 1 else f"!llvm.struct<({', '.join(['i32'] * registers)})>"
    return Value(
        f"{_FILL}%d = nvvm.ldmatrix %at {{num = {count} : i32, {attributes} "
        f": (!llvm.ptr<3>) -> {type_}",
        lambda _: {"d": expected},
        loads=_LOADS,
        stores={"d": Stored(type_, np.zeros((32, registers), np.uint32))},
    )


def _store(count: int, attributes: str, words: Array, rows: Array) -> Value:
    """`rows` is what the addresses that are used get, in order."""
    expected = _ROWS.copy()
    expected[_PLACES[: len(rows)]] = rows
    sources = [f"%a{i}" for i in range(count)] if count > 1 else ["%a"]
    return Value(
        f"{_FILL}nvvm.stmatrix %at, {', '.join(sources)} {{{attributes} "
        f": !llvm.ptr<3>, {', '.join(['i32'] * count)}\n"
        "nvvm.bar.warp.sync %all : i32\n"
        "%d = llvm.load %row : !llvm.ptr<3> -> vector<4xi32>",
        lambda _: {"d": expected},
        loads=_LOADS | {"a": Loaded("i32", words[:, :count].copy(), count)},
        stores={"d": Stored("vector<4xi32>", np.zeros_like(_ROWS))},
    )


def _rows_of_matrices(words: Array, count: int, *, trans: bool) -> Array:
    """The rows that the registers of lanes make up: two elements of a row, or of a column, each."""
    matrices = np.zeros((count, 8, 8), np.uint16)
    for lane in range(32):
        for j in range(count):
            pair = words[lane, j : j + 1].view(np.uint16)
            matrices[j, lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2] = pair
    if trans:
        matrices = matrices.swapaxes(1, 2)
    return np.ascontiguousarray(matrices).view(np.uint8).reshape(-1, 16)


_WORDS: Array = np.random.default_rng(3).integers(0, 2**32, (32, 4)).astype(np.uint32)


def _pairs_of_bytes() -> Iterator[tuple[str, Value, str, Value]]:
    for count in (1, 2, 4):
        for trans in (False, True):
            attributes = _attributes("b16", (8, 8), trans=trans)
            rows = np.ascontiguousarray(_ROWS[_PLACES]).view(np.uint16)
            loaded = test_matrix.matrices_of(rows, count, trans=trans)
            form = f"matrix.sync.aligned.m8n8.x{count}{'.trans' * trans}.shared.b16"
            yield (
                f"ld{form}",
                _load(count, count, attributes, loaded),
                f"st{form}",
                _store(count, attributes, _WORDS, _rows_of_matrices(_WORDS, count, trans=trans)),
            )


def _bytes() -> Iterator[tuple[str, Value]]:
    for kind in ("b8", "b8x16.b6x16_p32", "b8x16.b4x16_p64"):
        for shape, counts in (("m8n16", (1, 2, 4)), ("m16n16", (1, 2))):
            trans = shape == "m16n16"
            for count in () if (kind, shape) == ("b8", "m8n16") else counts:
                form = f"{shape}.x{count}{'.trans' * trans}.shared.{kind}"
                registers = 2 * count if trans else count
                octets = test_byte_matrix.loaded(_ROWS[_PLACES], form, registers)
                attributes = _attributes(kind, (16 if trans else 8, 16), trans=trans)
                yield (
                    f"ldmatrix.sync.aligned.{form}",
                    _load(count, registers, attributes, octets.view(np.uint32)),
                )
    for count in (1, 2, 4):
        octets = np.ascontiguousarray(_WORDS[:, :count]).view(np.uint8)
        yield (
            f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8",
            _store(
                count,
                _attributes("b8", (16, 8), trans=True),
                _WORDS,
                test_byte_matrix.stored(octets, count),
            ),
        )


_PAIRS = tuple(_pairs_of_bytes())

VALUES: Mapping[str, Value] = {
    **{load: value for load, value, _, _ in _PAIRS},
    **{store: value for _, _, store, value in _PAIRS},
    **dict(_bytes()),
}
