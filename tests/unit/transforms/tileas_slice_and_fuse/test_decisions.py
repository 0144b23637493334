"""When tiles are sliced, when they stay whole, and what the report says."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from bench.sweep.plan import point_of
from tests.unit.road.ladder_kernels import elementwise, matmul, softmax
from tileir_xdsl import interpreters
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.interpreters.accesses import Access, Token
from tileir_xdsl.interpreters.memory_order import ProgramOrder, RandomOrder
from tileir_xdsl.testing import tools

TO_TILEAA = "convert-cuda-tile-to-tileaa,canonicalize"


def at_tileaa(text: str) -> ModuleOp:
    return tools.run_passes(tools.parse(text), TO_TILEAA)


KERNEL = """
!o = !nv_tileaa.memref<64xf32, strides = [1]>
!v = !nv_tileaa.tiled_view<64xf32, !o>
!t = !nv_tileaa.mem_token
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>) attributes {
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %i = arith.constant 0 : i32
  %o = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> !o
  %v = nv_tileaa.block_tile %o {tileSizes = array<i64: 64>, dimGroups = [[0]]} : !o -> !v
  %n = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> !o
  %w = nv_tileaa.block_tile %n {tileSizes = array<i64: 64>, dimGroups = [[0]]} : !o -> !v
  BODY
  nv_tileaa.return
}
"""
LOAD = "%x, %a = nv_tileaa.tiled_load weak %v[%i] : !v[i32] -> tensor<64xf32>, !t"


def store(view: str = "%v", token: str = "", value: str = "%x", result: str = "%b") -> str:
    order = f" token = {token}" if token else ""
    return f"\n{result} = nv_tileaa.tiled_store weak {value}, {view}[%i]{order} : tensor<64xf32>, !v[i32] -> !t"


SUM = """
%s = nv_tileaa.reduce %x {axis = 0 : i32} : tensor<64xf32> -> f32 {
^bb0(%l: f32, %m: f32):
  %z = nv_tileaa.addf %l, %m : f32
  nv_tileaa.yield %z : f32
}
%u = nv_tileaa.splat %s : f32 -> tensor<64xf32>
%y = nv_tileaa.subf %x, %u : tensor<64xf32>
"""


def sliced(body: str) -> str:
    module = tools.parse(KERNEL.replace("BODY", body))
    return str(tools.run_passes(module, "tileas-slice-and-fuse{slices=2}"))


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        (LOAD + store(), 1),
        (LOAD + store("%v", "%a"), 1),
        (LOAD + store("%w"), 1),
        (LOAD + SUM + store("%w", value="%y"), 2),
    ],
)
def test_what_tokens_allow(body: str, loops: int):
    assert sliced(body).count("nv_tileas.slices") == loops


@pytest.mark.parametrize(
    "body",
    [
        # The arrays may overlap: a slice of the store may hit what a later slice loads.
        LOAD + store("%w", "%a"),
        # What a sum needs is loaded again after the store that follows its load.
        LOAD + SUM + store("%w", "%a", value="%y"),
        # The whole tile is printed.
        LOAD + '\n%j = nv_tileaa.print "%f", %x : tensor<64xf32> -> !t' + store("%w"),
        # Two stores, the second after all of the first.
        LOAD + store("%w") + store("%v", "%b", result="%c"),
    ],
)
def test_what_tokens_forbid(body: str):
    with pytest.raises(PassFailedException, match="has no tiles to divide into 2 slices"):
        sliced(body)


def test_stores_after_a_loop_follow_its_tokens():
    """A store of another view after the sum of the first, ordered by a token."""
    text = sliced(LOAD + SUM + store("%w", value="%y") + "\n%j = nv_tileaa.join_mem_token[%b] : !t")
    assert "nv_tileaa.join_mem_token" in text


def test_a_load_of_a_later_loop_follows_a_store_of_an_earlier_one():
    """Each order that its tokens allow gives the same: `x - s` is added to what has been stored."""
    again = """
    %r, %c = nv_tileaa.tiled_load weak %w[%i] token = %b : !v[i32] -> tensor<64xf32>, !t
    %both = nv_tileaa.addf %r, %y : tensor<64xf32>"""
    body = LOAD + SUM + store("%w") + again + store("%w", "%c", "%both", "%d")
    text = sliced(body)
    assert text.count("nv_tileas.slices") == 2
    module, x = tools.parse(text), np.arange(64, dtype=np.float32)
    for seed in range(5):
        found = np.zeros(64, np.float32)
        order = RandomOrder(seed)
        interpreters.launch(module, "k", (1, 1, 1), [x.copy(), found], memory_order=order)
        np.testing.assert_array_equal(found, 2 * x - x.sum())


def test_a_store_follows_joined_loads_of_its_slice():
    again = LOAD.replace("%x, %a", "%z, %c")
    join = "\n%j = nv_tileaa.join_mem_token[%a, %c] : !t\n"
    body = f"{LOAD}\n{again}{join}%both = nv_tileaa.addf %x, %z : tensor<64xf32>"
    text = sliced(body + store("%v", "%j", "%both"))
    assert text.count("nv_tileas.slices") == 1
    module, x = tools.parse(text), np.arange(64, dtype=np.float32)
    for seed in range(5):
        found, order = x.copy(), RandomOrder(seed)
        interpreters.launch(module, "k", (1, 1, 1), [found, x.copy()], memory_order=order)
        np.testing.assert_array_equal(found, 2 * x)


class Recording(ProgramOrder):
    """The order of the program; keeps all accesses, and tokens that say what they follow."""

    def __init__(self) -> None:
        self.accesses: list[Access] = []

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        self.accesses.append(access)
        return action(), Token((access,))


def followed(access: Access) -> set[int]:
    """All accesses that tokens put before one, by identity."""
    found, waiting = set[int](), [access]
    while waiting:
        for before in waiting.pop().after:
            if id(before) not in found:
                found.add(id(before))
                waiting.append(before)
    return found


@pytest.mark.parametrize("sums", range(4))
def test_an_access_after_the_loops_follows_what_each_of_them_loads(sums: int):
    """A load that every loop repeats, and a store of a number that its token puts after it."""
    body = LOAD
    for number in range(sums):
        names = {"%x": f"%y{number - 1}" if number else "%x", "%s": f"%s{number}"}
        names |= {f"%{name}": f"%{name}{number}" for name in "lmzuy"}
        body += re.sub(r"%\w+", lambda name, names=names: names.get(name[0], name[0]), SUM)
    body += store("%w", value=f"%y{sums - 1}" if sums else "%x")
    body += """
    %one = arith.constant 1.0 : f32
    %last = nv_tileaa.store weak %p, %one token = %a : !nv_tileaa.ptr<f32>, f32 -> !t"""
    module, order = tools.parse(sliced(body)), Recording()
    arrays = [np.arange(64, dtype=np.float32), np.zeros(64, np.float32)]
    interpreters.launch(module, "k", (1, 1, 1), arrays, memory_order=order)
    loads = [each for each in order.accesses if isinstance(each.op, nv_tileaa.TiledLoadOp)]
    (last,) = (each for each in order.accesses if isinstance(each.op, nv_tileaa.StoreOp))
    assert len(loads) == 2 * (sums + 1) and {id(each) for each in loads} <= followed(last)


def test_what_fits_stays(tmp_path: Path):
    module = at_tileaa(matmul(128, 128, 64, "f16").text)
    before = str(module)
    report = tmp_path / "report.txt"
    tools.run_passes(module, f'tileas-slice-and-fuse{{explain="{report}"}}')
    assert str(module) == before
    assert report.read_text() == "tileas-slice-and-fuse\n"


def test_what_does_not_fit_is_sliced_with_a_remark(tmp_path: Path):
    module = at_tileaa(elementwise((131072,)).text)
    report = tmp_path / "report.txt"
    tools.run_passes(module, f'tileas-slice-and-fuse{{explain="{report}"}}')
    text, said = str(module), report.read_text()
    assert "nv_tileas.slices = 8 : i32" in text
    assert (
        "tiles in use need 262144 registers, the thread block has 65280: dimension 0 of the tile "
        "of 131072 is computed in 8 slices" in text
    )
    assert "slices: 8" in said and "registers of slices: 32768" in said


def test_rows_of_dots_before_columns():
    module = at_tileaa(matmul(256, 256, 32, "f16").text)
    text = str(tools.run_passes(module, "tileas-slice-and-fuse"))
    assert "nv_tileas.slices = 2 : i32" in text and "tensor<128x256xf32>" in text


def test_an_attribute_forces_a_number_of_slices():
    text = KERNEL.replace("BODY", LOAD + store())
    for number, expected in ((1, 0), (4, 1)):
        asked = text.replace("attributes {", f"attributes {{nv_tileas.slices = {number} : i32,", 1)
        found = str(tools.run_passes(tools.parse(asked), "tileas-slice-and-fuse"))
        assert found.count("scf.for") == expected


@pytest.mark.parametrize("number", ["3 : i32", "0 : i32", '"two"'])
def test_a_wrong_attribute_is_refused(number: str):
    text = KERNEL.replace("BODY", LOAD + store())
    asked = text.replace("attributes {", f"attributes {{nv_tileas.slices = {number},", 1)
    with pytest.raises(PassFailedException, match=r"expects nv_tileas.slices to be"):
        tools.run_passes(tools.parse(asked), "tileas-slice-and-fuse")


@pytest.mark.parametrize("option", ["slices=3", "slices=0", "interleave=6"])
def test_wrong_options_are_refused(option: str):
    with pytest.raises(PassFailedException, match="must be a power of two"):
        tools.run_passes(
            tools.parse(KERNEL.replace("BODY", LOAD)), f"tileas-slice-and-fuse{{{option}}}"
        )


def test_slices_that_do_not_depend_on_each_other_are_interleaved():
    """`tileas-slicing` reads `sliceCount`."""
    text = sliced(LOAD + SUM + store("%w", value="%y"))
    assert "sliceCount" not in text
    module = tools.parse(KERNEL.replace("BODY", LOAD + SUM + store("%w", value="%y")))
    text = str(tools.run_passes(module, "tileas-slice-and-fuse{slices=4 interleave=2}"))
    assert text.count("sliceCount = 2") == 1


def test_the_pipeline_slices():
    module = tools.run_passes(tools.parse(softmax(1, 65536).text), "tileir-pipeline{gpu=sm_80}")
    assert "slices" in str(module.attributes["nv_tileaa.remarks"])


@pytest.mark.parametrize(
    ("values", "warps"),
    [
        ("order=120 first=4 second=128 third=64 type=f16", 8),
        ("order=021 first=32 second=8 third=128 type=i8", 8),
        # Neighbours stay neighbours, two in a register.
        ("order=102 first=4 second=128 third=64 type=f16", 4),
        # Every element has a register of its own, but these are few.
        ("order=120 first=4 second=32 third=128 type=f16", 4),
    ],
)
def test_permutations_that_take_elements_apart_have_more_warps(values: str, warps: int):
    """32,768 elements, which are loaded one by one, exceed the registers of four warps."""
    module = at_tileaa(point_of(f"transpose {values}").generate().text())
    assert f"num_warps = {warps}" in str(tools.run_passes(module, "tileas-slice-and-fuse"))


@pytest.mark.parametrize(
    ("values", "warps"),
    [
        ("m=256 n=32 k=128 type=i8 a_transposed=1 b_transposed=1 form=plain", 8),
        ("m=32 n=256 k=128 type=e5m2 a_transposed=0 b_transposed=0 form=grouped", 8),
        # Rows of A and columns of B are what is contiguous.
        ("m=32 n=256 k=128 type=i8 a_transposed=0 b_transposed=1 form=grouped", 4),
        # Matrix instructions transpose elements of 16 bits.
        ("m=256 n=32 k=128 type=f16 a_transposed=1 b_transposed=1 form=plain", 4),
    ],
)
def test_operands_of_bytes_to_be_transposed_have_more_warps(values: str, warps: int):
    point = point_of(f"matmul {values} epilogue=plain ctas=1")
    module = tools.run_passes(at_tileaa(point.generate().text()), "tileas-slice-and-fuse")
    assert f"num_warps = {warps}" in str(module)
