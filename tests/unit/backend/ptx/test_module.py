"""Module parts: parameters, options, and what has no PTX form."""

import re
import struct
from io import StringIO
from itertools import permutations

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.backend.ptx.harness import GPUS, assemble, elementwise, kernel, ptx, run
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.backend.ptx.module import PTXParts, joined, module_parts
from tileir_xdsl.backend.ptx.parameters import parameter_bytes
from tileir_xdsl.backend.ptx.target import PTXTarget
from tileir_xdsl.runtime.diagnostics import failing_operation
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.symbols import ptx_name
from tileir_xdsl.testing.tools import parse

EMPTY = kernel("llvm.return")


@pytest.mark.parametrize("gpu", GPUS)
def test_target_line(gpu: str) -> None:
    assert f"\n.target {gpu}\n" in ptx(EMPTY, gpu)
    assemble(ptx(EMPTY, gpu), gpu)


def test_target_comes_from_the_option_then_the_module_then_the_default() -> None:
    module = parse(f'builtin.module attributes {{nv_tileaa.target_spec = "sm_80"}} {{ {EMPTY} }}')
    assert ".target sm_80\n" in emit(module)
    assert ".target sm_120a\n" in emit(module, "sm_120a")
    assert ".target sm_90a\n" in emit(parse(EMPTY))
    assert ".target sm_90\n" in emit(parse(EMPTY), 90)


@pytest.mark.parametrize("version", (8.6, "8.6"))
def test_version(version: str | float) -> None:
    assert emit(parse(EMPTY), "sm_90a", version).startswith(".version 8.6\n")
    assert emit(parse(EMPTY), "sm_90a", 9).startswith(".version 9.0\n")


CLUSTERS = """
llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>,
    nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.blocksareclusters} {
  llvm.return
}
"""


def test_a_grid_of_clusters_needs_a_late_version() -> None:
    text = emit(parse(CLUSTERS), "sm_90a")
    assert text.startswith(".version 9.0\n")
    assert ".reqnctapercluster 2, 1, 1\n.blocksareclusters\n" in text
    assemble(text, "sm_90a")


def pointers(count: int, name: str = "k") -> str:
    """A kernel with so many parameters of 8 bytes."""
    arguments = ", ".join(f"%p{number}: !llvm.ptr" for number in range(count))
    return f'llvm.func @"{name}"({arguments}) attributes {{nvvm.kernel}} {{ llvm.return }}'


@pytest.mark.parametrize(("count", "version"), [(544, "8.0"), (545, "8.1"), (4095, "8.1")])
def test_large_parameters_need_a_later_version(count: int, version: str) -> None:
    text = emit(parse(pointers(count)), "sm_90a")
    assert text.startswith(f".version {version}\n")
    assemble(text, "sm_90a")


@pytest.mark.parametrize("name", ["ld", "_a", "$$", "a$b", "__nv_x", "f32", "ret"])
def test_names_of_kernels(name: str) -> None:
    assemble(emit(parse(pointers(1, name)), "sm_90a"), "sm_90a")


NOT_IN_PTX = ("a-b", "1a", "a b", "_", "$", "add.f32", "ä", "%tid", "WARP_SZ", "größe_🙂", "k$xe4$")


@pytest.mark.parametrize("name", NOT_IN_PTX)
def test_names_that_ptx_does_not_have(name: str) -> None:
    """They become others, of kernels, parameters and variables."""
    text = (
        f'llvm.mlir.global external @"{name}_g"() {{addr_space = 1 : i32}} : !llvm.array<4 x i8>'
        f"\n{pointers(2, name)}"
    )
    ptx = emit(parse(text), "sm_90a")
    assemble(ptx, "sm_90a")
    assert list(emulator.load(ptx).kernels) == [ptx_name(name)] != [name]


def test_no_two_names_become_one() -> None:
    names = [*NOT_IN_PTX, *map(ptx_name, NOT_IN_PTX), "$x24$", "x57", "ARP_SZ", ""]
    assert len({ptx_name(name) for name in names}) == len(set(names))


REFUSED = {
    "'llvm.func' @k: its parameters take 32768 bytes, but the parameters of a kernel take at most 32764": (
        pointers(4096),
        "sm_90a",
        None,
    ),
    "a kernel with 4360 bytes of parameters needs PTX 8.1 or later, but the version is 8.0": (
        pointers(545),
        "sm_90a",
        "8.0",
    ),
    "'nvvm.blocksareclusters' needs PTX 9.0 or later, but the version is 8.0": (
        CLUSTERS,
        "sm_90a",
        "8.0",
    ),
    "unknown target 'sm_1'": (EMPTY, "sm_1", None),
    "expected a PTX version such as 8.6, got 'new'": (EMPTY, "sm_90a", "new"),
    "sm_100a needs PTX 8.6 or later, but the version is 8.0": (EMPTY, "sm_100a", 8.0),
    "'arith.constant' has no PTX form": (
        kernel("%0 = arith.constant 1 : i32\nllvm.return"),
        "sm_90a",
        None,
    ),
    "'func.func' has no PTX form": ("func.func @f() { func.return }", "sm_90a", None),
    "'llvm.func' @f: a function with a body must be a kernel ('nvvm.kernel') to be written as PTX": (
        "llvm.func @f() { llvm.return }",
        "sm_90a",
        None,
    ),
    "'llvm.func' @k: type i7 cannot be held in PTX registers": (
        kernel("llvm.return", "%x: i7"),
        "sm_90a",
        None,
    ),
    "'llvm.func' @k: a kernel parameter cannot be of type vector<4xf32>": (
        kernel("llvm.return", "%x: vector<4xf32>"),
        "sm_90a",
        None,
    ),
    "'llvm.add': PTX has no arithmetic on i128": (
        kernel(
            "%a = llvm.zext %x : i32 to i128\n%b = llvm.add %a, %a : i128\n"
            "%c = llvm.trunc %b : i128 to i32\nllvm.store %c, %p : i32, !llvm.ptr\nllvm.return",
            "%x: i32, %p: !llvm.ptr",
        ),
        "sm_90a",
        None,
    ),
    "'llvm.call_intrinsic': unknown intrinsic 'llvm.nvvm.nothing'": (
        elementwise(
            '%result = llvm.call_intrinsic "llvm.nvvm.nothing"(%x0) : (f32) -> f32', ["f32"], "f32"
        ),
        "sm_90a",
        None,
    ),
    "'llvm.intr.sin': PTX has an approximation only; it needs the fast-math flag afn": (
        elementwise("%result = llvm.intr.sin(%x0) : (f32) -> f32", ["f32"], "f32"),
        "sm_90a",
        None,
    ),
    "'llvm.load': alignment 2 is too small for f32": (
        kernel(
            "%a = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> f32\n"
            "llvm.store %a, %p : f32, !llvm.ptr\nllvm.return",
            "%p: !llvm.ptr",
        ),
        "sm_90a",
        None,
    ),
    "'llvm.extractelement': the index of an element must be a constant": (
        elementwise(
            "%u = llvm.mlir.undef : vector<2xf32>\n"
            "%result = llvm.extractelement %u[%tid : i32] : vector<2xf32>",
            ["f32"],
            "f32",
        ),
        "sm_90a",
        None,
    ),
    "'llvm.trunc': PTX has no arithmetic on i128": (
        kernel(
            "%a = llvm.load %p : !llvm.ptr -> i128\n%b = llvm.trunc %a : i128 to i64\n"
            "llvm.store %b, %p : i64, !llvm.ptr\nllvm.return",
            "%p: !llvm.ptr",
        ),
        "sm_90a",
        None,
    ),
    "'llvm.store': PTX has no constants of 128 bits": (
        kernel(
            "%a = llvm.mlir.constant(3 : i128) : i128\n"
            "llvm.store %a, %p : i128, !llvm.ptr\nllvm.return",
            "%p: !llvm.ptr",
        ),
        "sm_90a",
        None,
    ),
    "'llvm.load' needs PTX 8.3 or later, not 7.8": (
        kernel(
            "%a = llvm.load %p : !llvm.ptr -> i128\n"
            "llvm.store %a, %p : i128, !llvm.ptr\nllvm.return",
            "%p: !llvm.ptr",
        ),
        "sm_80",
        7.8,
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message: str) -> None:
    text, gpu, version = REFUSED[message]
    module = parse(text)
    with pytest.raises(DiagnosticException) as caught:
        emit(module, gpu, version)
    assert str(caught.value).startswith(message)
    # A message about an op is shown with its line.
    assert failing_operation(caught.value) is not None or not message.startswith("'")


def test_several_kernels_and_declarations() -> None:
    text = EMPTY + EMPTY.replace("@k", "@second") + "llvm.func @other(i32)"
    printed = ptx(text)
    assert printed.count(".visible .entry") == 2 and "other" not in printed
    assemble(printed, "sm_90a")


def test_small_parameters() -> None:
    body = """%z = llvm.zext %b : i1 to i8
    %s = llvm.add %z, %c : i8
    %w = llvm.sext %s : i8 to i32
    %v = llvm.sext %h : i16 to i32
    %t = llvm.add %w, %v : i32
    llvm.store %t, %p : i32, !llvm.ptr<1>
    llvm.return"""
    out = np.zeros(1, np.int32)
    text = kernel(body, "%p: !llvm.ptr<1>, %b: i1, %c: i8, %h: i16")
    run(text, [out, 1, -5, -100])
    assert out[0] == -104
    assemble(ptx(text), "sm_90a")


def test_stack() -> None:
    body = """%one = llvm.mlir.constant(1 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %a = llvm.alloca %one x i8 {alignment = 1 : i64} : (i32) -> !llvm.ptr<5>
    %b = llvm.alloca %four x f32 : (i32) -> !llvm.ptr<5>
    %q = llvm.getelementptr %b[2] : (!llvm.ptr<5>) -> !llvm.ptr<5>, f32
    llvm.store %x, %q : f32, !llvm.ptr<5>
    %g = llvm.addrspacecast %b : !llvm.ptr<5> to !llvm.ptr
    %r = llvm.getelementptr %g[2] : (!llvm.ptr) -> !llvm.ptr, f32
    %y = llvm.load %r : !llvm.ptr -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return"""
    text = kernel(body, "%p: !llvm.ptr<1>, %x: f32")
    out = np.zeros(1, np.float32)
    run(text, [out, 2.5])
    assert out[0] == 2.5
    assert ".local .align 4 .b8 __stack[16];" in ptx(text)
    assemble(ptx(text), "sm_90a")


STACKED = {
    "byte": ("i8", 1),
    "vector": ("vector<4xi32>", 16),
    "word": ("i64", 8),
}
"""Allocations of one value: its type and its alignment."""


@pytest.mark.parametrize("order", list(permutations(STACKED)), ids=" ".join)
def test_allocations_are_apart_and_as_aligned_as_they_say(order: tuple[str, ...]) -> None:
    lines = ["%one = llvm.mlir.constant(1 : i32) : i32"]
    for name in order:
        type, alignment = STACKED[name]
        made = f"%at_{name} = llvm.alloca %one x {type} {{alignment = {alignment} : i64}}"
        lines.append(f"{made} : (i32) -> !llvm.ptr<5>")
    for name in order:
        type, _ = STACKED[name]
        lines.append(f"%in_{name} = llvm.load %{name} : !llvm.ptr<1> -> {type}")
        lines.append(f"llvm.store %in_{name}, %at_{name} : {type}, !llvm.ptr<5>")
    for name in order:
        type, _ = STACKED[name]
        lines.append(f"%out_{name} = llvm.load %at_{name} : !llvm.ptr<5> -> {type}")
        place = (
            f"%to_{name} = llvm.getelementptr %{name}[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {type}"
        )
        lines += [place, f"llvm.store %out_{name}, %to_{name} : {type}, !llvm.ptr<1>"]
    arguments = ", ".join(f"%{name}: !llvm.ptr<1>" for name in STACKED)
    text = kernel("\n".join([*lines, "llvm.return"]), arguments, "nvvm.reqntid = array<i32: 1>")
    byte, vector = np.array([0x5A, 0], np.int8), np.arange(8, dtype=np.int32)
    word = np.array([-1, 0])
    run(text, [byte, vector, word])
    assert (*byte, *word) == (0x5A, 0x5A, -1, -1) and vector.tolist() == [0, 1, 2, 3] * 2
    assert ".local .align 16 .b8 __stack[" in ptx(text)
    assemble(ptx(text), "sm_90a")


def test_switch() -> None:
    body = """%tid = nvvm.read.ptx.sreg.tid.x : i32
    %to = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.switch %tid : i32, ^other [1: ^one, 3: ^three(%x : i32)]
  ^one:
    llvm.store %tid, %to : i32, !llvm.ptr<1>
    llvm.return
  ^three(%v: i32):
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  ^other:
    llvm.return"""
    text = kernel(body, "%p: !llvm.ptr<1>, %x: i32")
    out = np.full(64, -1, np.int32)
    run(text, [out, 9])
    expected = np.full(64, -1)
    expected[1], expected[3] = 1, 9
    np.testing.assert_array_equal(out, expected)
    assemble(ptx(text), "sm_90a")


PRINTF = """llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @unused(!llvm.ptr)
llvm.mlir.global internal constant @format("%d\\0A\\00") {addr_space = 0 : i32}
"""


def test_calls_of_external_functions() -> None:
    body = """%one = llvm.mlir.constant(1 : i32) : i32
    %f = llvm.mlir.addressof @format : !llvm.ptr
    %a = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    llvm.store %x, %a : i32, !llvm.ptr
    %n = llvm.call @vprintf(%f, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.store %n, %p : i32, !llvm.ptr<1>
    llvm.return"""
    text = ptx(PRINTF + kernel(body, "%x: i32, %p: !llvm.ptr<1>"))
    declaration = (
        ".extern .func (.param .b32 func_retval0) "
        "vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);"
    )
    assert declaration in text and "unused" not in text
    assert ".global .align 1 .b8 format[4] = {37, 100, 10, 0};" in text
    for gpu in GPUS:
        assemble(ptx(PRINTF + kernel(body, "%x: i32, %p: !llvm.ptr<1>"), gpu), gpu)


def test_arguments_of_calls_have_a_word_or_two() -> None:
    """As in LLVM: narrower integers are widened to 32 bits (PTX ABI)."""
    narrow, wide = "i8, i16, i32, f16, f32", "i64, f64, !llvm.ptr"
    types = f"{narrow}, {wide}".split(", ")
    values = [f"%a{n}: {type}" for n, type in enumerate(types)]
    names = ", ".join(f"%a{n}" for n in range(len(types)))
    body = f"llvm.call @f({names}) : ({', '.join(types)}) -> ()\nllvm.return"
    text = ptx(f"llvm.func @f({', '.join(types)})\n" + kernel(body, ", ".join(values)))
    declared = re.findall(r"\.param \.b(\d+) f_param_", text)
    assert declared == ["32"] * 5 + ["64"] * 3
    assert re.findall(r"st\.param\.b(\d+) ", text) == declared


@pytest.mark.parametrize("order", ["i8 i64 i16 f64 i1", "i64 i8", "f16 f32 i8 i8 i16", "i1 i32 i8"])
def test_parameters_lie_as_in_a_struct_of_c(order: str) -> None:
    """The launch packs them so; each has as many bytes as its type."""
    of_c = {
        "i1": "b",
        "i8": "b",
        "i16": "h",
        "i32": "i",
        "i64": "q",
        "f16": "e",
        "f32": "f",
        "f64": "d",
    }
    types = order.split()
    stores = [
        f"%p{n} = llvm.getelementptr %out[{8 * n}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\nllvm.store %x{n}, %p{n} : {type}, !llvm.ptr<1>"
        for n, type in enumerate(types)
    ]
    parameters = ", ".join(f"%x{n}: {type}" for n, type in enumerate(types))
    module = parse(kernel("\n".join([*stores, "llvm.return"]), f"{parameters}, %out: !llvm.ptr<1>"))
    (function,) = (op for op in module.walk() if isinstance(op, llvm.FuncOp))
    assert parameter_bytes(function) == struct.calcsize(
        "@" + "".join(map(of_c.__getitem__, types)) + "P"
    )
    text = emit(module, "sm_90a")
    declared = re.findall(r"\.param \.[a-z](\d+) k_param_", text)
    assert [int(bits) // 8 for bits in declared] == [struct.calcsize(of_c[type]) for type in types]


def test_modules_become_one() -> None:
    """Of the latest version, with each variable and each declaration once."""
    shared = "llvm.mlir.global internal @g(dense<7> : tensor<2xi8>) {addr_space = 1 : i32} : !llvm.array<2 x i8>\n"
    call = "llvm.func @free(!llvm.ptr)\n"
    body = "llvm.call @free(%p) : (!llvm.ptr) -> ()\nllvm.return"
    attributes = {
        "old": "nvvm.reqntid = array<i32: 1>",
        "new": "nvvm.reqntid = array<i32: 1>, nvvm.blocksareclusters, nvvm.cluster_dim = array<i32: 2, 1, 1>",
    }
    parts = list[PTXParts]()
    for name, attribute in attributes.items():
        text = shared + call + kernel(body, "%p: !llvm.ptr", attribute).replace("@k(", f"@{name}(")
        parts.append(module_parts(parse(text), get_target("sm_90a"), None))
    for modules in (parts, parts[::-1]):
        text = joined(modules).text
        assert text.startswith(".version 9.0\n")
        assert text.count(" g[2]") == text.count(".extern .func") == 1
        assert set(emulator.load(text).kernels) == {"old", "new"}
        assemble(text, "sm_90a")


def test_inline_assembly_that_updates_its_operands() -> None:
    body = """%s = llvm.inline_asm "{ .reg .b32 t; add.s32 t, $0, $1; sub.s32 $1, $0, $1; mov.b32 $0, t; }", "=r,=r,0,1" %x, %y : (i32, i32) -> !llvm.struct<(i32, i32)>
    %u = llvm.extractvalue %s[0] : !llvm.struct<(i32, i32)>
    %v = llvm.extractvalue %s[1] : !llvm.struct<(i32, i32)>
    %q = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %u, %p : i32, !llvm.ptr<1>
    llvm.store %v, %q : i32, !llvm.ptr<1>
    llvm.return"""
    text = kernel(body, "%x: i32, %y: i32, %p: !llvm.ptr<1>", "nvvm.reqntid = array<i32: 1>")
    out = np.zeros(2, np.int32)
    run(text, [50, 8, out])
    assert out.tolist() == [58, 42]
    assemble(ptx(text), "sm_90a")


def test_a_call_is_jumped_around_not_guarded() -> None:
    body = """%zero = llvm.mlir.constant(0 : i32) : i32
    %is = llvm.icmp "eq" %x, %zero : i32
    llvm.cond_br %is, ^then, ^after
  ^then:
    llvm.call @free(%p) : (!llvm.ptr) -> ()
    llvm.br ^after
  ^after:
    llvm.return"""
    text = "llvm.func @free(!llvm.ptr)\n" + kernel(body, "%x: i32, %p: !llvm.ptr")
    for gpu in GPUS:
        assemble(ptx(text, gpu), gpu)


def test_only_what_is_external_and_has_a_value_is_visible() -> None:
    text = """llvm.mlir.global external @a(dense<7> : tensor<2xi8>) {addr_space = 1 : i32} : !llvm.array<2 x i8>
    llvm.mlir.global internal @b(dense<7> : tensor<2xi8>) {addr_space = 1 : i32} : !llvm.array<2 x i8>
    llvm.mlir.global external @c() {addr_space = 3 : i32} : !llvm.array<0 x i8>
    """ + kernel("llvm.return")
    lines = ptx(text).splitlines()
    assert ".visible .global .align 1 .b8 a[2] = {7, 7};" in lines
    assert ".global .align 1 .b8 b[2] = {7, 7};" in lines
    assert ".extern .shared .align 1 .b8 c[];" in lines
    assemble(ptx(text), "sm_90a")


def test_inline_assembly() -> None:
    body = """%r = llvm.inline_asm asm_dialect = att "add.s32 $0, $1, ${2};", "=r,r,r" %x, %x : (i32, i32) -> i32
    %s = llvm.inline_asm has_side_effects "{ .reg .b32 $$t; mul.lo.s32 $$t, $2, 3; add.s32 $0, $$t, $0; mov.b32 $1, $$t; }", "=r,=r,r,0,~{memory}" %x, %r : (i32, i32) -> !llvm.struct<(i32, i32)>
    %u = llvm.extractvalue %s[0] : !llvm.struct<(i32, i32)>
    %v = llvm.extractvalue %s[1] : !llvm.struct<(i32, i32)>
    %q = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %u, %p : i32, !llvm.ptr<1>
    llvm.store %v, %q : i32, !llvm.ptr<1>
    llvm.return"""
    text = kernel(body, "%x: i32, %p: !llvm.ptr<1>")
    printed = ptx(text)
    assert "mul.lo.s32 $t, %r0, 3;" in printed
    assemble(printed, "sm_90a")


@pytest.mark.parametrize("version", ("ptx-version=8.6", "ptx_version=8.6", 'ptx-version="8.6"'))
def test_options_of_the_target(version: str) -> None:
    spec = parse_spec(f"ptx{{gpu=sm_90a {version}}}")
    output = StringIO()
    PTXTarget.from_spec(spec).emit(Context(), parse(EMPTY), output)
    assert output.getvalue().startswith(".version 8.6\n.target sm_90a\n")


def test_a_version_that_is_no_number_is_refused() -> None:
    spec = parse_spec("ptx{ptx-version=new}")
    with pytest.raises(DiagnosticException, match="expected a PTX version such as"):
        PTXTarget.from_spec(spec).emit(Context(), parse(EMPTY), StringIO())
