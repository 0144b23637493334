"""Matrix products at the last level: instructions on fragments, or multiplications and additions."""

import numpy as np
import pytest

from tests.unit.road.agreement import DTYPES, Array, evaluate, shaped

MMA_OPS = [
    ("f16", "f16"),
    ("f16", "f32"),
    ("bf16", "f32"),
    ("f8E4M3FN", "f16"),
    ("f8E4M3FN", "f32"),
    ("f8E5M2", "f16"),
    ("f8E5M2", "f32"),
    ("f32", "f32"),
    ("f64", "f64"),
]
"""Every element type of arrays that `mmaf` multiplies, and what it adds to."""

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
"""Targets with different instructions."""

GPU = "sm_120a"
"""A target that has every element type, and multiplies tiles of any size in registers."""

SHAPES = [(16, 16, 16), (128, 16, 32), (16, 128, 64), (64, 64, 128), (32, 8, 16), (2, 4, 8)]
"""M, N and K."""


def whole(shape: tuple[int, ...], element: str, seed: int) -> Array:
    """Small whole numbers: sums of their products are exact in any order."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(DTYPES[element])


def mma(
    element: str,
    accumulator: str,
    sizes: tuple[int, int, int],
    *,
    batch: int | None = None,
    gpu: str = GPU,
) -> None:
    """A product at both levels, and by numpy."""
    m, n, k = sizes
    front = () if batch is None else (batch,)
    shapes = ((*front, m, k), (*front, k, n), (*front, m, n))
    elements = (element, element, accumulator)
    inputs = [
        whole(shape, e, seed) for seed, (shape, e) in enumerate(zip(shapes, elements, strict=True))
    ]
    types = ", ".join(shaped(shape, e) for shape, e in zip(shapes, elements, strict=True))
    body = f"%y0 = mmaf %x0, %x1, %x2 : {types}"
    (result,) = evaluate(body, inputs, [(accumulator, shapes[2])], gpu)
    a, b, c = (array.astype(np.float64) for array in inputs)
    np.testing.assert_array_equal(result.astype(np.float64), a @ b + c)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("element", "accumulator"), MMA_OPS)
def test_element_types(element: str, accumulator: str):
    for sizes in ((32, 16, 32), (16, 32, 16)):
        mma(element, accumulator, sizes)


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
@pytest.mark.parametrize(("element", "accumulator"), [("f16", "f32"), ("f64", "f64")])
def test_shapes(sizes: tuple[int, int, int], element: str, accumulator: str):
    mma(element, accumulator, sizes)


def test_eight_rows():
    """The instruction for 8 rows has the lanes of that for 16."""
    mma("f64", "f64", (8, 16, 4))


@pytest.mark.parametrize(
    ("element", "accumulator", "sizes", "batch"),
    [
        ("f16", "f32", (1, 64, 32), None),
        ("f16", "f16", (4, 16, 16), None),
        ("bf16", "f32", (64, 2, 32), None),
        ("f8E4M3FN", "f32", (2, 4, 32), None),
        ("f8E5M2", "f16", (8, 8, 64), None),
        ("f64", "f64", (1, 1, 16), None),
        ("bf16", "f32", (2, 32, 16), 4),
        ("f64", "f64", (64, 4, 8), 2),
    ],
)
def test_fewer_rows_or_columns_than_the_instruction_has(
    element: str, accumulator: str, sizes: tuple[int, int, int], batch: int | None
):
    """Lanes hold copies of the rows and columns that there are."""
    mma(element, accumulator, sizes, batch=batch)


def test_batches_of_eight_rows():
    """Where the instruction for 16 rows has its ninth, the next product begins."""
    mma("f64", "f64", (8, 16, 16), batch=2)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("element", "accumulator"), [("f16", "f16"), ("bf16", "f32")])
def test_targets(gpu: str, element: str, accumulator: str):
    mma(element, accumulator, (32, 32, 32), gpu=gpu)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("batch", [1, 2, 4])
@pytest.mark.parametrize(("element", "accumulator"), [("f16", "f32"), ("f32", "f32")])
def test_batches(batch: int, element: str, accumulator: str):
    mma(element, accumulator, (16, 16, 16), batch=batch)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("left", ["signed", "unsigned"])
@pytest.mark.parametrize("right", ["signed", "unsigned"])
@pytest.mark.parametrize("sizes", [(8, 8, 16), (16, 16, 32), (64, 32, 64)], ids=str)
def test_bytes(left: str, right: str, sizes: tuple[int, int, int]):
    m, n, k = sizes
    rng = np.random.default_rng(5)
    a = rng.integers(-128, 128, (m, k)).astype(np.int8)
    b = rng.integers(-128, 128, (k, n)).astype(np.int8)
    c = rng.integers(-(2**31), 2**31, (m, n)).astype(np.int32)
    body = f"""%y0 = mmai %x0, %x1, %x2 {left} {right} :
      {shaped((m, k), "i8")}, {shaped((k, n), "i8")}, {shaped((m, n), "i32")}"""
    (result,) = evaluate(body, [a, b, c], [("i32", (m, n))], GPU)
    operands = [
        x.view(np.uint8 if kind == "unsigned" else np.int8).astype(np.int64)
        for x, kind in ((a, left), (b, right))
    ]
    np.testing.assert_array_equal(result, (operands[0] @ operands[1] + c).astype(np.int32))


def test_a_chain_of_products():
    """What one product gives another takes as an operand, in the layout of its fragments."""
    tile = shaped((32, 32), "f16")
    wide = shaped((32, 32), "f32")
    body = f"""
    %none = constant <f32: 0.0> : {wide}
    %first = mmaf %x0, %x1, %none : {tile}, {tile}, {wide}
    %narrow = ftof %first : {wide} -> {tile}
    %turned = permute %narrow [1, 0] : {tile} -> {tile}
    %second = mmaf %narrow, %x1, %first : {tile}, {tile}, {wide}
    %y0 = mmaf %x0, %turned, %second : {tile}, {tile}, {wide}
    """
    a, b = (whole((32, 32), "f16", seed) for seed in (1, 2))
    (result,) = evaluate(body, [a, b], [("f32", (32, 32))])
    x, y = a.astype(np.float32), b.astype(np.float32)
    np.testing.assert_array_equal(result, x @ (x @ y).T + (x @ y) @ y + x @ y)


def test_a_product_in_a_loop():
    tile, wide = shaped((16, 16), "bf16"), shaped((16, 16), "f32")
    body = f"""
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %none = constant <f32: 0.0> : {wide}
    %y0 = for %i in (%zero to %three, step %one) : tile<i32> iter_values(%sum = %none) -> ({wide}) {{
      %next = mmaf %x0, %x1, %sum : {tile}, {tile}, {wide}
      continue %next : {wide}
    }}
    """
    a, b = (whole((16, 16), "bf16", seed) for seed in (1, 2))
    (result,) = evaluate(body, [a, b], [("f32", (16, 16))])
    np.testing.assert_array_equal(result, 3 * (a.astype(np.float32) @ b.astype(np.float32)))
