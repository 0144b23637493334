"""Global variables, memory of a tile block, and fences between addresses of the same memory."""

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import GPUS, assemble
from tests.unit.road.agreement import DTYPES, Array, assert_equal, run_at_both_levels
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools


def tile_of(pointer: str, place: str, element: str, count: int, index: str = "%i") -> str:
    """Ops that make the tile of pointers `place`, of elements `index` behind `pointer`."""
    many = f"tile<{count}xptr<{element}>>"
    return f"""
    %r{place} = reshape {pointer} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
    %b{place} = broadcast %r{place} : tile<1xptr<{element}>> -> {many}
    %{place} = offset %b{place}, {index} : {many}, tile<{count}xi32> -> {many}
    """


def copy_of_global(definition: str, element: str, count: int) -> str:
    """A kernel that copies the global @g to its argument."""
    many = f"tile<{count}xptr<{element}>>"
    return f"""cuda_tile.module @m {{
  {definition}
  entry @k(%q: tile<ptr<{element}>>) {{
    %p = get_global @g : tile<ptr<{element}>>
    %i = iota : tile<{count}xi32>
    {tile_of("%p", "from", element, count)} {tile_of("%q", "to", element, count)}
    %x, %u = load_ptr_tko weak %from : {many} -> tile<{count}x{element}>, token
    %v = store_ptr_tko weak %to, %x : {many}, tile<{count}x{element}> -> token
    return
  }}
}}"""


@pytest.mark.parametrize(
    ("element", "values"),
    [
        ("i1", "[true, false, false, true]"),
        ("i8", "[1, -2, 3, -128]"),
        ("i32", "[1, -2, 3, 2147483647]"),
        ("i64", "-7"),
        ("f16", "[1.5, -0.0, 65504.0, 0x7C00]"),
        ("bf16", "[1.5, -0.0, 3.0, 0xFF80]"),
        ("f32", "[1.5, -0.0, 1.0e-40, 0x7F800000]"),
        ("f64", "0.1"),
        ("f8E4M3FN", "[1.0, -0.0, 448.0, 2.0]"),
    ],
)
def test_a_global_has_its_value(element: str, values: str):
    text = copy_of_global(f"global @g <{element}: {values}> : tile<4x{element}>", element, 4)
    first, last = run_at_both_levels(text, [np.zeros(4, DTYPES[element])])
    assert first[0].tobytes() == last[0].tobytes() != bytes(first[0].nbytes)


def test_globals_are_visible_unless_private():
    public = copy_of_global("global @g alignment = 64 <i32: 5> : tile<4xi32>", "i32", 4)
    private = public.replace("  global @g", "  global private constant @g")
    value = ".align 64 .b8 g[16] = {5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0};"
    for text, line in ((public, f".visible .global {value}"), (private, f".global {value}")):
        for gpu in GPUS:
            ptx = emit(tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}"))
            assert f"\n{line}\n" in ptx
            assemble(ptx, gpu)


@pytest.mark.parametrize(
    ("asked", "element", "made"),
    [(0, "f64", 8), (1, "f32", 4), (1, "i8", 1), (3, "i8", 4), (3, "f64", 8), (48, "i16", 64)],
)
def test_alignments_are_powers_of_two_and_fit_the_element(asked: int, element: str, made: int):
    value = "0" if element.startswith("i") else "0.0"
    text = copy_of_global(
        f"global @g alignment = {asked} <{element}: {value}> : tile<4x{element}>", element, 4
    )
    ptx = emit(tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}"))
    assert f".global .align {made} .b8 g[" in ptx
    assemble(ptx, "sm_90a")


def test_a_global_is_written_and_read_by_the_kernels_of_a_module():
    text = """cuda_tile.module @m {
  global @count <i32: [5, 6]> : tile<2xi32>
  entry @k(%q: tile<ptr<i32>>) {
    %p = get_global @count : tile<ptr<i32>>
    %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %y = addi %x, %x : tile<i32>
    %u = store_ptr_tko weak %p, %y token=%t : tile<ptr<i32>>, tile<i32> -> token
    %z, %v = load_ptr_tko weak %p token=%u : tile<ptr<i32>> -> tile<i32>, token
    %w = store_ptr_tko weak %q, %z : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}"""
    first, last = run_at_both_levels(text, [np.zeros(1, np.int32)])
    assert_equal(first, last)
    assert first[0].tolist() == [10]


def reversing(element: str, alignment: int, count: int, flag: str = "") -> str:
    """A kernel that turns its argument around by way of memory of its own."""
    many, tile = f"tile<{count}xptr<{element}>>", f"tile<{count}x{element}>"
    return f"""cuda_tile.module @m {{
  entry @k(%q: tile<ptr<{element}>>) {{
    %p = alloca num_elem = {count}, alignment = {alignment} {flag}: tile<ptr<{element}>>
    %i = iota : tile<{count}xi32>
    %last = constant <i32: {count - 1}> : tile<{count}xi32>
    %j = subi %last, %i : tile<{count}xi32>
    {tile_of("%q", "at", element, count)} {tile_of("%p", "to", element, count)}
    {tile_of("%p", "from", element, count, "%j")}
    %x, %s = load_ptr_tko weak %at : {many} -> {tile}, token
    %t = store_ptr_tko weak %to, %x : {many}, {tile} -> token
    %f = memory_fence_alias_tko %t
    %y, %u = load_ptr_tko weak %from token=%f : {many} -> {tile}, token
    %w = join_tokens %s, %u : token
    %v = store_ptr_tko weak %at, %y token=%w : {many}, {tile} -> token
    return
  }}
}}"""


@pytest.mark.parametrize("alignment", [4, 16, 256])
@pytest.mark.parametrize("flag", ["", "global "])
def test_memory_of_a_tile_block(alignment: int, flag: str):
    data = np.arange(512, dtype=np.int32)
    text = reversing("i32", alignment, 512, flag)
    first, last = run_at_both_levels(text, [data])
    assert_equal(first, last)
    np.testing.assert_array_equal(last[0], data[::-1])


def test_assembler_takes_the_calls():
    for gpu in GPUS:
        module = tools.parse(reversing("f16", 64, 64))
        assemble(emit(tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}")), gpu)


def in_a_loop(count: int) -> str:
    """A kernel that takes `count` bytes in every iteration of a loop, and in a branch."""
    return f"""cuda_tile.module @m {{
  entry @k(%q: tile<ptr<i32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %j in (%zero to %n, step %one) : tile<i32> {{
      %p = alloca num_elem = {count // 4}, alignment = 16 : tile<ptr<i32>>
      %t = store_ptr_tko weak %p, %j : tile<ptr<i32>>, tile<i32> -> token
      %x, %u = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
      %odd = andi %j, %one : tile<i32>
      %is = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>
      %y = if %is -> (tile<i32>) {{
        %r = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
        %v = store_ptr_tko weak %r, %x : tile<ptr<i32>>, tile<i32> -> token
        %z, %w = load_ptr_tko weak %r token=%v : tile<ptr<i32>> -> tile<i32>, token
        %double = addi %z, %z : tile<i32>
        yield %double : tile<i32>
      }} else {{
        yield %x : tile<i32>
      }}
      %at = offset %q, %j : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %s = store_ptr_tko weak %at, %y : tile<ptr<i32>>, tile<i32> -> token
      continue
    }}
    return
  }}
}}"""


def launch(text: str, arguments: list[Array | int]) -> None:
    module = tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}")
    emulator.load(emit(module)).launch("k", (1, 1, 1), arguments, races=True)


def test_every_block_of_ops_gives_back_its_memory():
    result = np.zeros(5, np.int32)
    launch(in_a_loop(64), [result, 5])
    assert result.tolist() == [0, 2, 2, 6, 4]


def test_a_heap_without_enough_memory_ends_the_kernel():
    with pytest.raises(EmulatorError, match="trap"):
        launch(in_a_loop(emulator.MALLOC_BYTES), [np.zeros(1, np.int32), 1])


def test_memory_is_given_back_behind_a_barrier():
    text = reversing("i32", 16, 64)
    ptx = emit(tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}"))
    last_access = ptx.rindex("st.global")
    assert last_access < ptx.index("bar.sync 0;", last_access) < ptx.index("call.uni free")
