"""Kernels for what single numbers do not show: order, accumulation, masks, atomics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from tests.readings.listing import dependent, listing_of, shown
from tests.readings.numbers import word_of
from tests.unit.road.agreement import DTYPES, Type, whole_tiles
from tileir_xdsl import interpreters
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools


@dataclass(frozen=True)
class Written:
    """A kernel from %x0, %x1.. to %y0, what the text says of its result, and what a listing shows.

    `seen` tells how the listed instructions answer, where they do.
    """

    operation: str
    name: str
    body: str
    inputs: tuple[Array, ...]
    output: Type
    says: str
    seen: str = ""
    as_ptx: str = ""
    """Our result as PTX, where it is another one."""
    gpu: str = "sm_90a"

    @property
    def key(self) -> str:
        """What names the kernel among all answers."""
        return f"{self.operation}: {self.name}"

    @property
    def text(self) -> str:
        """The kernel."""
        return whole_tiles(self.body, self.inputs, [self.output])

    def ours(self) -> str:
        """The result of the interpreter at the first level."""
        module = tools.parse(self.text)
        return self.result_of(lambda arrays: interpreters.launch(module, "k", (1, 1, 1), arrays))

    def result_of(self, launch: Callable[[list[Array]], object]) -> str:
        """The elements that a launch of the kernel leaves in its output."""
        element, shape = self.output
        result: Array = np.zeros(shape or 1, DTYPES[element])
        inputs = [each.copy() for each in self.inputs]
        launch([*(each.ravel() for each in inputs), result.ravel()])
        bits = result.ravel().view(f"u{result.dtype.itemsize}").tolist()
        words = [word_of(value, element) for value in bits]
        return words[0] if len(set(words)) == 1 else " ".join(words)

    def instructions(self) -> tuple[str, ...]:
        """What `tileiras` makes of it."""
        (body,) = listing_of(self.text, self.gpu).values()
        return tuple(shown(each) for each in dependent(body))


def _i32(*values: int) -> Array:
    return np.array(values, np.int32)


def _f32(*values: float) -> Array:
    return np.array(values, np.float32)


def _in_order(operation: str, first: bool, says: str, seen: str, order: str = "") -> Written:
    """A reduction or scan whose body yields one of its arguments."""
    argument = "%p" if first else "%q"
    result = "4xi32" if operation == "scan" else "i32"
    body = f"""
      %y0 = {operation} %x0 dim=0 {order}identities=[0 : i32] : tile<4xi32> -> tile<{result}>
        (%p: tile<i32>, %q: tile<i32>) {{ yield {argument} : tile<i32> }}
    """
    name = f"{'first' if first else 'second'} argument of 3 1 4 1"
    if "true" in order:
        name += ", `reverse`"
    shape = (4,) if operation == "scan" else ()
    return Written(operation, name, body, (_i32(3, 1, 4, 1),), ("i32", shape), says, seen)


def _orders() -> list[Written]:
    prose = "the element first, then the accumulator"
    example = f"prose: {prose}; example: (%acc, %elem)"
    low, high = "the earlier element: no exchange", "the later element: `SHFL`"
    backward, forward = "reverse=true ", "reverse=false "
    return [
        _in_order("reduce", True, prose, low),
        _in_order("reduce", False, prose, high),
        _in_order("scan", True, example, "the accumulator: `SHFL.UP`", forward),
        _in_order("scan", False, example, "the element: no exchange", forward),
        _in_order("scan", True, example, "", backward),
        _in_order("scan", False, example, "", backward),
    ]


def _extremum(propagates: bool) -> Written:
    flag = " propagate_nan" if propagates else ""
    body = f"""
      %y0 = reduce %x0 dim=0 identities=[0xFF800000 : f32] : tile<4xf32> -> tile<f32>
        (%p: tile<f32>, %q: tile<f32>) {{
          %m = maxf %p, %q{flag} : tile<f32>
          yield %m : tile<f32>
        }}
    """
    says = "that of `maxf`; the order of elements is open"
    name = f"`maxf{flag}` of NaN 1 -0 0"
    return Written("reduce", name, body, (_f32(np.nan, 1, -0.0, 0),), ("f32", ()), says)


M, K = 64, 64


def _dot(dtype: Any, element: str, terms: Sequence[float], name: str, seen: str = "") -> Written:
    """Rows of A that are multiplied with ones."""
    lhs, rhs = np.zeros((M, K), np.float32), np.ones((K, M), np.float32)
    lhs[:, : len(terms)] = terms
    types = f"tile<{M}x{K}x{element}>, tile<{K}x{M}x{element}>, tile<{M}x{M}xf32>"
    body = f"""
      %zeros = constant <f32: 0.0> : tile<{M}x{M}xf32>
      %y0 = mmaf %x0, %x1, %zeros : {types}
    """
    inputs = (lhs.astype(dtype), rhs.astype(dtype))
    says = "nothing of the accumulator's precision, order or subnormal numbers"
    return Written("mmaf", name, body, inputs, ("f32", (M, M)), says, seen)


def _scaled() -> Written:
    """A product whose scales are NaN in one row."""
    size, block = 128, 32
    types = (f"tile<{size}x{size}xf8E4M3FN>",) * 2 + (f"tile<{size}x{size}xf32>",)
    scales = (
        f"tile<{size}x{size // block}xf8E8M0FNU>",
        f"tile<{size // block}x{size}xf8E8M0FNU>",
    )
    body = f"""
      %zeros = constant <f32: 0.0> : {types[2]}
      %sa = constant <f8E8M0FNU: 0xFF> : {scales[0]}
      %sb = constant <f8E8M0FNU: 0x7F> : {scales[1]}
      %y0 = mmaf_scaled %x0, %x1, %zeros, %sa, %sb : {", ".join((*types, *scales))}
    """
    zeros = np.zeros((size, size), ml_dtypes.float8_e4m3fn)
    says = "nothing of a scale that is NaN"
    output = ("f32", (size, size))
    name, inputs = "0 by a scale of NaN", (zeros, zeros)
    return Written("mmaf_scaled", name, body, inputs, output, says, gpu="sm_100a")


def _mmai() -> Written:
    types = f"tile<{M}x{K}xi8>, tile<{K}x{M}xi8>, tile<{M}x{M}xi32>"
    body = f"""
      %most = constant <i32: 2147483647> : tile<{M}x{M}xi32>
      %y0 = mmai %x0, %x1, %most signed signed : {types}
    """
    one = np.zeros((M, K), np.int8)
    one[:, 0] = 1
    inputs = (one, np.ones((K, M), np.int8))
    says, seen = "silent on overflow", "the greatest: `.SAT` saturates"
    return Written("mmai", "greatest + 1", body, inputs, ("i32", (M, M)), says, seen)


def _iota() -> Written:
    body = """
      %n = iota : tile<256xi8>
      %w = exti %n unsigned : tile<256xi8> -> tile<256xi32>
      %y0 = reduce %w dim=0 identities=[0 : i32] : tile<256xi32> -> tile<i32>
        (%p: tile<i32>, %q: tile<i32>) {
          %m = maxi %p, %q unsigned : tile<i32>
          yield %m : tile<i32>
        }
    """
    says = "unsigned; as many elements as the type has numbers"
    return Written("iota", "the last of 256 as i8", body, (), ("i32", ()), says)


_POINTERS = """
  %lane = iota : tile<4xi32>
  %one = reshape %p0 : tile<ptr<{0}>> -> tile<1xptr<{0}>>
  %all = broadcast %one : tile<1xptr<{0}>> -> tile<4xptr<{0}>>
  %at = offset %all, %lane : tile<4xptr<{0}>>, tile<4xi32> -> tile<4xptr<{0}>>
"""
"""The addresses of the elements of %x0, as %at."""


def _masked() -> Written:
    body = f"""{_POINTERS.format("i32")}
      %two = constant <i32: 2> : tile<4xi32>
      %mask = cmpi less_than %lane, %two, signed : tile<4xi32> -> tile<4xi1>
      %y0, %last = load_ptr_tko weak %at, %mask : tile<4xptr<i32>>, tile<4xi1> -> tile<4xi32>, token
    """
    says = "masked elements without padding are undefined"
    return Written("load_ptr_tko", "half masked", body, (_i32(3, 1, 4, 1),), ("i32", (4,)), says)


def _bytes_as_booleans() -> Written:
    body = """
      %bytes = ptr_to_ptr %p0 : tile<ptr<i8>> -> tile<ptr<i1>>
      %b, %last = load_ptr_tko weak %bytes : tile<ptr<i1>> -> tile<i1>, token
      %y0 = exti %b unsigned : tile<i1> -> tile<i32>
    """
    says = "a nonzero byte is true, as 0x01"
    two = np.array([2, 0, 0, 0], np.int8)
    return Written("load_ptr_tko", "i1 from a byte of 2", body, (two,), ("i32", ()), says)


def _outside() -> Written:
    view = "partition_view<tile=(4), tensor_view<?xi32, strides=[1]>>"
    body = f"""
      %three = constant <i32: 3> : tile<i32>
      %w = make_tensor_view %p0, shape = [%three], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
      %v = make_partition_view %w : {view}
      %y0, %last = load_view_tko weak %v[%zero] : {view}, tile<i32> -> tile<4xi32>, token
    """
    says = "elements outside without a padding value: not defined"
    return Written(
        "load_view_tko", "one element outside", body, (_i32(3, 1, 4, 1),), ("i32", (4,)), says
    )


def _atomic(
    mode: str, element: str, memory: Array, value: str, name: str, says: str, **shown: str
) -> Written:
    """What memory holds after an atomic update of its first element."""
    body = f"""
      %value = constant <{element}: {value}> : tile<{element}>
      %old, %first = atomic_rmw_tko relaxed device %p0, {mode}, %value
        : tile<ptr<{element}>>, tile<{element}> -> tile<{element}>, token
      %y0, %last = load_ptr_tko weak %p0 token=%first : tile<ptr<{element}>> -> tile<{element}>, token
    """
    return Written("atomic_rmw_tko", name, body, (memory,), (element, ()), says, **shown)


def _compare_and_swap() -> Written:
    body = """
      %zero_f = constant <f32: 0.0> : tile<f32>
      %five = constant <f32: 5.0> : tile<f32>
      %old, %first = atomic_cas_tko relaxed device %p0, %zero_f, %five
        : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
      %y0, %last = load_ptr_tko weak %p0 token=%first : tile<ptr<f32>> -> tile<f32>, token
    """
    says = "bits are compared: -0 is not 0"
    return Written(
        "atomic_cas_tko", "0 for -0 in memory", body, (_f32(-0.0, 0, 0, 0),), ("f32", ()), says
    )


@cache
def written() -> tuple[Written, ...]:
    """All kernels."""
    e4m3, e5m2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
    apart = "the unit's own accumulator, added by `FADD` to one of f32"
    return (
        *_orders(),
        _extremum(False),
        _extremum(True),
        _dot(e4m3, "f8E4M3FN", (448, 2.0**-9), "f8: 448 + 2^-9", apart),
        _dot(e5m2, "f8E5M2", (57344, 2.0**-9), "f8: 57344 + 2^-9", apart),
        _dot(np.float16, "f16", (2048, 1, 2.0**-9), "f16: 2048 + 1 + 2^-9"),
        _dot(ml_dtypes.bfloat16, "bf16", (2.0**-133,), "bf16: a subnormal number"),
        _scaled(),
        _mmai(),
        _iota(),
        _masked(),
        _bytes_as_booleans(),
        _outside(),
        _atomic(
            *("addf", "f32", _f32(1e-40, 0, 0, 0), "0.0", "`addf` of a subnormal f32"),
            "rounds to nearest even; flushes subnormal numbers for now",
            seen="flushed: `.FTZ`",
            as_ptx="0",
        ),
        _atomic(*("max", "i32", _i32(-1, 0, 0, 0), "1", "`max` of -1 and 1", "signed")),
        _atomic(*("umax", "i32", _i32(-1, 0, 0, 0), "1", "`umax` of -1 and 1", "unsigned")),
        _compare_and_swap(),
    )
