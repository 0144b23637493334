"""Kernels that random programs have found, as code of this processor and in the interpreter."""

import re
from collections.abc import Sequence

import numpy as np
import pytest

from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.interpreters import launch
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.cpu.compiling import compiled_for_cpu, lowered_for_cpu
from tileir_xdsl.runtime.cpu.host import resolved
from tileir_xdsl.runtime.cpu.launching import packed
from tileir_xdsl.runtime.cpu.programs import in_memory
from tileir_xdsl.runtime.errors import InputError, MemoryFaultError
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.testing import tools

FILE = "kernel.mlir"

CONSTANT_INTO_LOOP = """
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %start = constant <i64: [4, 5, 6, 7]> : tile<4xi64>
  %ones = constant <i64: 1> : tile<4xi64>
  %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%x = %start) -> (tile<4xi64>) {
    %next = addi %x, %ones : tile<4xi64>
    continue %next : tile<4xi64>
  }
"""

HIGH_HALVES = """
  %x, %loaded = load_ptr_tko weak %pointers : tile<4xptr<i64>> -> tile<4xi64>, token
  %sum = mulhii %x, %x : tile<4xi64>
"""

PROMISED_VIEW = """
  %whole = make_tensor_view %a, shape = [4], strides = [1] : tensor_view<4xi64, strides=[1]>
  %known = assume div_by<8>, %whole : tensor_view<4xi64, strides=[1]>
  %view = make_partition_view %known : partition_view<tile=(4), tensor_view<4xi64, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %sum, %loaded = load_view_tko weak %view[%zero]
      : partition_view<tile=(4), tensor_view<4xi64, strides=[1]>>, tile<i32> -> tile<4xi64>, token
"""

STEPS_TO_THE_LARGEST = """
  %low = constant <i64: 9223372036854775800> : tile<i64>
  %high = constant <i64: 9223372036854775807> : tile<i64>
  %step = constant <i64: 4> : tile<i64>
  %start = constant <i64: 0> : tile<4xi64>
  %ones = constant <i64: 1> : tile<4xi64>
  %sum = for %i in (%low to %high, step %step) : tile<i64>
      iter_values(%x = %start) -> (tile<4xi64>) {
    %next = addi %x, %ones : tile<4xi64>
    continue %next : tile<4xi64>
  }
"""

LAST_BYTES_OF_MEMORY = """
  %address = constant <i64: -8> : tile<4xi64>
  %there = int_to_ptr %address : tile<4xi64> -> tile<4xptr<i64>>
  %sum, %loaded = load_ptr_tko weak %there : tile<4xptr<i64>> -> tile<4xi64>, token
"""


def kernel(body: str) -> str:
    """A kernel that stores `%sum`, four elements, where its argument points to."""
    return f"""cuda_tile.module @m {{
entry @kernel(%a: tile<ptr<i64>>, %n: tile<i32>) {{
  %numbers = iota : tile<4xi32>
  %single = reshape %a : tile<ptr<i64>> -> tile<1xptr<i64>>
  %spread = broadcast %single : tile<1xptr<i64>> -> tile<4xptr<i64>>
  %pointers = offset %spread, %numbers : tile<4xptr<i64>>, tile<4xi32> -> tile<4xptr<i64>>
  {body}
  %stored = store_ptr_tko weak %pointers, %sum : tile<4xptr<i64>>, tile<4xi64> -> token
  return
}} }}"""


def run(text: str, arguments: Sequence[np.ndarray | int]) -> None:
    module = tools.parse(text)
    parameters = find_kernel(module, "kernel", FILE)
    bound = bind_arguments(parameters, [Argument(None, each) for each in arguments])
    code = compiled_for_cpu(module, FILE, resolved("cpu"), Options(opt_level=1))
    in_memory(code, "kernel", FILE).launch((1, 1, 1), packed(bound), time_limit=10)


REPEATED_PADDING = """
  %zero = constant <i32: 0> : tile<i32>
  %some = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
  %single_mask = reshape %some : tile<i1> -> tile<1xi1>
  %mask = broadcast %single_mask : tile<1xi1> -> tile<4xi1>
  %long = exti %numbers unsigned : tile<4xi32> -> tile<4xi64>
  %sum, %loaded = load_ptr_tko weak %spread, %mask, %long
      : tile<4xptr<i64>>, tile<4xi1>, tile<4xi64> -> tile<4xi64>, token
"""


@pytest.mark.parametrize(
    "body",
    [CONSTANT_INTO_LOOP, HIGH_HALVES, PROMISED_VIEW, REPEATED_PADDING, STEPS_TO_THE_LARGEST],
)
@pytest.mark.parametrize("trips", [0, 3])
def test_the_code_stores_what_the_interpreter_does(body: str, trips: int) -> None:
    text = kernel(body)
    start = np.array([3, -(2**63), 2**62 + 5, -7])
    expected, actual = start.copy(), start.copy()
    launch(tools.parse(text), "kernel", (1, 1, 1), [expected, trips])
    run(text, [actual, trips])
    assert actual.tolist() == expected.tolist()


LOADED_TURNED = """
  %turned = permute %tile [1, 0] : tile<4x4xi64> -> tile<4x4xi64>
  %sums = reduce %turned dim=1 identities=[0 : i64] : tile<4x4xi64> -> tile<4xi64>
  (%lhs: tile<i64>, %rhs: tile<i64>) {
    %both = addi %lhs, %rhs : tile<i64>
    yield %both : tile<i64>
  }
  %new = constant <i64: 9> : tile<4x4xi64>
"""


STORED_TWICE = """
  %ones = constant <i64: 1> : tile<4x4xi64>
  %new = addi %tile, %ones : tile<4x4xi64>
  %row = constant <i64: 0> : tile<4xi64>
  %sums = addi %row, %row : tile<4xi64>
"""


@pytest.mark.parametrize(("body", "stride"), [(LOADED_TURNED, 4), (STORED_TWICE, 1)])
def test_a_tile_is_loaded_before_its_elements_are_stored(body: str, stride: int) -> None:
    view = f"tensor_view<4x4xi64, strides=[{stride},1]>"
    tiles = f"partition_view<tile=(4x4), {view}>"
    text = f"""cuda_tile.module @m {{
entry @kernel(%a: tile<ptr<i64>>, %b: tile<ptr<i64>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %whole = make_tensor_view %a, shape = [4, 4], strides = [{stride}, 1] : {view}
  %view = make_partition_view %whole : {tiles}
  %tile, %loaded = load_view_tko weak %view[%zero, %zero] : {tiles}, tile<i32> -> tile<4x4xi64>, token
  {body}
  %stored = store_view_tko weak %new, %view[%zero, %zero] token = %loaded
      : tile<4x4xi64>, {tiles}, tile<i32> -> token
  %other = make_tensor_view %b, shape = [4], strides = [1] : tensor_view<4xi64, strides=[1]>
  %result = make_partition_view %other : partition_view<tile=(4), tensor_view<4xi64, strides=[1]>>
  %done = store_view_tko weak %sums, %result[%zero]
      : tile<4xi64>, partition_view<tile=(4), tensor_view<4xi64, strides=[1]>>, tile<i32> -> token
  return
}} }}"""
    expected, actual = ([np.arange(16), np.zeros(4, np.int64)] for _ in range(2))
    launch(tools.parse(text), "kernel", (1, 1, 1), expected)
    run(text, actual)
    assert all((one == other).all() for one, other in zip(expected, actual, strict=True))


@pytest.mark.parametrize("strides", [(16, 1), (1, 16), (16, 2)])
@pytest.mark.parametrize("order", ["0, 1", "1, 0"])
def test_rows_of_any_stride(strides: tuple[int, int], order: str) -> None:
    """Only along a stride of 1 is a vector loaded at once, in whatever order dimensions are."""
    source, target = (
        "tensor_view<16x16xi64, strides=[?,?]>",
        "tensor_view<16x16xi64, strides=[16,1]>",
    )
    loaded = f"partition_view<tile=(16x16), {source}>"
    stored = f"partition_view<tile=(16x16), {target}>"
    text = f"""cuda_tile.module @m {{
entry @kernel(%a: tile<ptr<i64>>, %b: tile<ptr<i64>>, %row: tile<i64>, %column: tile<i64>) {{
  %zero = constant <i32: 0> : tile<i32>
  %from = make_tensor_view %a, shape = [16, 16], strides = [%row, %column] : tile<i64> -> {source}
  %to = make_tensor_view %b, shape = [16, 16], strides = [16, 1] : {target}
  %in = make_partition_view %from : {loaded}
  %out = make_partition_view %to : {stored}
  %x, %t = load_view_tko weak %in[%zero, %zero] : {loaded}, tile<i32> -> tile<16x16xi64>, token
  %y = permute %x [{order}] : tile<16x16xi64> -> tile<16x16xi64>
  %done = store_view_tko weak %y, %out[%zero, %zero]
      : tile<16x16xi64>, {stored}, tile<i32> -> token
  return
}} }}"""
    numbers, result = np.arange(600), np.zeros((16, 16), np.int64)
    run(text, [numbers, result, *strides])
    rows, columns = np.mgrid[:16, :16]
    expected = rows * strides[0] + columns * strides[1]
    assert (result == (expected if order == "0, 1" else expected.T)).all()


POINTED = """
  %x, %t = load_ptr_tko {load} %pointers : tile<4xptr<i64>> -> tile<4xi64>, token
  %u = store_ptr_tko {store} %pointers, %x token=%t : tile<4xptr<i64>>, tile<4xi64> -> token
  %sum = constant <i64: 1> : tile<4xi64>
"""


@pytest.mark.parametrize(
    ("load", "store", "orders"),
    [
        ("weak", "weak", set[str]()),
        ("relaxed device", "relaxed device", {"load monotonic", "store monotonic"}),
        ("acquire device", "release device", {"load acquire", "store release"}),
    ],
)
def test_ordered_accesses_are_atomic(load: str, store: str, orders: set[str]) -> None:
    text = kernel(POINTED.format(load=load, store=store))
    ir = emit(lowered_for_cpu(tools.parse(text), FILE, resolved("cpu")))
    # Between blocks the code asks whether to stop, by the first atomic load.
    _, *accesses = re.findall(r"(load|store) atomic .* (\w+), align 8", ir)
    assert {" ".join(each) for each in accesses} == orders
    run(text, [np.arange(4), 0])


def test_the_last_bytes_of_memory_are_in_no_array() -> None:
    with pytest.raises(MemoryFaultError):
        run(kernel(LAST_BYTES_OF_MEMORY), [np.zeros(4, np.int64), 0])


APART = """
  %steps = constant <i32: {step}> : tile<4xi32>
  %far = muli %numbers, %steps : tile<4xi32>
  %apart = offset %spread, %far : tile<4xptr<i64>>, tile<4xi32> -> tile<4xptr<i64>>
"""
ACCESSES = {
    "load": "%sum, %loaded = load_ptr_tko weak %apart : tile<4xptr<i64>> -> tile<4xi64>, token",
    "store": "%sum = constant <i64: 5> : tile<4xi64>\n"
    "%there = store_ptr_tko weak %apart, %sum : tile<4xptr<i64>>, tile<4xi64> -> token",
}


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("step", [1, 2])
def test_an_element_after_the_last_is_outside(access: str, step: int) -> None:
    text, count = kernel(APART.format(step=step) + ACCESSES[access]), 3 * step + 1
    run(text, [np.zeros(count, np.int64), 0])
    with pytest.raises(MemoryFaultError, match=f"'{access}"):
        run(text, [np.zeros(count - 1, np.int64), 0])


@pytest.mark.parametrize("stride", [2**60, 3 * 2**59, 2**63 - 1])
def test_huge_strides_lead_out_of_arrays(stride: int) -> None:
    body = """
  %whole = make_tensor_view %a, shape = [4], strides = [%stride]
      : tile<i64> -> tensor_view<4xi64, strides=[?]>
  %view = make_partition_view %whole : partition_view<tile=(4), tensor_view<4xi64, strides=[?]>>
  %zero = constant <i32: 0> : tile<i32>
  %sum, %loaded = load_view_tko weak %view[%zero]
      : partition_view<tile=(4), tensor_view<4xi64, strides=[?]>>, tile<i32> -> tile<4xi64>, token
"""
    text = kernel(f"%stride = constant <i64: {stride}> : tile<i64>" + body)
    with pytest.raises(MemoryFaultError):
        run(text, [np.zeros(4, np.int64), 0])


def test_a_branch_in_a_reduction_has_no_code() -> None:
    text = kernel("""
  %x, %loaded = load_ptr_tko weak %pointers : tile<4xptr<i64>> -> tile<4xi64>, token
  %sum = scan %x dim=0 reverse=false identities=[0 : i64] : tile<4xi64> -> tile<4xi64>
  (%lhs: tile<i64>, %rhs: tile<i64>) {
    %less = cmpi less_than %lhs, %rhs, signed : tile<i64> -> tile<i1>
    %least = if %less -> (tile<i64>) {
      yield %lhs : tile<i64>
    } else {
      yield %rhs : tile<i64>
    }
    yield %least : tile<i64>
  }""")
    with pytest.raises(InputError, match=r"'nv_tileaa\.scan' has no code for a CPU"):
        run(text, [np.zeros(4, np.int64), 0])
