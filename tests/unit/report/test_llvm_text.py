"""LLVM IR of a report: its lines stem from ops, and its names hold values."""

import re
from collections.abc import Sequence

from tests.unit.report.explained import ATTENTION, SAXPY, lines_with, report_of
from tileir_xdsl.report.schema import CompilationReport, Line
from tileir_xdsl.runtime.cpu.compiling import compiled_for_cpu
from tileir_xdsl.runtime.cpu.host import resolved
from tileir_xdsl.testing.tools import parse

OPCODES = "fadd|fmul|fdiv|icmp|udiv|urem|zext|load|store|getelementptr"


def llvm_ir(report: CompilationReport) -> Sequence[Line]:
    assert report.llvm_ir is not None
    return report.llvm_ir.lines


def test_it_is_what_is_compiled():
    text = "\n".join(line.text for line in llvm_ir(report_of(SAXPY, "cpu"))) + "\n"
    assert text == compiled_for_cpu(parse(SAXPY.read_text()), "saxpy", resolved("cpu")).llvm_ir


def test_lines_and_names_are_those_of_the_last_phase():
    report = report_of(ATTENTION, "cpu")
    last = [phase.lines for phase in report.phases if phase.lines is not None][-1]
    ops = [(m[1], line) for line in last if (m := re.search(rf" llvm\.({OPCODES})\b", line.text))]
    instructions = [
        (m[1], line)
        for line in llvm_ir(report)
        if (m := re.match(rf"  (?:%v\d+ = )?({OPCODES})\b", line.text))
    ]
    assert len(ops) > 300
    assert [(opcode, line.ids) for opcode, line in instructions] == [
        (opcode, line.ids) for opcode, line in ops
    ]
    for (_, line), (_, op) in zip(instructions, ops, strict=True):
        assert {span.id for span in line.spans} <= {span.id for span in op.spans}
        assert [line.text[span.start : span.end] for span in line.spans] == re.findall(
            r"%v\d+", line.text
        )


def test_a_store_of_the_source_is_a_store():
    report = report_of(ATTENTION, "cpu")
    (stored,) = lines_with(report.sources[0].lines, "store_view_tko")
    nest = [line.text for line in llvm_ir(report) if set(stored.ids) & set(line.ids)]
    assert any(line.startswith("  store <16 x half>") for line in nest)
