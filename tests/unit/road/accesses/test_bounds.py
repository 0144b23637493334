"""Tiles at, across and far behind the end of a memory object: nothing outside is touched."""

import numpy as np
import pytest

from tests.unit.road.levels_agree.test_agreement import assert_same

FAR = (2**22, 2**24 - 1, 2**31 - 1, 2**31, 2**32 - 2**20, -1)
"""Coordinates whose products with an extent of 1024 are beyond 32 bits, at 0 modulo 2**32 or not."""


def copy_of_tile(
    tile: int, *, bounded: bool, coordinate: str = "i32", size: str = "i32", divisor: int = 1
) -> str:
    """Copies tile %c of %p, which has %n elements, to the start of %q."""
    source = "tensor_view<?xf32, strides=[1]>"
    target = f"tensor_view<{tile}xf32, strides=[1]>"
    view = f"partition_view<tile=({tile}), padding_value = zero, {source}>"
    plain = f"partition_view<tile=({tile}), {target}>"
    bound = f"%m = assume bounded<0, ?>, %n : tile<{size}>" if bounded else ""
    name = "m" if bounded else "n"
    return f"""
    {bound}
    %k = assume div_by<{divisor}>, %{name} : tile<{size}>
    %zero = constant <i32: 0> : tile<i32>
    %pp = assume div_by<16>, %p : tile<ptr<f32>>
    %a = make_tensor_view %pp, shape = [%k], strides = [1] : tile<{size}> -> {source}
    %b = make_tensor_view %q, shape = [{tile}], strides = [1] : {target}
    %va = make_partition_view %a : {view}
    %vb = make_partition_view %b : {plain}
    %x, %t = load_view_tko weak %va[%c] : {view}, tile<{coordinate}> -> tile<{tile}xf32>, token
    %u = store_view_tko weak %x, %vb[%zero] : tile<{tile}xf32>, {plain}, tile<i32> -> token
    """


def parameters(coordinate: str = "i32", size: str = "i32") -> str:
    return f"%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<{size}>, %c: tile<{coordinate}>"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("coordinate", [0, 1, 2, 3, *FAR])
def test_any_coordinate(coordinate: int, bounded: bool):
    """An index never wraps around to an element of the object."""
    data = np.arange(1, 2301, dtype=np.float32)
    first = coordinate % 2**32 * 1024
    wanted = np.zeros(1024, np.float32)
    part = data[first : first + 1024]
    wanted[: len(part)] = part
    number = int(np.int32(np.uint32(coordinate % 2**32)))
    body = copy_of_tile(1024, bounded=bounded)
    arguments = [data, np.ones(1024, np.float32), len(data), number]
    result = assert_same(body, parameters(), arguments)[1]
    np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize(("coordinate", "size"), [("i64", "i32"), ("i32", "i64"), ("i8", "i32")])
@pytest.mark.parametrize("number", [0, 2, 3, -1])
def test_widths(coordinate: str, size: str, number: int):
    data = np.arange(1, 2301, dtype=np.float32)
    body = copy_of_tile(1024, bounded=False, coordinate=coordinate, size=size)
    arguments = [data, np.ones(1024, np.float32), len(data), number]
    result = assert_same(body, parameters(coordinate, size), arguments)[1]
    part = data[2048:] if number == 2 else data[:1024] if number == 0 else data[:0]
    np.testing.assert_array_equal(result, np.pad(part, (0, 1024 - len(part))))


@pytest.mark.parametrize("count", [1024, 1028, 2300, 0])
def test_sizes_that_are_multiples(count: int):
    """Elements of a vector are inside together."""
    data = np.arange(1, 2301, dtype=np.float32)
    body = copy_of_tile(1024, bounded=True, divisor=4)
    arguments = [data, np.ones(1024, np.float32), count, 1]
    result = assert_same(body, parameters(), arguments)[1]
    part = data[1024 : max(1024, min(2048, count))]
    np.testing.assert_array_equal(result, np.pad(part, (0, 1024 - len(part))))
