"""The registers of tiles in use, counted by hand: `test.op` stands for loads and stores."""

import pytest

from tileir_xdsl.analysis.threads.register_pressure import (
    OTHER_REGISTERS,
    largest_register_pressure,
    predicted_registers,
)
from tileir_xdsl.testing import tools

LAYOUT = "#nv_tileas.layout<(8, 32, 4, 1), (1, 8, 256, 0)>"
TILE = f"tensor<1024xf32, {LAYOUT}>"
"""8 elements for each of 128 threads."""

PROGRAMS = {
    "one after the other": (
        f"""
        %a = "test.op"() {{here}} : () -> ({TILE})
        %b = nv_tileaa.addf %a, %a : {TILE}
        "test.op"(%b) : ({TILE}) -> ()
        %c = "test.op"() : () -> ({TILE})
        "test.op"(%c) : ({TILE}) -> ()
        """,
        1024,
    ),
    "two at once": (
        f"""
        %a = "test.op"() : () -> ({TILE})
        %b = nv_tileaa.addf %a, %a {{here}} : {TILE}
        "test.op"(%a, %b) : ({TILE}, {TILE}) -> ()
        """,
        2048,
    ),
    "unused": (f'%a = "test.op"() : () -> ({TILE})', 0),
    "packed elements": (
        f"""
        %a = "test.op"() {{here}} : () -> (tensor<1024xf16, {LAYOUT}>)
        "test.op"(%a) : (tensor<1024xf16, {LAYOUT}>) -> ()
        """,
        512,
    ),
    "an element in several lanes": (
        """
        %a = "test.op"() {here} : () -> (tensor<8xf64, #nv_tileas.layout<(8, 32, 4, 1), (1, 0, 0, 0)>>)
        "test.op"(%a) : (tensor<8xf64, #nv_tileas.layout<(8, 32, 4, 1), (1, 0, 0, 0)>>) -> ()
        """,
        16,
    ),
    "an element in several registers": (
        """
        %a = "test.op"() {here} : () -> (tensor<128xf32, #nv_tileas.layout<(8, 32, 4, 1), (0, 1, 32, 0)>>)
        "test.op"(%a) : (tensor<128xf32, #nv_tileas.layout<(8, 32, 4, 1), (0, 1, 32, 0)>>) -> ()
        """,
        128,
    ),
    "the same registers in another order": (
        f"""
        %a = "test.op"() {{here}} : () -> ({TILE})
        %b = nv_tileas.view %a : {TILE} to tensor<32x32xf32, {LAYOUT}>
        "test.op"(%a, %b) : ({TILE}, tensor<32x32xf32, {LAYOUT}>) -> ()
        """,
        1024,
    ),
    "computed from numbers": (
        f"""
        %x = "test.op"() : () -> (f32)
        %a = nv_tileaa.splat %x : f32 -> {TILE}
        %b = nv_tileaa.addf %a, %a : {TILE}
        "test.op"(%a, %b) : ({TILE}, {TILE}) -> ()
        """,
        0,
    ),
    "a conversion of what is computed": (
        f"""
        %x = "test.op"() : () -> (f32)
        %a = nv_tileaa.splat %x : f32 -> {TILE}
        %b = nv_tileas.convert_layout %a {{here}} : {TILE} -> tensor<1024xf32, #nv_tileas.layout<(8, 32, 4, 1), (128, 1, 32, 0)>>
        "test.op"(%b) : (tensor<1024xf32, #nv_tileas.layout<(8, 32, 4, 1), (128, 1, 32, 0)>>) -> ()
        """,
        1024,
    ),
    "carried by a loop, and used in all iterations": (
        f"""
        %n = "test.op"() : () -> (index)
        %a, %b = "test.op"() : () -> ({TILE}, {TILE})
        %c = scf.for %i = %n to %n step %n iter_args(%sum = %b) -> ({TILE}) {{
          %d = nv_tileaa.addf %sum, %a : {TILE}
          %e = "test.op"() {{here}} : () -> ({TILE})
          %f = nv_tileaa.addf %d, %e : {TILE}
          scf.yield %f : {TILE}
        }}
        "test.op"(%c) : ({TILE}) -> ()
        """,
        3072,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_pressure(name: str):
    text, registers = PROGRAMS[name]
    found = largest_register_pressure(tools.parse(text))
    assert found.registers == registers
    assert ("here" in found.op.attributes) == (registers > 0)


@pytest.mark.parametrize(
    ("name", "registers"),
    [
        ("two at once", 8 + 8),
        ("packed elements", 4),
        ("an element in several lanes", 16),
        ("an element in several registers", 8),
        ("carried by a loop, and used in all iterations", 8 + 8 + 8),
    ],
)
def test_registers_of_a_thread_follow_from_layouts(name: str, registers: int):
    """Copies count, and elements of half a register share one."""
    text, _ = PROGRAMS[name]
    assert predicted_registers(tools.parse(text)) == registers + OTHER_REGISTERS
