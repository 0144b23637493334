"""LLVM IR text: LLVM reads all of it, and upstream's translation of the same ops reads the same."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from xdsl.backend.llvm.convert import convert_module
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.backend.llvm_ir import emit
from tileir_xdsl.backend.llvm_ir.function import FORMS
from tileir_xdsl.backend.llvm_ir.writer import CONSTANTS
from tileir_xdsl.testing.tools import context, mlir_tool_path, parse
from tileir_xdsl.walking import ops_in

OPS = Path("tests/filecheck/targets/llvm-ir/ops.mlir")


def in_function(*lines: str, parameters: str = "") -> str:
    """The LLVM IR of a function of these lines."""
    return emit(parse("\n".join((f"llvm.func @f({parameters}) {{", *lines, "}"))))


def read(text: str) -> llvm.ModuleRef:
    """The module that LLVM reads; raises RuntimeError for what it refuses."""
    module = llvm.parse_assembly(text)
    module.verify()
    return module


def lines_of(text: str) -> Counter[str]:
    """The lines of a module, without names of values and numbers of metadata."""
    lines: Counter[str] = Counter()
    for line in str(read(text)).splitlines():
        line = re.sub(r"\s*;.*| #\d+$", "", line)
        if (
            not line
            or line.startswith(("source_filename", "attributes", "!", "target"))
            or line.endswith(":")
        ):
            continue
        line = re.sub(r"phi (\S+) .*", r"phi \1", re.sub(r"%[\w.]+", "%", line))
        lines[re.sub(r"!\d+", "!", line).strip()] += 1
    return lines


def test_every_op_of_the_dialect_has_a_form() -> None:
    names = {op.name for op in context().get_dialect("llvm").operations}  # pyright: ignore
    assert names == {*FORMS, *CONSTANTS, "llvm.func", "llvm.mlir.global"}


def test_llvm_reads_every_op() -> None:
    module = parse(OPS.read_text())
    assert {op.name for op in ops_in(module)} >= {*FORMS, *CONSTANTS}
    read(emit(module))


def test_upstream_says_the_same() -> None:
    text = OPS.read_text()
    # Edges that two blocks share are split by both, each in its own manner.
    text = re.sub(r"llvm.func @branches.*?^}$", "", text, flags=re.MULTILINE | re.DOTALL)
    result = subprocess.run(
        [mlir_tool_path("mlir-translate"), "--mlir-to-llvmir"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    assert lines_of(emit(parse(text))) == lines_of(result.stdout)


def test_xdsls_own_back_end_says_the_same() -> None:
    text = """
    llvm.func @f(%a: f32, %p: !llvm.ptr, %n: i64) -> f32 {
      %zero = llvm.mlir.constant(0 : i64) : i64
      llvm.br ^loop(%zero, %a : i64, f32)
    ^loop(%i: i64, %s: f32):
      %q = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> f32
      %t = llvm.fadd %s, %v : f32
      %one = llvm.mlir.constant(1 : i64) : i64
      %j = llvm.add %i, %one : i64
      %more = llvm.icmp "ult" %j, %n : i64
      llvm.cond_br %more, ^loop(%j, %t : i64, f32), ^end
    ^end:
      llvm.return %t : f32
    }"""
    module = parse(text)
    theirs = lines_of(str(convert_module(module, fallback_target_triple="")))
    # Its pointers have types, which opaque ones need a cast for.
    del theirs["% = bitcast ptr % to ptr"]
    assert lines_of(emit(module)) == theirs


def test_a_phi_has_one_value_for_each_block_before() -> None:
    text = in_function(
        "%zero = llvm.mlir.constant(0 : i32) : i32",
        "llvm.cond_br %b, ^end(%i : i32), ^end(%zero : i32)",
        "^end(%r: i32):",
        "llvm.return",
        parameters="%i: i32, %b: i1",
    )
    assert "br i1 %v1, label %bb1, label %bb0.to0" in text
    assert "= phi i32 [ %v0, %bb0 ], [ 0, %bb0.to0 ]" in text
    read(text)


def test_blocks_that_nothing_branches_to() -> None:
    text = in_function("llvm.return", "^end(%r: i32):", "llvm.return")
    assert "freeze i32 poison" in text
    read(text)


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        ("1.1 : f32", "f32", "0x3FF19999A0000000"),
        ("0x7F800000 : f32", "f32", "0x7FF0000000000000"),
        ("1.0e-45 : f32", "f32", "0x36A0000000000000"),
        ("65520.0 : f16", "f16", "0xH7C00"),
        ("1.00390625 : bf16", "bf16", "0xR3F80"),
        ("1.01171875 : bf16", "bf16", "0xR3F82"),
        ("0x7FC0 : bf16", "bf16", "0xR7FC0"),
        ("-128 : i8", "i8", "-128"),
        ("true", "i1", "true"),
        ("dense<2> : vector<4xi16>", "vector<4xi16>", "splat (i16 2)"),
        ("dense<[1, 2]> : vector<2xi64>", "vector<2xi64>", "<i64 1, i64 2>"),
    ],
)
def test_constants(value: str, type: str, text: str) -> None:
    printed = in_function(
        f"%0 = llvm.mlir.constant({value}) : {type}",
        f"llvm.store %0, %p : {type}, !llvm.ptr",
        "llvm.return",
        parameters="%p: !llvm.ptr",
    )
    assert f"{text}, ptr %v0" in printed
    read(printed)


def test_an_acquire_load_stays_one() -> None:
    text = in_function(
        '%0 = llvm.load %p atomic syncscope("singlethread") acquire {alignment = 4 : i64}'
        " : !llvm.ptr -> i32",
        "llvm.return",
        parameters="%p: !llvm.ptr",
    )
    assert 'load atomic i32, ptr %v0 syncscope("singlethread") acquire, align 4' in str(read(text))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nvvm.barrier", "'nvvm.barrier' cannot be written as LLVM IR"),
        ("llvm.return {odd}", "attribute 'odd' of 'llvm.return' cannot be written as LLVM IR"),
        (
            "llvm.return {nvvm.odd}",
            "attribute 'nvvm.odd' of 'llvm.return' cannot be written as LLVM IR",
        ),
        (
            "%0 = llvm.mlir.poison : f8E4M3FN %1 = llvm.freeze %0 : f8E4M3FN",
            "type 'f8E4M3FN' cannot be written as LLVM IR",
        ),
    ],
)
def test_what_has_no_form_is_an_error(line: str, message: str) -> None:
    end = [] if line.startswith("llvm.return") else ["llvm.return"]
    with pytest.raises(PassFailedException, match=message):
        in_function(line, *end)


def test_an_attribute_of_a_function_without_a_form_is_an_error() -> None:
    with pytest.raises(PassFailedException, match=r"'nvvm.kernel' of 'llvm.func'"):
        emit(parse("llvm.func @f() attributes {nvvm.kernel} { llvm.return }"))


def test_the_first_block_is_never_branched_to() -> None:
    with pytest.raises(PassFailedException, match="first block"):
        emit(parse("llvm.func @f() { ^bb0: llvm.br ^bb0 }"))


def test_named_structs_are_defined_once() -> None:
    text = in_function(
        '%0 = llvm.mlir.undef : !llvm.struct<"a pair", (i32, f32)>',
        '%1 = llvm.extractvalue %0[0] : !llvm.struct<"a pair", (i32, f32)>',
        "llvm.return",
    )
    assert text.count('%"a pair" = type { i32, float }') == 1
    read(text)
