"""When a buffer is made in the layout to which it is converted: every order of a few steps."""

from itertools import permutations

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileas.kernels import VIEW, kernel
from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing import tools

TILE = "tensor<4x8xf32>"
PLAIN = "tensor<4x8xf32, #nv_tileas.memory<smem, <(4, 8), (8, 1)>>>"
TURNED = "tensor<4x8xf32, #nv_tileas.memory<smem, <(4, 8), (1, 4)>>>"
AT, TOKEN = f"{VIEW}[index, index]", "!nv_tileaa.mem_token"

CONVERT = f"%c = nv_tileas.convert_layout %b : {PLAIN} -> {TURNED}"
OUTPUT = f"nv_tileas.tiled_store weak %r{{n}}, %out[%c{{n}}, %c0] : {TILE}, {AT}"
STEPS = {
    "fence": "nv_tileas.fence acq_rel gpu",
    "store to source": f"%m{{n}} = nv_tileas.tiled_store weak %u, %b token = %none : {TILE}, {PLAIN} -> {TOKEN}",
    "read source": f"%r{{n}} = nv_tileas.tiled_load weak %b : {PLAIN} -> {TILE}\n{OUTPUT}",
    "store to result": f"%m{{n}} = nv_tileas.tiled_store weak %u, %c token = %none : {TILE}, {TURNED} -> {TOKEN}",
    "read result": f"%r{{n}} = nv_tileas.tiled_load weak %c : {TURNED} -> {TILE}\n{OUTPUT}",
}
"""Number `n` reads to tile `n` of the output; a store replaces tile 1 of the input by tile 2."""

BEGIN = f"""
  %t = nv_tileas.tiled_load weak %in[%c1, %c0] : {AT} -> {TILE}
  %u = nv_tileas.tiled_load weak %in[%c2, %c0] : {AT} -> {TILE}
  %none = nv_tileaa.create_mem_token : {TOKEN}
  %b = nv_tileas.alloc_tensor : {PLAIN}
  %m = nv_tileas.tiled_store weak %t, %b token = %none : {TILE}, {PLAIN} -> {TOKEN}
"""


def orders() -> list[tuple[str, ...]]:
    """A conversion among three different steps, of which some behind it need its result."""
    return [
        (*steps[:at], "convert", *steps[at:])
        for steps in permutations(STEPS, 3)
        for at in range(3)
        if "result" in "".join(steps[at:]) and "result" not in "".join(steps[:at])
    ]


def goes(steps: tuple[str, ...]) -> bool:
    """Nothing is done behind a fence, and nothing is stored behind the conversion."""
    behind = steps[steps.index("fence") :] if "fence" in steps else ()
    after = steps[steps.index("convert") :]
    return set(behind) <= {"fence"} and not any("store" in step for step in after)


def expected(steps: tuple[str, ...]) -> np.ndarray:
    """The tiles of the input, by number, that a program with a buffer of its own each reads."""
    held, out = {"source": 1}, np.zeros(4, np.int32)
    for n, step in enumerate(steps):
        action, _, buffer = step.replace("to ", "").partition(" ")
        match action:
            case "convert":
                held["result"] = held["source"]
            case "store":
                held[buffer] = 2
            case "read":
                out[n] = held[buffer]
            case _:
                pass
    return out


@pytest.mark.parametrize("first", ["convert", *STEPS])
def test_a_conversion_goes_where_no_one_can_tell(first: str):
    for steps in orders():
        if steps[0] != first:
            continue
        lines = [{"convert": CONVERT, **STEPS}[step].format(n=n) for n, step in enumerate(steps)]
        module = tools.parse(kernel(BEGIN + "\n".join(lines)))
        tools.run_passes(module, "tileas-remove-layout-conversions")
        assert ("convert_layout" not in tools.to_text(module)) == goes(steps), steps
        if goes(steps):
            tiles = np.repeat(np.arange(4, dtype=np.float32), 32).reshape(16, 8)
            out = np.zeros_like(tiles)
            launch(module, "k", (1, 1, 1), [tiles, out])
            np.testing.assert_array_equal(out[::4, 0], expected(steps), str(steps))


STORE = STEPS["store to source"].format(n=0)
CARRIED = f"""
  %u = nv_tileas.tiled_load weak %in[%c2, %c0] : {AT} -> {TILE}
  %none = nv_tileaa.create_mem_token : {TOKEN}
  {{outside}}
  %first = "test.op"() : () -> {TURNED}
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %first) -> ({TURNED}) {{{{
    {{inside}}
    {STORE}
    {CONVERT}
    "test.op"(%k) : ({TURNED}) -> ()
    scf.yield %c : {TURNED}
  }}}}
"""


@pytest.mark.parametrize("where", ["outside", "inside"])
def test_a_buffer_that_a_loop_fills_again(where: str):
    """The next iteration stores into it before it reads the result of this one."""
    places = {"outside": "", "inside": "", where: f"%b = nv_tileas.alloc_tensor : {PLAIN}"}
    module = tools.parse(kernel(CARRIED.format(**places)))
    tools.run_passes(module, "tileas-remove-layout-conversions")
    assert ("convert_layout" in tools.to_text(module)) == (where == "outside")


def test_a_view_through_which_a_buffer_is_stored_into():
    view = f"%v = nv_tileas.view %c : {TURNED} to {TURNED}"
    store = STEPS["store to result"].format(n=0).replace("%c ", "%v ")
    read = STEPS["read result"].format(n=1)
    for lines in ([CONVERT, view, read], [CONVERT, view, store, read]):
        module = tools.parse(kernel(BEGIN + "\n".join(lines)))
        tools.run_passes(module, "tileas-remove-layout-conversions")
        assert ("convert_layout" in tools.to_text(module)) == (store in lines)
