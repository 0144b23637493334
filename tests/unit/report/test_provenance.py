"""Ops and values keep their ids through passes, and everything stems from something."""

import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.report.explained import ATTENTION, MATMUL, SAXPY, lines_with, report_of
from tileir_xdsl.report.provenance import Provenance
from tileir_xdsl.testing.tools import parse, run_passes
from tileir_xdsl.walking import ops_in

REPORTS = [(SAXPY, "sm_90a"), (ATTENTION, "sm_80"), (MATMUL, "sm_90a"), (MATMUL, "sm_100a")]
IDS = [f"{file.stem}-{gpu}" for file, gpu in REPORTS]

INSTRUCTION = re.compile(r"\t(?!\.)\S.*;$|\t@")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("file, gpu", REPORTS, ids=IDS)
def test_every_instruction_of_ptx_has_an_origin(file: Path, gpu: str):
    report = report_of(file, gpu)
    assert report.ptx is not None
    body = [line for line in report.ptx.lines if INSTRUCTION.match(line.text)]
    assert len(body) > 10
    assert [line.text for line in body if not line.ids] == []


@pytest.mark.parametrize("file, gpu", REPORTS, ids=IDS)
def test_all_ids_are_of_the_module_as_read(file: Path, gpu: str):
    report = report_of(file, gpu)
    read = report.phases[0].lines
    assert read is not None
    known = {origin for line in read for origin in line.ids}
    texts = [phase.lines for phase in report.phases if phase.lines is not None]
    assert report.ptx is not None and report.sass is not None
    for lines in [*texts, report.ptx.lines, report.sass.lines]:
        assert {origin for line in lines for origin in line.ids} <= known
    for phase in report.phases:
        assert {origin for d in phase.decisions for origin in d.ids} <= known


@pytest.mark.parametrize("file, gpu", REPORTS, ids=IDS)
def test_every_op_of_every_phase_has_an_origin(file: Path, gpu: str):
    for phase in report_of(file, gpu).phases:
        for line in phase.lines or ():
            is_op = re.match(r"\s*(%\S+.* = |\w+\.\w+)", line.text) is not None
            if is_op and not line.text.startswith("builtin.module"):
                assert line.ids, f"{phase.pass_name}: {line.text}"


@pytest.mark.parametrize("file, gpu", REPORTS, ids=IDS)
def test_spans_are_of_values_in_the_text(file: Path, gpu: str):
    report = report_of(file, gpu)
    assert report.ptx is not None
    for lines in [*(p.lines or () for p in report.phases), report.ptx.lines]:
        for line in lines:
            assert all(line.text[start] == "%" for start, _, _ in line.spans)
            assert all(re.fullmatch(r"%[\w.$-]+", line.text[s:e]) for s, e, _ in line.spans)


def test_a_load_keeps_its_id_down_to_its_instruction():
    report = report_of(SAXPY)
    read, assigned, llvm = (
        next(p.lines for p in report.phases if p.pass_name == name and p.lines)
        for name in ("read", "tileas-assign-load-store-layouts", "convert-tileas-to-llvm")
    )
    (x_load,) = lines_with(read, "load_view_tko weak %x_tiles")
    assert x_load.ids == lines_with(assigned, "tiled_load weak %x_tiles")[0].ids
    assert report.ptx is not None and report.sass is not None
    for lines, load in (
        (llvm, "masked.load"),
        (report.ptx.lines, "ld.global"),
        (report.sass.lines, "LDG"),
    ):
        found = {origin for line in lines_with(lines, load) for origin in line.ids}
        assert set(x_load.ids) < found


def test_a_value_keeps_its_id_while_it_is_replaced_one_for_one():
    report = report_of(SAXPY)
    for phase in report.phases:
        for line in lines_with(phase.lines or (), "%sum = "):
            assert (
                line.spans[0].id
                == lines_with(report.phases[0].lines or (), "%sum = ")[0].spans[0].id
            )


def test_following_changes_nothing_that_is_printed():
    text = SAXPY.read_text()
    plain, followed = parse(text), parse(text)
    provenance = Provenance()
    provenance.read(followed)
    assert str(followed) == str(plain)
    assert [op.location for op in ops_in(followed)] == [op.location for op in ops_in(plain)]


TWICE = """
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.muli %a, %b : i32
  func.return %c : i32
}
"""


def named(module: ModuleOp, provenance: Provenance) -> list[tuple[str, tuple[str, ...]]]:
    return [(op.name, provenance.origins(op)) for op in ops_in(module)[1:]]


def test_ops_without_locations_have_origins_of_their_own():
    module, provenance = parse(TWICE), Provenance()
    provenance.read(module)
    run_passes(module, "cse")
    provenance.follow(module)
    assert named(module, provenance) == [
        ("func.func", ("o0",)),
        ("arith.addi", ("o1",)),
        ("arith.muli", ("o3",)),
        ("func.return", ("o4",)),
    ]


def test_a_clone_has_the_values_of_what_it_is_a_clone_of():
    module, provenance = parse(TWICE), Provenance()
    provenance.read(module)
    before = {op.name: [provenance.value(r) for r in op.results] for op in ops_in(module)[1:]}
    snapshot, clone = provenance.snapshot(module), module.clone()
    provenance.restore(clone, snapshot)
    after = {op.name: [provenance.value(r) for r in op.results] for op in ops_in(clone)[1:]}
    assert before == after
    assert None not in [value for values in after.values() for value in values]
    assert named(clone, provenance) == named(module, provenance)
