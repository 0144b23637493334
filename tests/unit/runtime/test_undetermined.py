"""Elements that loads leave undetermined: found wherever they matter, and nowhere else."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tileir_xdsl.interpreters.cuda_tile.undetermined import Reason, Sink
from tileir_xdsl.interpreters.launch import launch
from tileir_xdsl.interpreters.numerics import ELEMENTS, memory_dtype
from tileir_xdsl.interpreters.undefined_notes import UndefinedNotes
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.undetermined import Repeated, Undetermined
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import generate

SIZE, DEFINED = 8, 5
"""The elements of a tile, and how many of them have a value."""

LOADS = {
    "view": Reason.OUTSIDE,
    "strided": Reason.OUTSIDE,
    "rows": Reason.OUTSIDE,
    "mask": Reason.MASKED_OFF,
    "allocation": Reason.NEVER_WRITTEN,
}
"""Ways to load a tile of which only the first elements have a value."""

POINTERS = """
%places = iota : tile<8xi32>
%one_row = reshape %{base} : tile<ptr<{t}>> -> tile<1xptr<{t}>>
%row = broadcast %one_row : tile<1xptr<{t}>> -> tile<8xptr<{t}>>
%pointers = offset %row, %places : tile<8xptr<{t}>>, tile<8xi32> -> tile<8xptr<{t}>>
"""

TEXTS = {
    "view": """
%tensor = make_tensor_view %in, shape = [5], strides = [1] : tensor_view<5x{t}, strides=[1]>
%view = make_partition_view %tensor : partition_view<tile=(8), tensor_view<5x{t}, strides=[1]>>
%x, %token = load_view_tko weak %view[%zero]
  : partition_view<tile=(8), tensor_view<5x{t}, strides=[1]>>, tile<i32> -> tile<8x{t}>, token
""",
    "strided": """
%tensor = make_tensor_view %in, shape = [5], strides = [1] : tensor_view<5x{t}, strides=[1]>
%view = make_strided_view %tensor
  : strided_view<tile=(8), traversal_strides=[4], tensor_view<5x{t}, strides=[1]>>
%x, %token = load_view_tko weak %view[%zero]
  : strided_view<tile=(8), traversal_strides=[4], tensor_view<5x{t}, strides=[1]>>, tile<i32>
  -> tile<8x{t}>, token
""",
    "rows": """
%places = iota : tile<8xi32>
%tensor = make_tensor_view %in, shape = [5, 1], strides = [1, 1]
  : tensor_view<5x1x{t}, strides=[1,1]>
%view = make_gather_scatter_view %tensor
  : gather_scatter_view<tile=(8x1), tensor_view<5x1x{t}, strides=[1,1]>, sparse_dim=0>
%column, %token = load_view_tko weak %view[%places, %zero]
  : gather_scatter_view<tile=(8x1), tensor_view<5x1x{t}, strides=[1,1]>, sparse_dim=0>,
    tile<8xi32>, tile<i32> -> tile<8x1x{t}>, token
%x = reshape %column : tile<8x1x{t}> -> tile<8x{t}>
""",
    "mask": POINTERS.replace("{base}", "in")
    + """
%mask = cmpi less_than %places, %fives, signed : tile<8xi32> -> tile<8xi1>
%x, %token = load_ptr_tko weak %pointers, %mask
  : tile<8xptr<{t}>>, tile<8xi1> -> tile<8x{t}>, token
""",
    "allocation": """
%own = alloca num_elem = 8, alignment = 16 : tile<ptr<{t}>>
"""
    + POINTERS.replace("{base}", "own")
    + """
%mask = cmpi less_than %places, %fives, signed : tile<8xi32> -> tile<8xi1>
%given = constant <{t}: {one}> : tile<8x{t}>
%written = store_ptr_tko weak %pointers, %given, %mask
  : tile<8xptr<{t}>>, tile<8x{t}>, tile<8xi1> -> token
%x, %token = load_ptr_tko weak %pointers token=%written
  : tile<8xptr<{t}>> -> tile<8x{t}>, token
""",
}

OUTPUT = """
%out_tensor = make_tensor_view %out, shape = [8], strides = [1]
  : tensor_view<8x{t}, strides=[1]>
%out_view = make_partition_view %out_tensor
  : partition_view<tile=(8), tensor_view<8x{t}, strides=[1]>>
"""

STORE = (
    OUTPUT
    + """
%stored = store_view_tko weak %y, %out_view[%zero]
  : tile<8x{t}>, partition_view<tile=(8), tensor_view<8x{t}, strides=[1]>>, tile<i32> -> token
"""
)

OUT_POINTERS = """
%out_one = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
%out_row = broadcast %out_one : tile<1xptr<i32>> -> tile<8xptr<i32>>
"""

LARGEST = """
%largest = reduce %y dim=0 identities=[-2147483648 : i32] : tile<8xi32> -> tile<i32>
  (%a: tile<i32>, %b: tile<i32>) {
  %more = maxi %a, %b signed : tile<i32>
  yield %more : tile<i32>
}
"""

SINKS = {
    "store": (Sink.STORE, STORE.replace("{t}", "i32")),
    "pointer store": (Sink.STORE, OUT_POINTERS + """
%seats = iota : tile<8xi32>
%to = offset %out_row, %seats : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%stored = store_ptr_tko weak %to, %y : tile<8xptr<i32>>, tile<8xi32> -> token
"""),
    "if": (Sink.BRANCH, LARGEST + """
%limit = constant <i32: 10> : tile<i32>
%is_large = cmpi greater_than %largest, %limit, signed : tile<i32> -> tile<i1>
if %is_large { }
"""),
    "for": (Sink.BRANCH, LARGEST + """
%step = constant <i32: 1> : tile<i32>
for %i in (%zero to %largest, step %step) : tile<i32> { }
"""),
    "assert": (Sink.BRANCH, """
%tens = constant <i32: 10> : tile<8xi32>
%is_small = cmpi less_than %y, %tens, signed : tile<8xi32> -> tile<8xi1>
assert %is_small, "small" : tile<8xi1>
"""),
    "address": (Sink.ADDRESS, OUT_POINTERS + """
%sevens = constant <i32: 7> : tile<8xi32>
%seats = andi %y, %sevens : tile<8xi32>
%to = offset %out_row, %seats : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%stored = store_ptr_tko weak %to, %fives : tile<8xptr<i32>>, tile<8xi32> -> token
"""),
    "address of a load": (Sink.ADDRESS, OUT_POINTERS + """
%sevens = constant <i32: 7> : tile<8xi32>
%seats = andi %y, %sevens : tile<8xi32>
%from = offset %out_row, %seats : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%got, %got_token = load_ptr_tko weak %from : tile<8xptr<i32>> -> tile<8xi32>, token
"""),
    "wild address": (Sink.ADDRESS, OUT_POINTERS + """
%from = offset %out_row, %y : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%got, %got_token = load_ptr_tko weak %from : tile<8xptr<i32>> -> tile<8xi32>, token
"""),
    "atomic": (Sink.ATOMIC, OUT_POINTERS + """
%old, %old_token = atomic_rmw_tko relaxed device %out_row, add, %y
  : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
"""),
    "swap": (Sink.ATOMIC, OUT_POINTERS + """
%seats = iota : tile<8xi32>
%at = offset %out_row, %seats : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%ones = constant <i32: 1> : tile<8xi32>
%old, %old_token = atomic_cas_tko relaxed device %at, %ones, %y
  : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
"""),
}  # fmt: skip
"""Where a tile `%y` of i32 matters."""

PATHS = [
    (load, sink)
    for load, sink in product(LOADS, SINKS)
    # Memory that was never written holds -1, an address that no launch can read.
    if (load, sink) != ("allocation", "wild address")
]

OPS = {
    "none": "%y = ori %v, %v : tile<8xi32>",
    "halve": """
%shift = constant <i32: 1> : tile<8xi32>
%y = shri %v, %shift signed : tile<8xi32>""",
    "select": """
%is = cmpi not_equal %v, %fives, signed : tile<8xi32> -> tile<8xi1>
%y = select %is, %v, %fives : tile<8xi1>, tile<8xi32>""",
    "scan": """
%y = scan %v dim=0 reverse=false identities=[-2147483648 : i32] : tile<8xi32> -> tile<8xi32>
  (%c: tile<i32>, %d: tile<i32>) {
  %best = maxi %c, %d signed : tile<i32>
  yield %best : tile<i32>
}""",
}
"""Ops that keep what is undetermined in a tile of i32."""

DTYPES = [name for name in ELEMENTS if ELEMENTS[name].bits >= 8 and name != "i4"]

SIGNED = [name for name in DTYPES if name not in ("i1", "f8E8M0FNU", "fnv8E5M3FNU")]


def as_i32(dtype: str) -> str:
    """Ops that make a tile `%v` of i32 of the tile `%x`."""
    match dtype:
        case "i32":
            return "%v = ori %x, %x : tile<8xi32>"
        case "i64":
            return "%v = trunci %x : tile<8xi64> -> tile<8xi32>"
        case "i1" | "i8" | "i16":
            return f"%v = exti %x signed : tile<8x{dtype}> -> tile<8xi32>"
        case "f32":
            return "%v = ftoi %x signed : tile<8xf32> -> tile<8xi32>"
        case _:
            return (
                f"%wide = ftof %x : tile<8x{dtype}> -> tile<8xf32>\n"
                "%v = ftoi %wide signed : tile<8xf32> -> tile<8xi32>"
            )


def findings(body: str, dtype: str, output: str = "i32") -> list[Undetermined]:
    """What is found of a kernel of one tile block that loads from `%in` and stores to `%out`."""
    text = (
        f"cuda_tile.module @m {{ entry @k(%in: tile<ptr<{dtype}>>, %out: tile<ptr<{output}>>) {{\n"
        "%zero = constant <i32: 0> : tile<i32>\n"
        f"%fives = constant <i32: 5> : tile<8xi32>\n{body}\nreturn }} }}"
    )
    module = tools.parse(text, name="k.mlir")

    def memory(name: str) -> np.ndarray:
        element = ELEMENTS[name]
        stored = memory_dtype(element) if name == "fnv8E5M3FNU" else element.dtype
        return np.ones(SIZE, np.uint8).astype(stored)

    arguments = [memory(dtype)[:DEFINED], memory(output)]
    notes = UndefinedNotes()
    launch(module, "k", (1, 1, 1), [each.copy() for each in arguments], undefined=notes)
    found = Repeated(module, "k", (1, 1, 1), arguments).undetermined()
    # Launches are repeated only where a load may have left elements undetermined.
    assert notes.loads or not found
    return found


def load_text(load: str, dtype: str) -> str:
    one = 1 if dtype.startswith("i") else "1.0"
    return TEXTS[load].format(t=dtype, one=one)


@pytest.mark.parametrize(("load", "dtype"), list(product(LOADS, DTYPES)))
def test_stored(load: str, dtype: str):
    """A tile of each type that is stored as it is."""
    store = STORE.format(t=dtype).replace("%y", "%x")
    (found,) = findings(load_text(load, dtype) + store, dtype, dtype)
    assert (found.reason, found.sink) == (LOADS[load], Sink.STORE)
    assert found.op.name == "cuda_tile.store_view_tko"
    assert found.load.name.startswith("cuda_tile.load_")


@pytest.mark.parametrize(("load", "sink"), PATHS)
def test_sinks(load: str, sink: str):
    body = "\n".join([load_text(load, "i32"), as_i32("i32"), OPS["none"], SINKS[sink][1]])
    (found,) = findings(body, "i32")
    assert (found.reason, found.sink) == (LOADS[load], SINKS[sink][0])


@pytest.mark.one_in(20)
@pytest.mark.parametrize(("load", "sink"), [path for path in PATHS if "address" not in path[1]])
@pytest.mark.parametrize(("dtype", "op"), list(product(SIGNED, OPS)))
def test_all(load: str, sink: str, dtype: str, op: str):
    body = "\n".join([load_text(load, dtype), as_i32(dtype), OPS[op], SINKS[sink][1]])
    (found,) = findings(body, dtype)
    assert (found.reason, found.sink) == (LOADS[load], SINKS[sink][0])


SILENT = {
    "masked again": "%y = select %is_first, %v, %fives : tile<8xi1>, tile<8xi32>",
    "times zero": "%y = muli %v, %zeros : tile<8xi32>",
    "and zero": "%y = andi %v, %zeros : tile<8xi32>",
    "xor with itself": "%y = xori %v, %v : tile<8xi32>",
    "clamped": """
%low = maxi %v, %fives signed : tile<8xi32>
%y = mini %low, %fives signed : tile<8xi32>""",
    "cut off": """
%half = extract %v[%zero] : tile<8xi32> -> tile<4xi32>
%y = cat %half, %half dim = 0 : tile<4xi32>, tile<4xi32> -> tile<8xi32>""",
    "condition of equal values": """
%is = cmpi less_than %v, %zeros, signed : tile<8xi32> -> tile<8xi1>
%y = select %is, %fives, %fives : tile<8xi1>, tile<8xi32>""",
    "unused": "%y = ori %fives, %fives : tile<8xi32>",
    "through an allocation": """
%scratch = alloca num_elem = 8, alignment = 16 : tile<ptr<i32>>
%s_one = reshape %scratch : tile<ptr<i32>> -> tile<1xptr<i32>>
%s_row = broadcast %s_one : tile<1xptr<i32>> -> tile<8xptr<i32>>
%s_at = offset %s_row, %order : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%s_token = store_ptr_tko weak %s_at, %v : tile<8xptr<i32>>, tile<8xi32> -> token
%back, %b_token = load_ptr_tko weak %s_at, %is_first, %fives token=%s_token
  : tile<8xptr<i32>>, tile<8xi1>, tile<8xi32> -> tile<8xi32>, token
%y = select %is_first, %back, %fives : tile<8xi1>, tile<8xi32>""",
}  # fmt: skip
"""Ops that make of a tile `%v` one without anything undetermined."""

FIRST = """
%order = iota : tile<8xi32>
%zeros = constant <i32: 0> : tile<8xi32>
%is_first = cmpi less_than %order, %fives, signed : tile<8xi32> -> tile<8xi1>
"""


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("op", SILENT)
@pytest.mark.parametrize("sink", ["store", "for", "address", "atomic"])
def test_silent(load: str, op: str, sink: str):
    body = "\n".join([load_text(load, "i32"), as_i32("i32"), FIRST, SILENT[op], SINKS[sink][1]])
    assert findings(body, "i32") == []


STORED_IN_PART = {
    "beyond a view": OUTPUT.replace("[8]", "[5]").replace("<8x", "<5x") + """
%stored = store_view_tko weak %v, %out_view[%zero]
  : tile<8x{t}>, partition_view<tile=(8), tensor_view<5x{t}, strides=[1]>>, tile<i32> -> token
""",
    "masked off": OUT_POINTERS + """
%to = offset %out_row, %order : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%stored = store_ptr_tko weak %to, %v, %is_first
  : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> token
""",
    "atomic, masked off": OUT_POINTERS + """
%old, %old_token = atomic_rmw_tko relaxed device %out_row, add, %v, %is_first
  : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> tile<8xi32>, token
""",
    "at addresses masked off": OUT_POINTERS + """
%to = offset %out_row, %v : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%stored = store_ptr_tko weak %to, %fives, %is_first
  : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> token
""",
}  # fmt: skip


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("store", STORED_IN_PART)
def test_stored_in_part(load: str, store: str):
    """The elements without a value are not among those that are stored."""
    text = STORED_IN_PART[store].replace("{t}", "i32")
    assert findings("\n".join([load_text(load, "i32"), as_i32("i32"), FIRST, text]), "i32") == []


FLOATS = {
    "%y = mulf %x, %z rounding<nearest_even> : tile<8xf32>": 1,
    "%y = addf %x, %z rounding<nearest_even> : tile<8xf32>": 1,
    "%y = maxf %x, %z : tile<8xf32>": 1,
    "%y = select %is_first, %x, %z : tile<8xi1>, tile<8xf32>": 0,
}
"""By op on a tile of f32 and one of zeros: how many loads are found."""


@pytest.mark.parametrize("op", FLOATS)
def test_floats(op: str):
    """A product with zero is not zero for an infinity."""
    zeros = "%z = constant <f32: 0.0> : tile<8xf32>"
    body = "\n".join([load_text("view", "f32"), zeros, FIRST, op, STORE.replace("{t}", "f32")])
    assert len(findings(body, "f32", "f32")) == FLOATS[op]


def test_loads_that_matter_together():
    """The other factor is zero where nothing fills it."""
    second = load_text("view", "i32").replace("%x,", "%w,").replace("%token", "%other")
    second = second.replace("%tensor", "%tensor2").replace("%view", "%view2")
    product_of_both = "%y = muli %x, %w : tile<8xi32>"
    body = "\n".join([load_text("view", "i32"), second, product_of_both, SINKS["store"][1]])
    found = findings(body, "i32")
    assert len(found) == 2 and found[0].load is not found[1].load


def test_only_loads_that_matter():
    second = load_text("view", "i32").replace("%x,", "%w,").replace("%token", "%other")
    second = second.replace("%tensor", "%tensor2").replace("%view", "%view2")
    kept = "%y = select %is_first, %x, %w : tile<8xi1>, tile<8xi32>"
    body = "\n".join([load_text("view", "i32"), second, FIRST, kept, SINKS["store"][1]])
    (found,) = findings(body, "i32")
    assert found.load.results[0].name_hint == "w"


def test_rows_of_a_loop_without_a_fault():
    """A loop over a tensor whose last tile is partial, stored at the same bounds."""
    text = f"""cuda_tile.module @m {{ entry @k(%in: tile<ptr<i32>>, %out: tile<ptr<i32>>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    {loop_view("in")}
    {loop_view("out")}
    for %i in (%zero to %three, step %one) : tile<i32> {{
      %x, %t = load_view_tko weak %in_view[%i] : {LOOP_VIEW}, tile<i32> -> tile<4xi32>, token
      %u = store_view_tko weak %x, %out_view[%i] : tile<4xi32>, {LOOP_VIEW}, tile<i32> -> token
    }}
    return }} }}"""
    arrays = [np.ones(10, np.int32), np.zeros(10, np.int32)]
    assert Repeated(tools.parse(text), "k", (1, 1, 1), arrays).undetermined() == []


LOOP_VIEW = "partition_view<tile=(4), tensor_view<10xi32, strides=[1]>>"


def loop_view(name: str) -> str:
    return (
        f"%{name}_tensor = make_tensor_view %{name}, shape = [10], strides = [1]"
        " : tensor_view<10xi32, strides=[1]>\n"
        f"%{name}_view = make_partition_view %{name}_tensor : {LOOP_VIEW}"
    )


@pytest.mark.parametrize("seed", [10, 50, 52, 55, 57])
def test_random_programs(seed: int):
    """Nothing is found in programs that the specification defines, which load such elements."""
    program = generate(seed)
    arguments = program.arguments(np.random.default_rng(seed))
    notes = UndefinedNotes()
    launch(program.module, program.kernel, program.grid, copies(arguments), undefined=notes)
    assert notes.loads
    repeated = Repeated(program.module, program.kernel, program.grid, arguments)
    assert repeated.undetermined() == []
