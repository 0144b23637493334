"""Offsets of shared memory: written, kept, and refused where they cannot be."""

import re

import pytest
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.allocations import SHARED_MEMORY, allocation_of
from tileir_xdsl.testing import tools

PASS = "tileas-allocate-shared-memory"
REGISTERS = "#nv_tileas.layout<((8, 4), 32, 4, 1), ((1, 1024), 8, 256, 0)>"
TILE = f"tensor<64x64xf16, {REGISTERS}>"
BUFFER = "tensor<64x64xf16, #nv_tileas.memory<smem>>"
BYTES = 64 * 64 * 2


def kernel(first: str = "", second: str = "", *, both: bool = True) -> str:
    """Two buffers, live at the same time or one after the other, with attributes."""
    reads = [f"%r{n} = nv_tileas.convert_layout %s{n} : {BUFFER} -> {TILE}" for n in "ab"]
    writes = [
        f"%s{n} = nv_tileas.copy %zero into %{n} : {TILE} into {BUFFER} -> {BUFFER}" for n in "ab"
    ]
    order = [*writes, *reads] if both else [writes[0], reads[0], writes[1], reads[1]]
    body = "\n".join(order)
    return f"""
    builtin.module attributes {{nv_tileaa.target = "sm_90a"}} {{
    nv_tileaa.func @k() attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %zero = arith.constant dense<0.0> : {TILE}
      %a = nv_tileas.alloc_tensor {forced(first)} : {BUFFER}
      %b = nv_tileas.alloc_tensor {forced(second)} : {BUFFER}
      {body}
      nv_tileaa.return
    }}
    }}
    """


def forced(offset: str) -> str:
    if not offset:
        return ""
    return f"{{nv_tileas.smem = #nv_tileas.allocation<offset = {offset}, size = {BYTES}>}}"


def offsets(text: str) -> list[int]:
    module = tools.run_passes(tools.parse(text), PASS)
    printed = tools.to_text(module)
    assert tools.to_text(tools.parse(printed)) == printed
    assert tools.to_text(tools.run_passes(tools.parse(printed), PASS)) == printed
    found = (op for op in module.walk() if isinstance(op, nv_tileas.AllocTensorOp))
    return [a.offset.data for op in found if (a := allocation_of(op, SHARED_MEMORY)) is not None]


@pytest.mark.parametrize(
    ("first", "second", "both", "expected"),
    [
        ("", "", True, [0, BYTES]),
        ("", "", False, [0, 0]),
        ("", "0", True, [BYTES, 0]),
        ("1024", "", True, [1024, 1024 + BYTES]),
        ("16384", "", True, [16384, 0]),
        ("512", "512", False, [512, 512]),
    ],
)
def test_offsets(first: str, second: str, both: bool, expected: list[int]):
    assert offsets(kernel(first, second, both=both)) == expected


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            "0",
            "1024",
            "'nv_tileas.alloc_tensor' op has bytes 1024 to 9215 of shared memory, which overlap "
            "bytes 0 to 8191 of 'nv_tileas.alloc_tensor' op %a while both are live",
        ),
        (
            "8",
            "",
            "'nv_tileas.alloc_tensor' op has shared memory at byte 8, expected a multiple of 128",
        ),
        (
            "",
            "229888",
            "'nv_tileas.alloc_tensor' op has bytes 229888 to 238079 of shared memory, but a thread "
            "block of sm_90a has only 232448 bytes",
        ),
    ],
)
def test_refused_offsets(first: str, second: str, message: str):
    with pytest.raises(DiagnosticException, match=re.escape(message)):
        tools.run_passes(tools.parse(kernel(first, second)), PASS)


def test_the_conversion_finds_what_was_changed_after_the_pass():
    module = tools.run_passes(tools.parse(kernel()), f"{PASS},tileas-insert-barriers")
    text = tools.to_text(module)
    moved = text.replace("offset = 8192,", "offset = 4096,")
    with pytest.raises(DiagnosticException, match="overlap bytes 0 to 8191"):
        tools.run_passes(tools.parse(moved), "convert-tileas-to-llvm")
    removed = re.sub(r" \{nv_tileas.smem = #nv_tileas.allocation<offset = 8192, [^}]*\}", "", text)
    assert removed != text
    with pytest.raises(DiagnosticException, match=f"expected {PASS} to run before"):
        tools.run_passes(tools.parse(removed), "convert-tileas-to-llvm")


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("#nv_tileas.allocation<offset = -1, size = 8>", "at least 0, got -1 and 8"),
        ("#nv_tileas.allocation<size = 8>", "offset"),
        ("4 : i32", "expects nv_tileas.smem to be an allocation"),
    ],
)
def test_malformed_attributes(attribute: str, message: str):
    text = kernel().replace("%a = nv_tileas.alloc_tensor", "%a = nv_tileas.alloc_tensor {X}")
    text = text.replace("{X}", f"{{nv_tileas.smem = {attribute}}}")
    with pytest.raises(Exception, match=message):
        tools.run_passes(tools.parse(text), PASS)
