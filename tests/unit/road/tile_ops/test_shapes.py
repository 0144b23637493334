"""Re-indexing at the last level: each element comes from the place that it comes from at the first."""

import ml_dtypes
import numpy as np
import pytest

from tests.unit.road.agreement import DTYPES, ELEMENTS, Array, evaluate, shaped


def numbered(shape: tuple[int, ...], element: str = "i32") -> Array:
    """Different elements, as far as the type has them."""
    count = int(np.prod(shape))
    return (np.arange(count) % 128).astype(DTYPES[element]).reshape(shape)


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
)
@pytest.mark.parametrize("shape", [(4, 8, 16), (1, 2, 64)], ids=str)
def test_permute(order: tuple[int, ...], shape: tuple[int, ...]):
    values = numbered(shape)
    wanted = values.transpose(order)
    text = f"""%y0 = permute %x0 {list(order)} :
      {shaped(shape, "i32")} -> {shaped(wanted.shape, "i32")}"""
    (result,) = evaluate(text, [values], [("i32", wanted.shape)])
    np.testing.assert_array_equal(result, wanted)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("element", DTYPES)
def test_every_element_type_is_moved(element: str):
    values = numbered((16, 32), element)
    body = f"""
    %turned = permute %x0 [1, 0] : {shaped((16, 32), element)} -> {shaped((32, 16), element)}
    %twice = cat %turned, %turned dim = 1 :
      {shaped((32, 16), element)}, {shaped((32, 16), element)} -> {shaped((32, 32), element)}
    %one = constant <i32: 1> : tile<i32>
    %y0 = extract %twice[%one, %zero] : {shaped((32, 32), element)} -> {shaped((8, 32), element)}
    """
    (result,) = evaluate(body, [values], [(element, (8, 32))])
    np.testing.assert_array_equal(result, np.hstack([values.T, values.T])[8:16])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ((64,), (8, 8)),
        ((4, 32), (128,)),
        ((2, 4, 8), (8, 8)),
        ((1,), ()),
        ((), (1, 1)),
        ((512,), (2, 256)),
        ((32, 64), (64, 32)),
        ((16, 1, 4), (4, 16)),
    ],
    ids=str,
)
def test_reshape(source: tuple[int, ...], target: tuple[int, ...]):
    values = numbered(source)
    text = f"%y0 = reshape %x0 : {shaped(source, 'i32')} -> {shaped(target, 'i32')}"
    (result,) = evaluate(text, [values], [("i32", target)])
    np.testing.assert_array_equal(result, values.reshape(target))


@pytest.mark.parametrize(
    ("source", "target"),
    [((1,), (64,)), ((1, 16), (32, 16)), ((16, 1), (16, 64)), ((1, 8, 1), (4, 8, 2)), ((4,), (4,))],
    ids=str,
)
def test_broadcast(source: tuple[int, ...], target: tuple[int, ...]):
    values = numbered(source)
    text = f"%y0 = broadcast %x0 : {shaped(source, 'i32')} -> {shaped(target, 'i32')}"
    (result,) = evaluate(text, [values], [("i32", target)])
    np.testing.assert_array_equal(result, np.broadcast_to(values, target))


@pytest.mark.parametrize("shape", [(1, 2), (8, 16), (32, 32)], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_cat(shape: tuple[int, ...], axis: int):
    one, other = numbered(shape), np.flip(numbered(shape)).copy()
    wanted = np.concatenate([one, other], axis)
    tile = shaped(shape, "i32")
    text = f"%y0 = cat %x0, %x1 dim = {axis} : {tile}, {tile} -> {shaped(wanted.shape, 'i32')}"
    (result,) = evaluate(text, [one, other], [("i32", wanted.shape)])
    np.testing.assert_array_equal(result, wanted)


PARTS = [
    ((8, 16), (4, 8)),
    ((32, 32), (1, 32)),
    ((32, 32), (32, 1)),
    ((16,), (1,)),
    ((4, 4, 8), (2, 1, 8)),
    ((256,), (256,)),
]
"""A tile and a part of it."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("whole", "part"), PARTS, ids=str)
@pytest.mark.parametrize("known", [False, True])
def test_extract(whole: tuple[int, ...], part: tuple[int, ...], known: bool):
    """Every part: the last one at constant indices, or each at indices that come from memory."""
    values = numbered(whole)
    counts = [extent // size for extent, size in zip(whole, part, strict=True)]
    for number in [int(np.prod(counts)) - 1] if known else range(int(np.prod(counts)))[:4]:
        place = np.unravel_index(number, counts)
        inputs, lines, names = [values], [], []
        for dimension, index in enumerate(place):
            names.append(f"%x{dimension + 1}" if not known else f"%i{dimension}")
            inputs.append(np.array(index, np.int32))
            lines.append(f"%i{dimension} = constant <i32: {index}> : tile<i32>")
        lines.append(
            f"%y0 = extract %x0[{', '.join(names)}] : "
            f"{shaped(whole, 'i32')} -> {shaped(part, 'i32')}"
        )
        (result,) = evaluate("\n".join(lines), inputs, [("i32", part)])
        starts = [index * size for index, size in zip(place, part, strict=True)]
        window = tuple(slice(s, s + size) for s, size in zip(starts, part, strict=True))
        np.testing.assert_array_equal(result, values[window])


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("count", [1, 16, 128])
def test_iota(element: str, count: int):
    text = f"%y0 = iota : tile<{count}x{element}>"
    (result,) = evaluate(text, [], [(element, (count,))])
    np.testing.assert_array_equal(result, np.arange(count).astype(DTYPES[element]))


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.0, -0.0], np.float32),
        np.array([-0.0, -0.0], np.float16),
        np.array([1, 2, 3, 4], np.int8),
        np.array([True, False]),
        np.array([1.5, -2.5], ml_dtypes.bfloat16),
    ],
    ids=str,
)
def test_constants(values: Array):
    element = ELEMENTS[values.dtype]
    listed = ", ".join(str(value).lower() for value in values)
    text = f"%y0 = constant <{element}: [{listed}]> : {shaped(values.shape, element)}"
    (result,) = evaluate(text, [], [(element, values.shape)])
    assert result.tobytes() == values.tobytes()
