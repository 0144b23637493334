"""`.file` and `.loc` lines: from locations to what ptxas and the emulator read."""

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)

from tests.unit.backend.ptx.harness import kernel
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.backend.ptx.function import select_function
from tileir_xdsl.backend.ptx.line_info import INLINED_AT_VERSION, Frame, frames
from tileir_xdsl.backend.ptx.printing import RegisterNames, body_lines, body_locations
from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocalScopeAttr,
    DISubprogramAttr,
    location_in_scope,
)
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.targets import TARGETS, get_target
from tileir_xdsl.testing.tools import parse

FILE = DIFileAttr("kernel.py", "/home/user")


def subprogram(name: str) -> DISubprogramAttr:
    return DISubprogramAttr(FILE, 1, name, f"{name}_linkage", DICompileUnitAttr(FILE))


KERNEL, OUTER, INNER = map(subprogram, ("kernel", "outer", "inner"))


def at(line: int, scope: DILocalScopeAttr = KERNEL, file: str = "kernel.py") -> LocationAttr:
    return location_in_scope(file, line, 4, scope)


PLAIN = FileLineColLoc(StringAttr("a.py"), IntAttr(3), IntAttr(5))
IN_OUTER = CallSiteLoc(at(20, OUTER), at(7))
IN_INNER = CallSiteLoc(at(30, INNER), IN_OUTER)
"""`kernel` calls `outer` in line 7, which calls `inner` in line 20."""


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (UnknownLoc(), ()),
        (PLAIN, (Frame("a.py", 3, 5),)),
        (NameLoc(StringAttr("x"), PLAIN), (Frame("a.py", 3, 5),)),
        (FusedLoc((UnknownLoc(), PLAIN), NoneAttr()), (Frame("a.py", 3, 5),)),
        (FusedLoc((UnknownLoc(),), KERNEL), ()),
        (at(5), (Frame("kernel.py", 5, 4, "kernel"),)),
        (at(5, DILexicalBlockAttr(OUTER, FILE, 2)), (Frame("kernel.py", 5, 4, "outer"),)),
        (CallSiteLoc(PLAIN, at(5)), (Frame("a.py", 3, 5), Frame("kernel.py", 5, 4, "kernel"))),
        (CallSiteLoc(UnknownLoc(), at(5)), (Frame("kernel.py", 5, 4, "kernel"),)),
        (
            IN_INNER,
            (
                Frame("kernel.py", 30, 4, "inner"),
                Frame("kernel.py", 20, 4, "outer"),
                Frame("kernel.py", 7, 4, "kernel"),
            ),
        ),
        # The other way of nesting: what was inlined into `outer` was inlined with it.
        (CallSiteLoc(CallSiteLoc(at(30, INNER), at(20, OUTER)), at(7)), frames(IN_INNER)),
    ],
)
def test_frames(location: LocationAttr, expected: tuple[Frame, ...]):
    assert frames(location) == expected


STORES = """
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %to = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %tid, %to : i32, !llvm.ptr<1>
  llvm.store %tid, %to : i32, !llvm.ptr<1>
  llvm.store %tid, %to : i32, !llvm.ptr<1>
  llvm.return"""


def stores(
    locations: Sequence[LocationAttr],
    gpu: str = "sm_90a",
    version: float | None = None,
    lineinfo: bool | None = True,
) -> str:
    """PTX of a kernel that stores its thread's number three times, at these locations."""
    module = parse(kernel(STORES, "%p: !llvm.ptr<1>"))
    found = (op for op in module.walk() if op.name == "llvm.store")
    for op, location in zip(found, locations, strict=True):
        op.location = location
    return emit(module, gpu, version, lineinfo=lineinfo)


def debugging_lines(text: str) -> list[str]:
    """The lines about the source, and the stores between them."""
    marks = (".file", ".loc", "st.", ".section", "\t.b8")
    return [
        line.split("[")[0].strip() for line in text.splitlines() if any(m in line for m in marks)
    ]


def test_locations_are_stated_where_they_change():
    assert debugging_lines(stores((at(5), at(5), at(6, file="other.py")))) == [
        '.file 1 "kernel.py"',
        '.file 2 "other.py"',
        ".loc 1 5 4",
        "st.global.b32",
        "st.global.b32",
        ".loc 2 6 4",
        "st.global.b32",
    ]


def test_an_instruction_without_location_counts_to_the_one_before():
    assert debugging_lines(stores((at(5), UnknownLoc(), at(5)))) == [
        '.file 1 "kernel.py"',
        ".loc 1 5 4",
        *["st.global.b32"] * 3,
    ]


def test_calls_that_were_inlined():
    text = stores((IN_OUTER, IN_INNER, at(8)))
    names = ", ".join(map(str, b"outer\0inner\0"))
    assert debugging_lines(text) == [
        '.file 1 "kernel.py"',
        ".loc 1 7 4",
        ".loc 1 20 4, function_name $inlined_functions+0, inlined_at 1 7 4",
        "st.global.b32",
        ".loc 1 30 4, function_name $inlined_functions+6, inlined_at 1 20 4",
        "st.global.b32",
        ".loc 1 8 4",
        "st.global.b32",
        ".section .debug_str",
        f".b8 {names}",
    ]


def test_calls_that_are_nested_deeply():
    location = at(7)
    for line in range(500):
        location = CallSiteLoc(at(line, OUTER), location)
    text = stores((location, at(8), at(9)))
    assert text.count(".loc") == 503
    emulator.load(text)


def test_what_was_inlined_from_a_function_without_name_is_a_place_alone():
    assert debugging_lines(stores((CallSiteLoc(PLAIN, at(7)), at(8), at(9))))[:5] == [
        '.file 1 "kernel.py"',
        '.file 2 "a.py"',
        ".loc 1 7 4",
        ".loc 2 3 5",
        "st.global.b32",
    ]


def test_inlined_calls_need_ptx_7_2():
    locations = (at(5), IN_INNER, at(6))
    assert all(target.default_ptx_version >= INLINED_AT_VERSION for target in TARGETS.values())
    assert "inlined_at" in stores(locations, "sm_80", 7.2)
    old = stores(locations, "sm_80", 7.1)
    assert ".loc 1 30 4\n" in old
    assert "inlined" not in old


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_120a"])
def test_ptxas_keeps_the_lines(gpu: str):
    awkward = at(9, file='/home/user/"kernel\\é\n.py')
    text = stores((IN_INNER, at(8, file="/home/user/other.py"), awkward), gpu)
    assert '.file 3 "/home/user/?kernel\\??.py"' in text
    cubin = assemble(text, gpu, "-lineinfo").cubin
    assert b"other.py\0" in cubin
    assert b"outer\0" in cubin


def test_the_emulator_runs_what_has_lines():
    results = [np.zeros(64, np.int32) for _ in range(2)]
    for lineinfo, result in zip((True, False), results, strict=True):
        text = stores((IN_INNER, at(5), at(6)), lineinfo=lineinfo)
        emulator.load(text).launch(None, (1, 1, 1), [result])
    assert np.array_equal(results[0], results[1])
    assert results[0].any()


LOOP = """
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^head(%zero, %zero : i32, i32)
^head(%i: i32, %sum: i32):
  %more = llvm.icmp "slt" %i, %n : i32 loc("loop.py":10:0)
  llvm.cond_br %more, ^body, ^end loc("loop.py":11:0)
^body:
  %wide = llvm.zext %i : i32 to i64 loc("loop.py":12:0)
  %from = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32 loc("loop.py":12:0)
  %x = llvm.load %from : !llvm.ptr<1> -> i32 loc("loop.py":12:0)
  %next_sum = llvm.add %sum, %x : i32 loc("loop.py":13:0)
  %next = llvm.add %i, %one : i32 loc("loop.py":14:0)
  llvm.br ^head(%next, %next_sum : i32, i32) loc("loop.py":15:0)
^end:
  llvm.store %sum, %p : i32, !llvm.ptr<1> loc("loop.py":16:0)
  llvm.return loc("loop.py":17:0)"""


def test_jumps_are_where_their_terminator_is():
    text = emit(parse(kernel(LOOP, "%p: !llvm.ptr<1>, %n: i32")), "sm_90a", lineinfo=True)
    line = 0
    lines: dict[str, set[int]] = {}
    for words in (row.split() for row in text.splitlines()):
        if words[:1] == [".loc"]:
            line = int(words[2])
        elif words:
            opcode = words[1] if words[0].startswith("@") else words[0]
            lines.setdefault(opcode.rstrip(";").split(".")[0], set()).add(line)
    assert lines["setp"] == {10}
    assert lines["bra"] == {11, 15}
    assert lines["ld"] == {0, 12}
    assert lines["add"] == {13, 14}
    assert lines["st"] == {16}
    assert lines["ret"] == {17}


SWITCH = """%one = llvm.mlir.constant(1 : i32) : i32
%two = llvm.mlir.constant(2 : i32) : i32
llvm.switch %n : i32, ^head(%one, %two : i32, i32) [1: ^other, 7: ^head(%two, %n : i32, i32)]
^head(%x: i32, %y: i32):
llvm.store %x, %p : i32, !llvm.ptr<1>
%more = llvm.icmp "slt" %x, %y : i32
llvm.cond_br %more, ^head(%y, %n : i32, i32), ^other
^other:
llvm.return"""


@pytest.mark.parametrize("body", [LOOP, SWITCH], ids=["loop", "switch"])
def test_lines_of_the_text_have_the_locations_that_they_state(body: str):
    """Labels have none, and neither have the lines that state them."""
    (function,) = parse(kernel(body, "%p: !llvm.ptr<1>, %n: i32")).body.block.ops
    assert isinstance(function, llvm.FuncOp)
    selected = select_function(function, get_target("sm_90a"), None)
    stated: list[LocationAttr | None] = []

    def state(location: LocationAttr | None) -> Sequence[str]:
        stated.append(location)
        return ()

    names = RegisterNames(selected.classes, selected.replaced)
    lines, locations = body_lines(selected, names), body_locations(selected)
    assert [line.endswith(":") for line in lines] == [found is None for found in locations]
    body_lines(selected, RegisterNames(selected.classes, selected.replaced), state)
    # Jumps of one terminator state its place once.
    assert list(dict.fromkeys(stated)) == list(dict.fromkeys(filter(None, locations)))


def test_the_module_asks_for_lines_unless_the_option_says_otherwise():
    text = kernel('llvm.return loc("a.py":3:5)')
    asking = f"builtin.module attributes {{nv_tileaa.lineinfo}} {{ {text} }}"
    assert ".loc 1 3 5\n" in emit(parse(asking))
    assert ".loc" not in emit(parse(asking), lineinfo=False)
    assert ".loc" not in emit(parse(text))
    assert ".file" not in emit(parse(text))
    assert ".loc 1 3 5\n" in emit(parse(text), lineinfo=True)
