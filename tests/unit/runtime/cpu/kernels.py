"""Kernels of `llvm` ops in the form of compiled ones, for tests of their launches."""

from functools import cache

from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.runtime.cpu.code import object_code
from tileir_xdsl.runtime.cpu.host import resolved
from tileir_xdsl.runtime.cpu.kernel_facts import kernel_facts
from tileir_xdsl.runtime.cpu.launching import CPUKernel
from tileir_xdsl.runtime.cpu.loading import Loaded
from tileir_xdsl.runtime.cpu.printing import Printer
from tileir_xdsl.testing.tools import parse

LANES = 8
"""The elements of a tile."""

_FRAME = """
llvm.func @tileir_inside(!llvm.ptr, i64, i64) -> i1
llvm.func @tileir_fault(!llvm.ptr, i64, i64, i64, i64)
llvm.func @kernel(%args: !llvm.ptr, %grid: !llvm.ptr, %arena: !llvm.ptr, %context: !llvm.ptr,
                  %first: i64, %last: i64) attributes {{
    tilecpu.arena_bytes = 64 : i64, {attributes}
    tilecpu.sites = [{{op = "store", location = "k.py:3:4", message = "all are positive"}}]}} {{
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %lanes = llvm.mlir.constant(8 : i64) : i64
  %bytes = llvm.mlir.constant(32 : i64) : i64
  %p = llvm.load %args {{alignment = 8 : i64}} : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %f = llvm.load %second {{alignment = 8 : i64}} : !llvm.ptr -> f32
  %none = llvm.mlir.poison : vector<8xf32>
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.insertelement %f, %none[%i0 : i32] : vector<8xf32>
  %v = llvm.shufflevector %one, %one [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
  llvm.br ^loop(%first : i64)
^loop(%i: i64):
  %stop = llvm.load %context atomic monotonic {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %go = llvm.icmp "eq" %stop, %c0 : i64
  llvm.cond_br %go, ^test, ^end
^test:
  %more = llvm.icmp "slt" %i, %last : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %at = llvm.mul %i, %lanes : i64
  %a = llvm.getelementptr %p[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
{body}
^next:
  %j = llvm.add %i, %c1 : i64
  llvm.br ^loop(%j : i64)
^end:
  llvm.return
}}
"""

SCALE = """
  %s = llvm.ptrtoint %a : !llvm.ptr to i64
  %e = llvm.add %s, %bytes : i64
  %ok = llvm.call @tileir_inside(%context, %s, %e) : (!llvm.ptr, i64, i64) -> i1
  llvm.cond_br %ok, ^work, ^fault
^fault:
  llvm.call @tileir_fault(%context, %c1, %c0, %s, %i) : (!llvm.ptr, i64, i64, i64, i64) -> ()
  llvm.return
^work:
  %x = llvm.load %a {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %y = llvm.fmul %x, %v : vector<8xf32>
  llvm.store %y, %a {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  llvm.br ^next
"""
"""Multiplies the tiles of its first argument by its second one."""

FOREVER = """
  llvm.br ^wait
^wait:
  %stopped = llvm.load %context atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %on = llvm.icmp "eq" %stopped, %c0 : i64
  llvm.cond_br %on, ^wait, ^end
"""
"""Waits until it is stopped."""

ASSERTION = """
  llvm.call @tileir_fault(%context, %c2, %c0, %c0, %i) : (!llvm.ptr, i64, i64, i64, i64) -> ()
  llvm.return
"""
"""An assertion that does not hold."""

SCRATCH = """
  %x = llvm.load %a {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  llvm.store %x, %arena {alignment = 32 : i64} : vector<8xf32>, !llvm.ptr
  %y = llvm.load %arena {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  %z = llvm.fadd %y, %x : vector<8xf32>
  llvm.store %z, %a {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  llvm.br ^next
"""
"""Doubles the tiles of its first argument, by way of scratch memory."""


def text_of(body: str, attributes: str = "") -> str:
    """The module of a kernel with the body of its loop over tile blocks."""
    return _FRAME.format(body=body, attributes=attributes)


@cache
def _object(body: str, attributes: str) -> bytes:
    return object_code(emit(parse(text_of(body, attributes))), resolved("cpu"))


def loaded(body: str, attributes: str = "") -> CPUKernel:
    """A kernel with such a body, in memory."""
    (facts,) = kernel_facts(parse(text_of(body, attributes)))
    return CPUKernel(facts, Loaded(_object(body, attributes), ["kernel"], Printer(())), "k.mlir")
