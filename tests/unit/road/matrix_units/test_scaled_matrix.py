"""Block-scaled dots at the last level: by the instructions that scale, or element by element."""

import dataclasses
import math
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from bench.matrix_kernels import SCALED_CASES, SCALED_FORMATS, scaled_matmul_case
from tests.unit.road.agreement import (
    DTYPES,
    Array,
    assert_equal,
    run_at_both_levels,
    shaped,
    whole_tiles,
)
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl import interpreters, load
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.options import UNSPECIALIZE, Options
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import launch_arguments
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import passes, steps

E8M0, E4M3, F4 = "f8E8M0FNU", "f8E4M3FN", "f4E2M1FN"
FORMATS = {
    "mxf8f6f4": (E4M3, E8M0, 32),
    "mxf8f6f4 of e5m2": ("f8E5M2", E8M0, 32),
    "mxf4": (F4, E8M0, 32),
    "mxf4nvf4": (F4, E4M3, 16),
    "mxf4nvf4 by ue8m0": (F4, E8M0, 16),
}
"""Element types, types of scales, and elements that share one, by the kind of the instruction."""

NUMBERS_OF_F4 = (-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6)
SCALES_OF_E4M3 = (0.5, 0.75, 1, -1, 1.25, -1.75, 2)

Sizes = tuple[int, ...]
"""M, N and K, after the extents of a batch."""


def numbers(shape: Sizes, element: str, rng: np.random.Generator) -> Array:
    """Numbers whose scaled products add up exactly in any order."""
    if element == F4:
        return rng.choice(NUMBERS_OF_F4, shape).astype(ml_dtypes.float4_e2m1fn)
    return rng.integers(-3, 4, shape).astype(DTYPES[element])


def scales(shape: Sizes, element: str, rng: np.random.Generator) -> Array:
    if element == E8M0:
        return np.exp2(rng.integers(-2, 3, shape)).astype(DTYPES[E8M0])
    return rng.choice(SCALES_OF_E4M3, shape).astype(DTYPES[E4M3])


def operand(name: str, number: int, shape: Sizes, element: str) -> str:
    """An operand from the tile that was loaded: its bytes where two elements share one."""
    size, tile = math.prod(shape), shaped(shape, element)
    if element != F4:
        return f"%{name} = reshape %x{number} : {tile} -> {tile}"
    octets = shaped((*shape[:-1], shape[-1] // 2), "i8")
    return f"""
    %{name}b = reshape %x{number} : {octets} -> tile<{size // 2}xi8>
    %{name}u = unpack %{name}b : tile<{size // 2}xi8> -> tile<{size}xf4E2M1FN>
    %{name} = reshape %{name}u : tile<{size}xf4E2M1FN> -> {tile}
    """


def stored(values: Array) -> Array:
    """An operand as it is in memory: two elements of four bits in a byte."""
    if values.dtype != ml_dtypes.float4_e2m1fn:
        return values
    codes = values.view(np.uint8) & 0xF
    return (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.int8)


def scaled_mma(name: str, sizes: Sizes, gpu: str, seed: int) -> None:
    """A block-scaled dot at both levels, with races looked for, and by numpy."""
    element, scale, block = FORMATS[name]
    *batch, m, n, k = sizes
    rng = np.random.default_rng(seed)
    pairs = ((m, k), (k, n), (m, n), (m, k // block), (k // block, n))
    shapes = [(*batch, *pair) for pair in pairs]
    a, b = (numbers(shape, element, rng) for shape in shapes[:2])
    c = rng.integers(-3, 4, shapes[2]).astype(np.float32)
    s, t = (scales(shape, scale, rng) for shape in shapes[3:])
    types = (element, element, "f32", scale, scale)
    body = f"""
    {operand("a", 0, shapes[0], element)} {operand("b", 1, shapes[1], element)}
    %y0 = mmaf_scaled %a, %b, %x2, %x3, %x4 :
      {", ".join(shaped(shape, type) for shape, type in zip(shapes, types, strict=True))}
    """
    inputs = [stored(a), stored(b), c, s, t]
    text = whole_tiles(body, inputs, [("f32", shapes[2])])
    result = np.zeros(c.size, np.float32)
    first, last = run_at_both_levels(text, [*(x.ravel() for x in inputs), result], gpu)
    assert_equal(first, last)
    x, y, z, u, v = (each.astype(np.float64) for each in (a, b, c, s, t))
    # Scales are read without a sign.
    u, v = np.abs(u), np.abs(v)
    wanted = (x * np.repeat(u, block, -1)) @ (y * np.repeat(v, block, -2)) + z
    np.testing.assert_array_equal(last[-1].reshape(c.shape), wanted)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("sizes", [(16, 8, 64), (64, 32, 128)], ids=str)
def test_every_kind(name: str, sizes: Sizes):
    scaled_mma(name, sizes, "sm_120a", seed=1)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(6))
def test_random_sizes(seed: int):
    """Fewer rows or columns than the instruction has, batches, and K that none divides."""
    rng = np.random.default_rng(seed)
    m, n = (int(2 ** rng.integers(1, 7)) for _ in range(2))
    k = int(2 ** rng.integers(5, 8))
    batch = (2,) if rng.integers(4) == 0 else ()
    scaled_mma(str(rng.choice(list(FORMATS))), (*batch, m, n, k), "sm_120a", seed)


@pytest.mark.parametrize("name", ["mxf8f6f4", "mxf4nvf4"])
def test_scales_of_each_dot_of_a_batch(name: str):
    """Rows, columns and steps along K beyond one instruction, too: each has scales of its own."""
    scaled_mma(name, (2, 32, 16, 128), "sm_120a", seed=3)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "sizes"),
    [("mxf8f6f4", (16, 16, 64)), ("mxf4", (32, 8, 32)), ("mxf4nvf4", (16, 8, 32))],
)
def test_element_by_element(name: str, sizes: Sizes):
    """Fewer rows than tensor memory has lanes, and operands that are packed."""
    scaled_mma(name, sizes, "sm_100a", seed=2)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ["mxf8f6f4", "mxf8f6f4 of e5m2"])
@pytest.mark.parametrize("sizes", [(128, 16, 32), (128, 64, 64), (128, 32, 256)], ids=str)
def test_scales_in_tensor_memory(name: str, sizes: Sizes):
    """Fewer columns than lanes, fewer blocks than bytes of a word, and more."""
    scaled_mma(name, sizes, "sm_100a", seed=3)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ["mxf4", "mxf4nvf4", "mxf4nvf4 by ue8m0"])
@pytest.mark.parametrize("sizes", [(128, 16, 64), (128, 64, 128)], ids=str)
def test_elements_of_four_bits_from_shared_memory(name: str, sizes: Sizes):
    """B has pairs along N in memory: they are taken apart, and packed along K."""
    scaled_mma(name, sizes, "sm_100a", seed=4)


@pytest.mark.parametrize("name", ["mxfp8_128x128x128", "nvfp4_128x128x256"])
def test_a_loop_before_its_last_conversion(name: str):
    """Bytes of two elements in buffers, and no races: threads meet after they store scales."""
    case, races = SCALED_CASES[name], list[OnChipRace]()
    module = load(case.text_path, "sm_100a").lower("tileas-insert-barriers").module
    arguments = case.make_arguments(case.problems[0])
    expected, given = case.expected(arguments), launch_arguments(arguments)
    listeners = (OnChipRaces(races.append),)
    interpreters.launch(module, case.name, (1, 1, 1), given, listeners=listeners)
    assert races == []
    # One tile block computes the first rows.
    (result,), rows = [x for x in arguments if isinstance(x, np.ndarray)][-1:], slice(128)
    distance = np.abs(result.astype(np.float64) - expected[0].values)
    assert np.all((distance <= expected[0].error)[rows]) and np.any(result[rows])


def test_bytes_of_two_elements_are_read_by_their_instruction_alone():
    """No multiply-adds take them for integers where they are in other memory."""
    module = tools.parse(SCALED_CASES["mxfp4_128x128x256"].text_path.read_text())
    context = tools.context()
    *before, last = passes("sm_120a")
    for each in before:
        if each.name == "tileas-select-lowering":
            (dot,) = (op for op in module.walk() if isinstance(op, nv_tileas.DotOp))
            dot.atom = nv_tileas.AtomAttr("umma_mxf4_e2m1x2_e2m1x2_f32")
        each.apply(context, module)
    with pytest.raises(PassFailedException, match=r"op has operands that atom .* cannot read"):
        last.apply(context, module)


SCALES_OF_LOOP = re.compile(
    r"\n\$L\d+:\n(?:(?!\$L|bar\.sync|tcgen05\.(?:st|wait))[^\n]*\n)*"
    r"\ttcgen05\.cp\.(?:(?!\$L|bar\.sync)[^\n]*\n)*\ttcgen05\.commit"
)
"""An iteration of one thread, from its label to the release of the stage, in which scales come."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "columns", "depth", "ordered"),
    [
        ("mxfp8", 128, 128, True),
        ("mxfp8", 256, 128, True),
        pytest.param("mxfp4", 128, 256, True, marks=pytest.mark.soak),
        ("nvfp4", 128, 256, True),
        pytest.param("mxfp8", 256, 128, False, marks=pytest.mark.soak),
        ("mxfp8", 64, 128, False),
        ("nvfp4", 32, 256, False),
        pytest.param("mxfp8", 128, 256, False, marks=pytest.mark.soak),
    ],
)
def test_scales_through_stages(name: str, columns: int, depth: int, ordered: bool, tmp_path: Path):
    """The thread that issues MMAs copies their scales, which TMA or the loading warp brings."""
    case = scaled_matmul_case(name, 128, columns, depth, ordered=ordered)
    case = dataclasses.replace(case, folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), "sm_100a")
    (loop,) = SCALES_OF_LOOP.findall(kernel.ptx)
    assert loop.count("mbarrier.try_wait") == 1
    words = depth // SCALED_FORMATS[name].block // 4
    assert loop.count("tcgen05.cp") == words * (1 + max(1, columns // 128))
    copied = words * (128 + columns) // 32
    assert kernel.ptx.count("cp.async.ca.shared") == (0 if ordered else copied)
    problem = (100, max(16, columns - 16), 3 * depth + 64)
    run(case, kernel, problem, case.grid(problem), late=True, races=True)


LOOP_OF_WARPS = re.compile(r"\n\$L\d+:\n(?:(?!\$L)[^\n]*\n)*?\tmma\.sync(?:(?!\$L)[^\n]*\n)*")
"""An iteration of the warps that compute, from its label to the next one."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    ("name", "rows", "columns", "depth"),
    [
        ("mxfp8", 128, 128, 128),
        ("mxfp4", 128, 128, 256),
        ("nvfp4", 128, 128, 256),
        ("mxfp8", 128, 128, 256),
        ("nvfp4", 128, 128, 64),
    ],
)
def test_a_warp_loads_ordered_scales_from_stages(
    name: str, rows: int, columns: int, depth: int, seed: int, tmp_path: Path
):
    """By a vector and a word, which instructions read as they are: no barrier, no permutation."""
    case = scaled_matmul_case(name, rows, columns, depth, ordered=True)
    case = dataclasses.replace(case, folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), "sm_120a")
    (loop,) = LOOP_OF_WARPS.findall(kernel.ptx)
    assert loop.count("mbarrier.try_wait") == 1 and "ld.global" not in loop
    assert "bar.sync" not in loop and "prmt" not in loop and "bfe" not in loop
    words = depth // SCALED_FORMATS[name].block // 4
    assert loop.count("ld.shared.v4.b32") >= words
    rng = np.random.default_rng(seed)
    m, n = (int(rng.integers(1, 9)) * 16 + extent // 2 for extent in (rows, columns))
    problem = (m, n, int(rng.integers(1, 4)) * depth + 64)
    run(case, kernel, problem, case.grid(problem), late=True, races=True)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("name", "rows", "columns", "depth", "ordered", "ctas"),
    [
        ("mxfp8", 256, 128, 128, True, 2),
        ("mxfp8", 256, 128, 128, False, 2),
        ("mxfp8", 128, 256, 128, True, 2),
        ("mxfp8", 256, 256, 128, True, 4),
        pytest.param("mxfp8", 256, 256, 128, False, 4, marks=pytest.mark.soak),
        ("mxfp4", 256, 128, 256, True, 2),
        pytest.param("nvfp4", 128, 256, 256, False, 2, marks=pytest.mark.soak),
        pytest.param("nvfp4", 256, 256, 256, True, 4, marks=pytest.mark.soak),
        pytest.param("mxfp4", 512, 128, 256, True, 2, marks=pytest.mark.soak),
    ],
)
def test_a_cluster_divides_scales(
    name: str, rows: int, columns: int, depth: int, ordered: bool, ctas: int, tmp_path: Path
):
    """With the operands that they belong to, elements of two to a byte or not; each CTA has the
    instructions of a part.
    """
    case = scaled_matmul_case(name, rows, columns, depth, ordered=ordered)
    case = dataclasses.replace(case, folder=tmp_path)
    program = text(case).replace("default = {}", f"default = {{num_cta_in_cga = {ctas}}}")
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), "sm_100a")
    (cluster,) = re.findall(r"\.reqnctapercluster (\d), (\d), 1", kernel.ptx)
    assert math.prod(map(int, cluster)) == ctas
    assert "block_scale" in kernel.ptx and "fma.rn.f32" not in kernel.ptx
    problem = (rows + 48, max(16, columns - 16), 2 * depth + 64)
    run(case, kernel, problem, case.grid(problem), late=True, races=True)


OPTIONS = {
    "persistent": Options(dynamic_persistent=True),
    "one stage": Options(stages=1),
    "no agents": Options(strategy=UNSPECIALIZE),
    "no pipelines": Options(opt_level=0),
}
"""The warp that loads reads answers to its requests; stages are few, or filled by all threads."""


@pytest.mark.parametrize(
    "name", [*OPTIONS][:1] + [pytest.param(name, marks=pytest.mark.soak) for name in [*OPTIONS][1:]]
)
def test_scales_with_other_options(name: str):
    case, context = SCALED_CASES["mxfp8_128x128x128"], tools.context()
    module = tools.parse(case.text_path.read_text())
    for step in steps("sm_100a", OPTIONS[name]):
        step.module_pass.apply(context, module)
    kernel = Lowered(module, emit(module))
    assert kernel.ptx.count("tcgen05.cp") == 2
    problem = (200, 128, 288)
    run(case, kernel, problem, case.grid(problem), late=True, races=True)


UNFIT = {"64 rows": (64, 32, 64), "8 columns": (128, 8, 64), "a batch": (2, 128, 16, 32)}
"""Extents that no instruction of tensor memory has, and a warp's have all."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", UNFIT)
@pytest.mark.parametrize("gpu", ["sm_100a", "sm_120a"])
def test_the_next_form_is_told(name: str, gpu: str):
    *batch, m, n, k = UNFIT[name]
    shapes = [(*batch, *pair) for pair in ((m, k), (k, n), (m, n), (m, k // 32), (k // 32, n))]
    types = (E4M3, E4M3, "f32", E8M0, E8M0)
    body = f"""
    {operand("a", 0, shapes[0], E4M3)} {operand("b", 1, shapes[1], E4M3)}
    %y0 = mmaf_scaled %a, %b, %x2, %x3, %x4 :
      {", ".join(shaped(shape, type) for shape, type in zip(shapes, types, strict=True))}
    """
    inputs = [np.zeros(s, DTYPES[t]) for s, t in zip(shapes, types, strict=True)]
    kernel = lower(tools.parse(whole_tiles(body, inputs, [("f32", shapes[2])])), gpu)
    is_told = "made of fused multiply-adds" in str(kernel.module.attributes.get(REMARKS_ATTRIBUTE))
    assert is_told == (gpu == "sm_100a")
    assert ("block_scale" in kernel.ptx) == (gpu == "sm_120a")


@pytest.mark.parametrize(("columns", "depth"), [(16, 128), (128, 64)])
def test_scales_through_registers(columns: int, depth: int, tmp_path: Path):
    """Fewer rows than a column of tensor memory has, or blocks than a word, in a loop."""
    case = scaled_matmul_case("mxfp8", 128, columns, depth)
    case = dataclasses.replace(case, folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), "sm_100a")
    assert "tcgen05.cp" not in kernel.ptx and "block_scale" in kernel.ptx
    problem = (100, columns, 3 * depth + 32)
    run(case, kernel, problem, case.grid(problem), late=True, races=True)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ["sm_100a", "sm_120a"])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mxfp8_128x128x128", "kind::mxf8f6f4"),
        ("mxfp4_128x128x256", "kind::mxf4"),
        ("nvfp4_128x128x256", "kind::mxf4nvf4"),
    ],
)
def test_a_loop_over_matrices_of_any_size(name: str, kind: str, gpu: str):
    """Loads run ahead, rows and columns end within tiles; late and with races looked for."""
    case = SCALED_CASES[name]
    kernel = lower(tools.parse(case.text_path.read_text()), gpu)
    assert f"{kind}.block_scale" in kernel.ptx and "fma.rn.f32" not in kernel.ptx
    assert kernel.ptx.count("cp.async.bulk.tensor.2d.shared") == 2
    rng = np.random.default_rng(len(name) + int(gpu[3:6]))
    m, n, k = (int(rng.integers(*bounds)) for bounds in ((1, 200), (1, 13), (9, 26)))
    problem = (m, 16 * n, 32 * k)
    run(case, kernel, problem, case.grid(problem), late=True, races=True)
