"""Dots whose tiles overlap or leave gaps, divided among the thread blocks (CTAs) of a cluster."""

import json
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.zoo import lower
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools

M, N, K, STEPS = 128, 64, 32, 3
BLOCKS = 2
"""Tile blocks, one after the other along the rows."""

FORMS = {
    "f16": (np.dtype(np.float16), "f32", "mmaf %a, %b, %acc"),
    "bf16": (np.dtype(ml_dtypes.bfloat16), "f32", "mmaf %a, %b, %acc"),
    "i8": (np.dtype(np.int8), "i32", "mmai %a, %b, %acc signed signed"),
    "f32": (np.dtype(np.float32), "f32", "mmaf %a, %b, %acc"),
}
"""The element type, that of the accumulator, and the op."""

TEXT = """
cuda_tile.module @m {
  entry @k(%xa: tile<ptr<E>>, %xb: tile<ptr<E>>, %pc: tile<ptr<S>>) optimization_hints=<default = {num_cta_in_cga = CTAS}> {
    %pa = assume div_by<16>, %xa : tile<ptr<E>>
    %pb = assume div_by<16>, %xb : tile<ptr<E>>
    %i, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %end = constant <i32: STEPS> : tile<i32>
    %none = constant <S: NONE> : tile<128x64xS>
    %ta = make_tensor_view %pa, shape = SHAPEA, strides = PITCHA : TA
    %tb = make_tensor_view %pb, shape = SHAPEB, strides = PITCHB : TB
    %tc = make_tensor_view %pc, shape = SHAPEC, strides = PITCHC : TC
    %va = make_strided_view %ta : VA
    %vb = make_strided_view %tb : VB
    %vc = make_strided_view %tc : VC
    %sum = for %k in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<128x64xS>) {
      %a, %t0 = load_view_tko weak %va[%i, %k] : VA, tile<i32> -> tile<128x32xE>, token
      %b, %t1 = load_view_tko weak %vb[%k, %zero] : VB, tile<i32> -> tile<32x64xE>, token
      %next = MMA : tile<128x32xE>, tile<32x64xE>, tile<128x64xS>
      continue %next : tile<128x64xS>
    }
    %t2 = store_view_tko weak %sum, %vc[%i, %zero] : tile<128x64xS>, VC, tile<i32> -> token
    return
  }
}
"""


@dataclass(frozen=True)
class Case:
    """How the tiles of a program follow each other.

    Attributes:
        a: elements between tiles of A, along rows and along K.
        b: between tiles of B, along K and along columns.
        c: between tiles of the result, along rows and along columns.
        maps: for each of them whether its dimensions lie the other way round in memory.
    """

    a: tuple[int, int]
    b: tuple[int, int]
    c: tuple[int, int]
    maps: tuple[bool, bool, bool]

    def extents(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of the arrays; all of them end within the last tiles."""
        rows, depth = self.a[0] * (BLOCKS - 1) + M, self.a[1] * (STEPS - 1) + K
        deep, columns = self.b[0] * (STEPS - 1) + K, N
        return (
            (rows - 8, depth - 16),
            (deep - 16, columns - 8),
            (self.c[0] * (BLOCKS - 1) + M - 3, N - 8),
        )


def program(case: Case, element: str, ctas: int) -> str:
    _, accumulator, mma = FORMS[element]
    text = TEXT.replace("MMA", mma).replace("CTAS", str(ctas)).replace("STEPS", str(STEPS))
    tiles = ((M, K), (K, N), (M, N))
    strides, types = (case.a, case.b, case.c), ("E", "E", "S")
    for name, extent, tile, steps, swapped, kind in zip(
        "ABC", case.extents(), tiles, strides, case.maps, types, strict=True
    ):
        inner = extent[::-1] if swapped else extent
        # Whole 16 bytes, so that tensor maps can say it.
        pitch = -(-inner[1] // 16) * 16
        written = f"tensor_view<{inner[0]}x{inner[1]}x{kind}, strides=[{pitch},1]>"
        padding = ", padding_value = zero" if name != "C" else ""
        view = (
            f"strided_view<tile=({tile[0]}x{tile[1]}), traversal_strides=[{steps[0]},{steps[1]}]"
            f"{padding}, {written}, dim_map=[{'1, 0' if swapped else '0, 1'}]>"
        )
        for key, value in (
            (f"SHAPE{name}", f"[{inner[0]}, {inner[1]}]"),
            (f"PITCH{name}", f"[{pitch}, 1]"),
            (f"V{name}", view),
            (f"T{name}", written),
        ):
            text = text.replace(key, value)
    text = text.replace("NONE", "0" if accumulator == "i32" else "0.0")
    return (
        text.replace("xE", f"x{element}")
        .replace("<E>", f"<{element}>")
        .replace("xS", f"x{accumulator}")
        .replace("<S", f"<{accumulator}")
    )


def arrays(case: Case, element: str) -> tuple[list[np.ndarray], np.ndarray]:
    """The arguments, in memory with their pitches, and what the last of them becomes."""
    numpy_type, accumulator, _ = FORMS[element]
    rng, made, inside = np.random.default_rng(7), [], []
    sums = np.dtype(np.float32 if accumulator == "f32" else np.int32)
    for extent, swapped, kind in zip(
        case.extents(), case.maps, (numpy_type, numpy_type, sums), strict=True
    ):
        inner = extent[::-1] if swapped else extent
        array = rng.integers(-3, 4, (inner[0], -(-inner[1] // 16) * 16)).astype(kind)
        made.append(array)
        view = array[:, : inner[1]]
        inside.append(view.T if swapped else view)
    a, b, _ = (np.array(each, np.float64) for each in inside)
    expected = made[2].copy()
    written = expected[:, : case.extents()[2][0 if case.maps[2] else 1]]
    written = written.T if case.maps[2] else written
    for block in range(BLOCKS):
        total = sum(
            tile_of(a, (block * case.a[0], step * case.a[1]), (M, K))
            @ tile_of(b, (step * case.b[0], 0), (K, N))
            for step in range(STEPS)
        )
        part = written[block * case.c[0] : block * case.c[0] + M, :N]
        part[...] = np.asarray(total)[: part.shape[0], : part.shape[1]]
    return made, expected


def tile_of(array: np.ndarray, start: tuple[int, int], shape: tuple[int, int]) -> np.ndarray:
    """A tile of an array, with zeros outside."""
    tile = np.zeros(shape)
    part = array[start[0] : start[0] + shape[0], start[1] : start[1] + shape[1]]
    tile[: part.shape[0], : part.shape[1]] = part
    return tile


def check_interpreted(module: ModuleOp, case: Case, element: str) -> None:
    made, expected = arrays(case, element)
    interpreters.launch(module, "k", (BLOCKS, 1, 1), made)
    np.testing.assert_array_equal(made[2], expected)


def check_machine(text: str, case: Case, element: str, gpu: str) -> str:
    """Runs a program late, with races looked for, and compares it with numpy. Returns the PTX."""
    made, expected = arrays(case, element)
    kernel = find_kernel(tools.parse(text), "k", "m")
    values = bind_arguments(kernel, [Argument(None, as_argument(each, "k")) for each in made])
    lowered = lower(tools.parse(text), gpu)
    emulator.load(lowered.ptx).launch(
        "k",
        (BLOCKS, 1, 1),
        with_tensor_maps(lowered.module, "k", values),
        dynamic_shared=dynamic_shared_memory(lowered.module, "k"),
        late=True,
        races=True,
    )
    np.testing.assert_array_equal(made[2], expected)
    return lowered.ptx


ROWS_APART, COLUMNS_APART = (M + 8, K), (K, N + 8)
CASES = {
    "without gaps": Case((M, K), (K, N), (M, N), (False, False, False)),
    "overlap along K": Case((M, 8), (1, N), (M, N), (False, False, False)),
    "gaps along K": Case((M, K + 1), (K + 16, N), (M, N), (False, True, False)),
    "from the other side": Case((M, 16), (33, N), (M, N), (True, True, False)),
    "rows apart": Case((M + 8, 16), (33, N), (M + 8, N), (False, False, False)),
    "results apart": Case((M, 48), (K, N), (M + 32, N), (True, False, True)),
    "rows overlap": Case((64, 40), (8, N), (M, N), (False, True, True)),
    "columns apart": Case((M, 40), (8, N + 8), (M, N), (False, False, False)),
    "nothing to divide": Case((M + 8, 33), (33, N + 8), (M, N), (True, False, False)),
}

DIVIDED = {
    "rows apart": {2: (1, 2), 4: (1, 2)},
    "results apart": {2: (1, 2), 4: (1, 2)},
    "rows overlap": {2: (1, 2), 4: (1, 2)},
    "columns apart": {2: (2, 1), 4: (2, 1)},
    "nothing to divide": {2: (1, 1), 4: (1, 1)},
}
"""The shapes of clusters where tiles do not follow each other along what would be divided."""


def divided(name: str, ctas: int) -> tuple[int, int]:
    return DIVIDED.get(name, {2: (2, 1), 4: (2, 2)})[ctas]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ctas", (2, 4))
def test_division(name: str, ctas: int, tmp_path: Path):
    """A dimension is divided where tiles follow each other, and others keep their strides."""
    case, report = CASES[name], tmp_path / "report.json"
    module = tools.run_passes(
        tools.parse(program(case, "f16", ctas)),
        'convert-cuda-tile-to-tileaa{compute-capability="sm_90a"},canonicalize,'
        f'tileas-plan-cta{{explain="{report}"}}',
    )
    (kernel,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    shape = divided(name, ctas)
    assert cluster_shape(kernel) == shape
    (facts,) = json.loads(report.read_text())["functions"].values()
    assert ("remark" in facts[0]) == (shape == (1, 1))
    check_interpreted(module, case, "f16")
    check_interpreted(tools.run_passes(module, "convert-tileaa-to-tileas"), case, "f16")


@pytest.mark.one_in(30)
@pytest.mark.parametrize(
    ("gpu", "element", "ctas", "name"),
    tuple(product(("sm_90a", "sm_100a", "sm_120a"), tuple(FORMS), (2, 4), tuple(CASES))),
)
def test_values(gpu: str, element: str, ctas: int, name: str):
    ptx = check_machine(program(CASES[name], element, ctas), CASES[name], element, gpu)
    rows, columns = (1, 1) if gpu == "sm_120a" else divided(name, ctas)
    assert (f".reqnctapercluster {rows * columns}, 1, 1" in ptx) == (rows * columns > 1)
