"""Loops around products whose loads go through pipelines: no steps, nested, one after the other.

A product of 64x64 tiles of f16, whose strides let TMA copy them. What PTX computes late and in any
order of the warps is what the `cuda_tile` interpreter computes.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools

Array = NDArray[np.generic]

DEPTH = 192
HALF, SUMS = "tile<64x64xf16>", "tile<64x64xf32>"


def view(name: str, rows: int, columns: int, element: str, padding: str = "") -> str:
    """A view `%<name>v` of an array as 64x64 tiles."""
    tensor = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>"
    return f"""
    %{name}q = assume div_by<16>, %{name}p : tile<ptr<{element}>>
    %{name}t = make_tensor_view %{name}q, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}
    %{name}v = make_partition_view %{name}t : {view_type(rows, columns, element, padding)}
    """


def view_type(rows: int, columns: int, element: str, padding: str = "") -> str:
    """The type of such a view."""
    tensor = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>"
    return f"partition_view<tile=(64x64), {padding}{tensor}>"


PADDED = "padding_value = zero, "
A, B = view_type(64, DEPTH, "f16", PADDED), view_type(DEPTH, 64, "f16", PADDED)
C = view_type(64, 64, "f32")
VIEWS = (
    view("a", 64, DEPTH, "f16", PADDED)
    + view("b", DEPTH, 64, "f16", PADDED)
    + view("c", 64, 64, "f32")
)
LOADS = f"""
    %x, %tx = load_view_tko weak %av[%i, %k] token = %tok : {A}, tile<i32> -> {HALF}, token
    %y, %ty = load_view_tko weak %bv[%k, %j] token = %tok : {B}, tile<i32> -> {HALF}, token
"""
STEP = f"{LOADS} %s = mmaf %x, %y, %acc : {HALF}, {HALF}, {SUMS}"


def loop(last: str, result: str = "%r", start: str = "%zero", step: str = STEP) -> str:
    """Adds the products of some steps."""
    return f"""
    {result} = for %k in (%k0 to {last}, step %k1) : tile<i32> iter_values(%acc = {start}) -> ({SUMS}) {{
      {step}
      continue %s : {SUMS}
    }}
    """


def store(token: str = "%tok") -> str:
    """Stores the result."""
    return f"%ts = store_view_tko weak %r, %cv[%i, %j] token = {token} : {SUMS}, {C}, tile<i32> -> token\n"


NESTED = f"""
    %end = for %o in (%k0 to %n, step %k1) : tile<i32> iter_values(%tk = %tok) -> (token) {{
      {loop("%k3")} {store("%tk")}
      continue %ts : token
    }}
"""
"""The same sum again and again, each stored behind the one before."""

TWO_LOOPS = loop("%k3", "%half") + loop("%n", start="%half") + store()
"""Each with a pipeline of its own."""

TWICE = f"{LOADS} %d = addf %x, %x : {HALF}\n %s = mmaf %d, %y, %acc : {HALF}, {HALF}, {SUMS}"
CHANGED = loop("%n", step=TWICE) + store()
"""A factor goes through registers."""

STORED = f"""
    %r, %tl = for %k in (%k0 to %k2, step %k1) : tile<i32> iter_values(%acc = %zero, %tk = %tok) -> ({SUMS}, token) {{
      {STEP.replace("%bv[%k, %j] token = %tok", "%bv[%k, %j] token = %tk")}
      %h = ftof %s : {SUMS} -> {HALF}
      %kn = addi %k, %k1 : tile<i32>
      %tn = store_view_tko weak %h, %bv[%kn, %j] token = %ty : {HALF}, {B}, tile<i32> -> token
      continue %s, %tn : {SUMS}, token
    }}
    {store()}
"""
"""A step stores what the next one loads."""


def check(body: str, steps: int, gpu: str) -> str:
    """Compares both levels; gives the PTX."""
    numbers = "".join(f"%k{n} = constant <i32: {n}> : tile<i32>\n" for n in range(4))
    text = f"""
    cuda_tile.module @m {{ entry @k(%ap: tile<ptr<f16>>, %bp: tile<ptr<f16>>, %cp: tile<ptr<f32>>, %n: tile<i32>) {{
      %tok = make_token : token
      %i, %j, %z = get_tile_block_id : tile<i32>
      %zero = constant <f32: 0.0> : {SUMS}
      {numbers} {VIEWS} {body}
      return
    }} }}
    """
    wanted = _arrays()
    module = tools.parse(text)
    interpreters.launch(module, "k", (1, 1, 1), [*wanted, steps])
    tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}")
    ptx = emit(module, gpu)
    found = _arrays()
    emulator.load(ptx).launch(
        "k",
        (1, 1, 1),
        with_tensor_maps(module, "k", [*found, steps]),
        dynamic_shared=dynamic_shared_memory(module, "k"),
        late=True,
        races=True,
        warp_seed=2,
    )
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(one, other)
    return ptx


def _arrays() -> Sequence[Array]:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-1, 2, shape).astype(np.float16) for shape in ((64, DEPTH), (DEPTH, 64)))
    return a, b, np.ones((64, 64), np.float32)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_any_number_of_steps(steps: int, gpu: str):
    ptx = check(loop("%n") + store(), steps, gpu)
    assert ("setmaxnreg" if gpu == "sm_90a" else "cp.async.commit_group") in ptx


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("body", "steps"),
    [(NESTED, 3), (TWO_LOOPS, 2), (CHANGED, 3), (STORED, 0)],
    ids=["nested", "two loops", "changed", "stored"],
)
def test_loops(body: str, steps: int):
    assert "wgmma" in check(body, steps, "sm_90a")


ORDERED = f"""
    %r, %last = for %k in (%k0 to %n, step %k1) : tile<i32> iter_values(%acc = %zero, %t = %tok) -> ({SUMS}, token) {{
      {STEP}
      %both = join_tokens %t, %tx, %ty : token
      %w = store_view_tko weak %s, %cv[%i, %j] token = %both : {SUMS}, {C}, tile<i32> -> token
      continue %s, %w : {SUMS}, token
    }}
"""
"""Sums that are stored in every step, after its loads."""


def test_stores_that_follow_the_loads_of_their_step():
    assert "cp.async.commit_group" in check(ORDERED, 3, "sm_80")


@pytest.mark.parametrize("body", [loop("%n") + store(), CHANGED], ids=["unchanged", "changed"])
def test_stages_that_threads_copy_and_hardware_reads(body: str):
    """One factor may go through registers while `wgmma` reads the other one where it is."""
    hints = "optimization_hints = <sm_90 = {allow_tma = false}>"
    for load in (f"token = %tok : {A}", f"token = %tok : {B}"):
        body = body.replace(load, load.replace(" :", f" {hints} :"))
    ptx = check(body, 3, "sm_90a")
    assert "cp.async.cg" in ptx
    assert "wgmma" in ptx


OVERWRITTEN = f"""
    %r = for %k in (%k0 to %n, step %k1) : tile<i32> iter_values(%acc = %zero) -> ({SUMS}) {{
      %x, %tx = load_view_tko weak %av[%i, %k] token = %tok : {A}, tile<i32> -> {HALF}, token
      %none = constant <f16: 0.0> : {HALF}
      %w = store_view_tko weak %none, %av[%i, %k] token = %tx : {HALF}, {A}, tile<i32> -> token
      %y, %ty = load_view_tko weak %bv[%k, %j] token = %tok : {B}, tile<i32> -> {HALF}, token
      %s = mmaf %x, %y, %acc : {HALF}, {HALF}, {SUMS}
      continue %s : {SUMS}
    }}
    {store()}
"""
"""Each step stores zeros over one of the tiles that it has loaded."""


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a"])
def test_a_tile_that_is_overwritten_between_the_loads(gpu: str):
    check(OVERWRITTEN, 3, gpu)


BRANCHED = f"""{LOADS}
    %is = cmpi not_equal %k, %k1, signed : tile<i32> -> tile<i1>
    %s = if %is -> ({SUMS}) {{
      %d = mmaf %x, %y, %acc : {HALF}, {HALF}, {SUMS}
      yield %d : {SUMS}
    }} else {{
      yield %acc : {SUMS}
    }}
"""
"""A step of which the product is left out in the second iteration, whose stage is released all the same."""


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
def test_products_in_a_branch(gpu: str):
    ptx = check(loop("%n", step=BRANCHED) + store(), 3, gpu)
    assert ("wgmma" if gpu == "sm_90a" else "tcgen05.mma") in ptx
