"""Accesses of multicast memory, for a multicast object of one device."""

import re

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.agreement import DTYPES
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

GPUS = ("sm_100a", "sm_107a")
"""The first and the last target with multicast memory."""


def kernel(element: str, semantics: str, reduction: str) -> str:
    """Loads a tile of multicast memory, adds it to itself, combines that, and stores the sum."""
    tensor = f"tensor_view<?x24x{element}, strides=[32,1], #cuda_tile.ptr_attr<multicast>>"
    view = f"partition_view<tile=(8x16), {tensor}>"
    add = "addi" if element.startswith("i") else "addf"
    kind = f"attributes {{reduction = #cuda_tile.multimem_reduction_kind<{reduction}>}}"
    strong = "relaxed device" if semantics == "weak" else semantics
    store = semantics.replace("acquire", "release")
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{element}, <multicast>>>, %q: tile<ptr<{element}, <multicast>>>, %n: tile<i32>) {{
    %i, %j, %z = get_tile_block_id : tile<i32>
    %a = make_tensor_view %p, shape = [%n, 24], strides = [32, 1] : tile<ptr<{element}, <multicast>>>, tile<i32> -> {tensor}
    %b = make_tensor_view %q, shape = [%n, 24], strides = [32, 1] : tile<ptr<{element}, <multicast>>>, tile<i32> -> {tensor}
    %va = make_partition_view %a : {view}
    %vb = make_partition_view %b : {view}
    %x, %s = multimem_load_reduce_view_tko {semantics} %va[%i, %j] {kind} : {view}, tile<i32> -> tile<8x16x{element}>, token
    %y = {add} %x, %x : tile<8x16x{element}>
    %t = multimem_reduce_view_tko {strong.replace("acquire", "release")} %va, %y[%i, %j] token = %s {kind} : {view}, tile<8x16x{element}>, tile<i32>, token -> token
    %u = multimem_store_view_tko {store} %vb, %y[%i, %j] : {view}, tile<8x16x{element}>, tile<i32> -> token
    return
  }}
}}"""


def ptx_of(text: str, gpu: str) -> str:
    return emit(tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}"))


def aligned(text: str) -> str:
    """The same kernel, for which arrays are known to begin at multiples of 16 bytes."""
    for name in "pq":
        pointer = re.findall(rf"%{name}: (tile<ptr<.*?>>>)", text)[0]
        assumed = f"%al{name} = assume #cuda_tile.div_by<16>, %{name} : {pointer}"
        text = text.replace(f"make_tensor_view %{name},", f"make_tensor_view %al{name},")
        text = text.replace("%a = make_tensor", f"{assumed}\n    %a = make_tensor")
    return text


INTEGERS = ("add", "min", "max", "and", "or", "xor", "umin", "umax")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("semantics", ["weak", "relaxed device", "acquire sys"])
@pytest.mark.parametrize(
    ("element", "reduction"),
    [
        *(("i32", reduction) for reduction in INTEGERS),
        *(("i64", reduction) for reduction in INTEGERS),
        ("f32", "add"),
        ("f64", "add"),
    ],
)
def test_both_levels_agree(element: str, reduction: str, semantics: str):
    text = kernel(element, semantics, reduction)
    rng = np.random.default_rng(1)
    data = rng.integers(-9, 9, (20, 32)).astype(DTYPES[element]).ravel()
    first, last = ([data.copy(), np.zeros_like(data), 20] for _ in range(2))
    interpreters.launch(tools.parse(text), "k", (3, 2, 1), first)
    ptx = ptx_of(text, "sm_100a")
    emulator.load(ptx).launch("k", (3, 2, 1), last, races=True)
    for wanted, got in zip(first[:2], last[:2], strict=True):
        np.testing.assert_array_equal(got, wanted)
    stored, loaded = np.asarray(last[1]).reshape(20, 32), data.reshape(20, 32)
    np.testing.assert_array_equal(stored[:, :24], np.add(loaded, loaded)[:, :24])


@pytest.mark.parametrize("gpu", GPUS)
def test_assembler_takes_the_instructions(gpu: str):
    for element, reduction in (("i32", "umax"), ("i64", "xor"), ("f64", "add"), ("i64", "min")):
        ptx = ptx_of(kernel(element, "acquire sys", reduction), gpu)
        assert ptx.count("multimem.ld_reduce.acquire.sys.global.") == 1
        assert ptx.count("multimem.red.release.sys.global.") == 1
        assert ptx.count("multimem.st.release.sys.global.") == 1
        assemble(ptx, gpu)
    assemble(ptx_of(kernel("f32", "weak", "add"), gpu), gpu)


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize(("sizes", "semantics"), [(24, "weak"), (16, "acquire sys")])
def test_pairs_of_16_bits(element: str, sizes: int, semantics: str):
    text = aligned(kernel(element, semantics, "add")).replace("24", str(sizes))
    data = np.random.default_rng(1).integers(-9, 9, (20, 32)).astype(DTYPES[element]).ravel()
    first, last = ([data.copy(), np.zeros_like(data), 20] for _ in range(2))
    interpreters.launch(tools.parse(text), "k", (3, 2, 1), first)
    ptx = ptx_of(text, "sm_100a")
    emulator.load(ptx).launch("k", (3, 2, 1), last, races=True)
    for wanted, got in zip(first[:2], last[:2], strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert f".add.{element}x2" in ptx
    assemble(ptx, "sm_100a")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (kernel("f16", "weak", "add"), "known to be contiguous and aligned to 4 bytes"),
        (
            aligned(kernel("bf16", "weak", "add")).replace("24", "23"),
            "entirely in or entirely out of bounds",
        ),
    ],
)
def test_elements_of_16_bits_that_may_be_alone_are_refused(text: str, what: str):
    with pytest.raises(PassFailedException) as raised:
        ptx_of(text, "sm_100a")
    assert "'nv_tileaa.multimem_load_reduce' op expects pairs of" in str(raised.value)
    assert what in str(raised.value)
