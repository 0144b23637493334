"""Tiles that a bulk copy fills with zeros, and threads with another padding value on the rim."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.matrix_kernels import PAIR_CASES
from tests.unit.road.zoo import Lowered, lower
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm.shared_memory import pipelines
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

Array = NDArray[Any]

GPUS = ("sm_90a", "sm_100a", "sm_120a")
PADDINGS = ("neg_inf", "pos_inf", "neg_zero", "nan", "zero")
DTYPES: Mapping[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
WITH_NAN = ("bf16", "f16", "f32", "f64")
"""The types that a tensor map can fill with NaN."""
MODES = ({"late": True, "races": True}, {"warp_seed": 1}, {})

TILE = (128, 64, 32)
"""The extents of a tile of the result, and along the sum."""


def needs_threads(padding: str, element: str) -> bool:
    """Whether threads put in a padding value."""
    return padding != "zero" and not (padding == "nan" and element in WITH_NAN)


def view(name: str, element: str, tile: str, padding: str = "") -> tuple[str, str]:
    """The ops for a view of the array in parameter %NAME_p, and its type."""
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    type = f"partition_view<tile=({tile}), {padding}{tensor}>"
    return (
        f"""
      %{name}_a = assume div_by<16>, %{name}_p : tile<ptr<{element}>>
      %{name}_s = assume div_by<16>, %{name}_pitch : tile<i32>
      %{name}_t = make_tensor_view %{name}_a, shape = [%{name}_m, %{name}_n], strides = [%{name}_s, 1] : tile<i32> -> {tensor}
      %{name} = make_partition_view %{name}_t : {type}""",
        type,
    )


def entry(parameters: Mapping[str, str], body: str) -> str:
    """A kernel of matrices with these elements: pointer, rows, columns and stride of each."""
    listed = ", ".join(
        f"%{name}_p: tile<ptr<{element}>>, %{name}_m: tile<i32>, %{name}_n: tile<i32>, "
        f"%{name}_pitch: tile<i32>"
        for name, element in parameters.items()
    )
    return f"""
    cuda_tile.module @m {{
      entry @k({listed}) {{
      %0 = make_token : token
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %i, %j, %z = get_tile_block_id : tile<i32>
      {body}
      return
      }}
    }}
    """


def product(element: str, padding: str, tile: tuple[int, int, int] = TILE) -> str:
    """C = A B of padded operands, with as many steps as A has columns."""
    rows, columns, depth = tile
    padded = f"padding_value = {padding}, "
    a, a_type = view("a", element, f"{rows}x{depth}", padded)
    b, b_type = view("b", element, f"{depth}x{columns}", padded)
    c, c_type = view("c", "f32", f"{rows}x{columns}")
    sum = f"tile<{rows}x{columns}xf32>"
    a_tile, b_tile = f"tile<{rows}x{depth}x{element}>", f"tile<{depth}x{columns}x{element}>"
    return entry(
        {"a": element, "b": element, "c": "f32"},
        f"""{a}{b}{c}
      %start = constant <f32: 0.0> : {sum}
      %last = constant <i32: {depth - 1}> : tile<i32>
      %depth = constant <i32: {depth}> : tile<i32>
      %up = addi %a_n, %last : tile<i32>
      %steps = divi %up, %depth signed : tile<i32>
      %y = for %k in (%zero to %steps, step %one) : tile<i32> iter_values(%v = %start) -> ({sum}) {{
        %x, %t1 = load_view_tko weak %a[%i, %k] token = %0 : {a_type}, tile<i32> -> {a_tile}, token
        %w, %t2 = load_view_tko weak %b[%k, %j] token = %0 : {b_type}, tile<i32> -> {b_tile}, token
        %s = mmaf %x, %w, %v : {a_tile}, {b_tile}, {sum}
        continue %s : {sum}
      }}
      %u = store_view_tko weak %y, %c[%i, %j] token = %0 : {sum}, {c_type}, tile<i32> -> token
    """,
    )


def copied(element: str, padding: str, loop: bool) -> str:
    """B = A with its padding, tile by tile."""
    a, a_type = view("a", element, "32x64", f"padding_value = {padding}, ")
    b, b_type = view("b", element, "32x64")
    tile = f"tile<32x64x{element}>"
    body = f"""
      %x, %t = load_view_tko weak %a[%i, %j] token = %0 : {a_type}, tile<i32> -> {tile}, token
      %u = store_view_tko weak %x, %b[%i, %j] token = %t : {tile}, {b_type}, tile<i32> -> token
    """
    if loop:
        body = body.replace("%j", "%k")
        body = f"""
      %two = constant <i32: 2> : tile<i32>
      for %k in (%zero to %two, step %one) : tile<i32> {{{body}continue
      }}"""
    return entry({"a": element, "b": element}, a + b + body)


@dataclass
class Padded:
    """A kernel as PTX, and how many tiles threads pad."""

    lowered: Lowered
    pads: int = 0

    @staticmethod
    def of(text: str, gpu: str) -> "Padded":
        """The kernel of a text."""
        pads: list[int] = []

        def count(step: ModulePass, module: ModuleOp) -> None:
            if step.name == "tileas-materialize-async":
                pads.append(sum(isinstance(op, nv_tileas.PadOp) for op in module.walk()))

        return Padded(lower(tools.parse(text), gpu, count), pads[0])


def drawn(shape: tuple[int, int], element: str) -> Array:
    """A matrix of small positive integers, so that every sum is exact."""
    rng = np.random.default_rng(shape)
    return rng.integers(1, 4, shape).astype(DTYPES[element])


def described(array: Array, rows: int, columns: int) -> list[Any]:
    """The arguments of a matrix, the part of an array that so many rows and columns are."""
    return [array, rows, columns, array.shape[1]]


def check(lowered: Lowered, text: str, arguments: list[Any], grid: tuple[int, int, int], mode: Any):
    """Compares the last matrix that PTX leaves with that of the interpreter."""
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    found = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    interpreters.launch(tools.parse(text), "k", grid, expected)
    emulator.load(lowered.ptx).launch(
        "k",
        grid,
        with_tensor_maps(lowered.module, "k", found),
        dynamic_shared=dynamic_shared_memory(lowered.module, "k"),
        **mode,
    )
    want, got = (a[-4].astype(np.float64) for a in (expected, found))
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


PRODUCTS = {
    "rows": (70, 100, 96),
    "depth": (200, 64, 80),
    "both": (130, 40, 56),
}
"""Rows, columns and depth of products; outside of an operand there is the other one's padding."""


def operands(element: str, sizes: str) -> list[Any]:
    """A and B of some sizes, and room for all tiles of the result."""
    m, n, k = PRODUCTS[sizes]
    result = np.zeros((256, 128), np.float32)
    a, b = drawn((m, 128), element), drawn((k, 128), element)
    return [*described(a, m, k), *described(b, k, n), *described(result, 256, 128)]


@pytest.mark.one_in(12, "neg_zero-f8E5M2-sm_100a", "pos_inf-bf16-sm_100a")
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("element", ["bf16", "f16", "f32", "f8E5M2"])
@pytest.mark.parametrize("padding", PADDINGS)
def test_operands_of_mmas(padding: str, element: str, gpu: str):
    text = product(element, padding)
    padded = Padded.of(text, gpu)
    assert "cp.async.bulk.tensor.2d.shared" in padded.lowered.ptx
    assert padded.pads == 2 * needs_threads(padding, element)
    arguments = operands(element, "rows" if padding != "neg_zero" else "both")
    check(padded.lowered, text, arguments, (2, 2, 1), {"late": True, "races": True})


@pytest.mark.one_in(14)
@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("sizes", PRODUCTS)
@pytest.mark.parametrize("gpu", GPUS)
def test_edges_of_matmuls(gpu: str, sizes: str, mode: dict[str, Any]):
    text = product("bf16", "pos_inf")
    check(lower(tools.parse(text), gpu), text, operands("bf16", sizes), (2, 2, 1), mode)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("element", ["bf16", "f32", "f64", "f8E5M2"])
@pytest.mark.parametrize("padding", PADDINGS)
def test_tiles_in_registers(
    padding: str, element: str, loop: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "true")
    text = copied(element, padding, loop)
    padded = Padded.of(text, "sm_90a")
    assert "cp.async.bulk.tensor.2d.shared" in padded.lowered.ptx
    assert padded.pads == needs_threads(padding, element)
    a, b = drawn((40, 80), element), np.zeros((64, 128), DTYPES[element])
    arguments = [*described(a, 40, 72), *described(b, 64, 128)]
    check(padded.lowered, text, arguments, (2, 1 if loop else 2, 1), {"late": True, "races": True})


RIM = "\tfence.proxy.async.shared::cta;\n\tbar.sync 1, 256;\n"
"""What follows the stores of padding in the agent of eight warps."""
BUGS = {
    "no barrier after padding": (RIM, RIM.splitlines(keepends=True)[0]),
    "no fence after padding": (RIM, RIM.splitlines(keepends=True)[1]),
}


def check_bug(lowered: Lowered, text: str) -> None:
    """Checks that the emulator finds what is wrong with a kernel."""
    with pytest.raises(EmulatorError, match="race"):
        check(lowered, text, operands("bf16", "rows"), (2, 2, 1), {"late": True, "races": True})


@pytest.mark.parametrize("bug", BUGS)
def test_seeded_bugs_are_found(bug: str):
    text = product("bf16", "pos_inf")
    lowered = lower(tools.parse(text), "sm_90a")
    right, wrong = BUGS[bug]
    assert lowered.ptx.count(right) >= 2
    check_bug(replace(lowered, ptx=lowered.ptx.replace(right, wrong, 2)), text)


def test_threads_that_do_not_wait_for_a_stage_are_found(monkeypatch: pytest.MonkeyPatch):
    def is_padded(_wait: nv_tileas.ConsumerWaitOp) -> bool:
        return False

    monkeypatch.setattr(pipelines, "is_padded", is_padded)
    text = product("bf16", "pos_inf")
    check_bug(lower(tools.parse(text), "sm_100a"), text)


def test_pairs_of_ctas_and_agents_of_one_thread_leave_padded_operands_out():
    text = PAIR_CASES["product_256x128x64"].text_path.read_text("utf-8")
    assert "cta_group::2" in lower(tools.parse(text), "sm_100a").ptx
    text = text.replace("padding_value = zero", "padding_value = neg_inf")
    padded = Padded.of(text, "sm_100a")
    assert padded.pads == 2 and "cta_group::2" not in padded.lowered.ptx
