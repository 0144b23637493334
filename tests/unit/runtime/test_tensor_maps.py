"""Tensor maps of a launch: from recipe and arguments to what the emulator, or a driver, takes."""

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import f16

from tileir_xdsl import emulator
from tileir_xdsl.dialects.launch_attributes import TENSOR_MAPS_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileas.attributes import OutOfBoundsMode, SwizzleMode
from tileir_xdsl.dialects.nv_tileas.tensor_maps import (
    KernelArgument,
    LaunchValue,
    TensorMapRecipe,
)
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import LoweredLaunch, with_tensor_maps
from tileir_xdsl.runtime.lowering import Lowered
from tileir_xdsl.runtime.tensor_maps import TensorMapError, tensor_map
from tileir_xdsl.testing import tools

arg = KernelArgument


def recipe(
    sizes: tuple[LaunchValue, ...] = (arg(1), arg(2)),
    strides: tuple[LaunchValue, ...] = (arg(3), 1),
    outside: OutOfBoundsMode = OutOfBoundsMode.ZERO,
) -> TensorMapRecipe:
    return TensorMapRecipe((64, 32), f16, arg(0), sizes, strides, SwizzleMode.BYTES_64, outside)


def arguments(array: NDArray[np.generic], *numbers: int) -> list[NDArray[np.generic] | np.generic]:
    return [array, *(np.int32(number) for number in numbers)]


def test_an_object_in_an_array():
    array = np.arange(1000, dtype=np.float16)
    found = tensor_map(recipe(), arguments(array, 10, 20, 32))
    assert found.array.shape == (10, 20) and found.array.strides == (64, 2)
    assert np.shares_memory(found.array, array) and found.array[1, 1] == 33
    assert (found.box, found.swizzle, found.fills_with_nan) == ((64, 32), 64, False)
    nan = tensor_map(recipe(outside=OutOfBoundsMode.NAN), arguments(array, 10, 20, 32))
    assert nan.fills_with_nan


def test_columns_side_by_side_come_last():
    """An array lists dimensions from slowest to fastest, whatever the order of those of tiles."""
    array = np.arange(1000, dtype=np.float16)
    found = tensor_map(recipe(strides=(1, arg(3))), arguments(array, 10, 20, 32))
    assert found.array.shape == (20, 10) and found.box == (32, 64)


@pytest.mark.parametrize(
    ("dtype", "stored"),
    [
        (np.int8, np.uint8),
        (np.bool_, np.uint8),
        (ml_dtypes.float8_e4m3fn, np.uint8),
        (np.int16, np.uint16),
        (np.int64, np.uint64),
        (np.float64, np.float64),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16),
    ],
)
def test_element_types(dtype: type, stored: type):
    array = np.zeros((4, 64), dtype)
    found = tensor_map(recipe(), arguments(array, 4, 64, 64))
    assert found.array.dtype == np.dtype(stored)


@pytest.mark.parametrize("outside", [OutOfBoundsMode.ZERO, OutOfBoundsMode.NAN])
def test_an_empty_object_is_one_element_that_is_as_outside(outside: OutOfBoundsMode):
    array = np.ones(64, np.float16)
    found = tensor_map(recipe(outside=outside), arguments(array, 0, 64, 64))
    assert found.array.shape == (1, 1) and not np.shares_memory(found.array, array)
    np.testing.assert_array_equal(
        found.array, [[np.nan if outside is OutOfBoundsMode.NAN else 0.0]]
    )
    found.encode(1024)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((10, 33, 33), "a stride that is not a multiple of 16 bytes"),
        ((33, 32, 32), "reaches past the end of the array"),
        # Sizes are unsigned.
        ((-1, 32, 32), "more than 2147483648 elements along a dimension"),
    ],
)
def test_objects_that_cannot_be_mapped(numbers: tuple[int, ...], message: str):
    array = np.zeros(1024, np.float16)
    with pytest.raises(TensorMapError, match=f"the object at argument 0.* {message}"):
        tensor_map(recipe(), arguments(array, *numbers))


def test_rows_too_far_apart():
    with pytest.raises(TensorMapError, match="a stride of more than 1099511627775 bytes"):
        tensor_map(recipe(strides=(1 << 39, 1)), arguments(np.zeros(1024, np.float16), 1, 32))


def test_a_number_that_cannot_be_mapped():
    array = np.zeros(1024, np.float16)
    with pytest.raises(TensorMapError, match="argument 0 is not an array"):
        tensor_map(recipe(), [np.int32(1), *arguments(array, 10, 32, 32)[1:]])


COMPILED = f"""
llvm.func @copy(%p: !llvm.ptr, %n: i32, %map: !llvm.ptr {{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}})
    attributes {{nvvm.kernel, {TENSOR_MAPS_ATTRIBUTE} = [#nv_tileas.tensor_map<16x32xf16, arg0,
                 sizes = [arg1, 32], strides = [32, 1], swizzle = none, oob = zero>]}} {{
  llvm.return
}}
"""

PTX = """
.version 8.6
.target sm_90a
.address_size 64
.visible .entry copy(.param .u64 p, .param .u32 n, .param .align 64 .b8 map[128])
.reqntid 1, 1, 1
{
  .shared .align 128 .b8 buffer[1024];
  .shared .align 8 .b64 barrier;
  .reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .pred %p1;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd0, %rd1;
  mov.u32 %r0, buffer;
  mov.u32 %r1, barrier;
  mbarrier.init.shared::cta.b64 [%r1], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1024;
  mov.u32 %r2, 0;
  mov.u32 %r3, 2;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%rd0, {%r2, %r3}], [%r1];
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
  @!%p1 bra wait;
  fence.proxy.async;
  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd0, {%r2, %r2}], [%r0];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
"""


def test_a_launch_makes_the_last_arguments():
    """The kernel moves an object two rows up."""
    module = tools.parse(COMPILED)
    kernel = find_kernel(module, None, "<test>")
    assert len(kernel.parameters) == 2
    array = np.arange(12 * 32, dtype=np.float16).reshape(12, 32)
    expected = np.concatenate([array[2:], np.zeros((2, 32), np.float16)])
    given = arguments(array, 12)
    LoweredLaunch(Lowered(module, PTX), "copy", (1, 1, 1), given, "<test>").run()
    np.testing.assert_array_equal(array, expected)
    # And so does a launch of the emulator itself.
    maps = with_tensor_maps(module, "copy", given)
    assert isinstance(maps[-1], emulator.TensorMap)
    emulator.load(PTX).launch("copy", (1, 1, 1), maps)
    with pytest.raises(InputError, match="<test>: error: the object at argument 0 reaches past"):
        LoweredLaunch(Lowered(module, PTX), "copy", (1, 1, 1), arguments(array, 13), "<test>").run()


def test_other_kernels_have_none():
    module = tools.parse("llvm.func @k(%n: i32) attributes {nvvm.kernel} { llvm.return }")
    assert with_tensor_maps(module, "k", arguments(np.zeros(1), 1)[1:]) == [np.int32(1)]
    assert with_tensor_maps(module, "other", []) == []
