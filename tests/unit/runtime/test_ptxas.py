"""Assembling PTX."""

import pytest

from tileir_xdsl.runtime import ptxas

PTX = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry first() { ret; }
.visible .entry second(.param .u64 out) .reqntid 32
{
  .reg .u64 %a;
  ld.param.u64 %a, [out];
  st.global.u32 [%a], 7;
  ret;
}
"""


def test_assemble():
    assembly = ptxas.assemble(PTX, "sm_90a")
    assert assembly.cubin.startswith(b"\x7fELF")
    assert set(assembly.kernels) == {"first", "second"}
    second = assembly.kernels["second"]
    assert 2 <= second.registers <= 32
    assert (second.stack, second.spill_stores, second.spill_loads) == (0, 0, 0)


def test_rejected_ptx():
    with pytest.raises(ptxas.AssemblyError, match=r"module.ptx, line 5; error .*'rett'"):
        ptxas.assemble(PTX.replace("{ ret; }", "{ rett; }"), "sm_90a")


def test_report():
    report = (
        "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
        "ptxas info    : Function properties for k\n"
        "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers, 24 bytes cumulative stack size\n"
    )
    assert ptxas.parse_report(report) == {"k": ptxas.KernelResources(255, 16, 4, 8)}


def test_missing_tool():
    with pytest.raises(ptxas.ToolNotFoundError, match="nothing not found: install the package no"):
        ptxas.find_tool("nothing", "no")
