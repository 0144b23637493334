"""Reports as text and as JSON, and the labels of ops in them."""

import json
from pathlib import Path

import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.testing import tools


def report() -> Report:
    result = Report("tileas-assign-load-store-layouts")
    result.add(
        "kernel",
        op="#1 nv_tileas.load",
        candidates=[{"atom": "ldg_32", "score": 1.5}, {"atom": "ldg_64", "pruned": "alignment"}],
        forced=False,
        nothing=[],
    )
    return result


def test_text():
    assert report().as_text() == (
        "tileas-assign-load-store-layouts\n"
        "  @kernel\n"
        "    op: #1 nv_tileas.load\n"
        "    candidates:\n"
        "      - atom: ldg_32\n"
        "        score: 1.5\n"
        "      - atom: ldg_64\n"
        "        pruned: alignment\n"
        "    forced: no\n"
    )


def test_the_suffix_decides_the_form(tmp_path: Path):
    write_report(report(), str(tmp_path / "report.json"))
    write_report(report(), str(tmp_path / "report.txt"))
    parsed = json.loads((tmp_path / "report.json").read_text())
    assert parsed["pass"] == "tileas-assign-load-store-layouts"
    assert parsed["functions"]["kernel"][0]["candidates"][0] == {"atom": "ldg_32", "score": 1.5}
    assert (tmp_path / "report.txt").read_text() == report().as_text()


def test_a_file_that_cannot_be_written(tmp_path: Path):
    path = tmp_path / "missing" / "report.txt"
    with pytest.raises(PassFailedException, match=r"cannot write .*report\.txt: No such file"):
        write_report(report(), str(path))


def test_labels_count_in_the_order_of_the_program():
    module = tools.parse("""
    builtin.module {
      %a = "test.op"() ({
        %inner = "test.termop"() : () -> i32
      }) : () -> i32
      "test.op"() : () -> ()
    }
    """)
    labels = OperationLabels(module)
    names = [labels.label(op) for op in module.walk() if op is not module]
    assert names == ["#0 test.op %a", "#1 test.termop %inner", "#2 test.op"]
    inner = labels.find(1)
    assert inner is not None and inner.results[0].name_hint == "inner"
    assert labels.find(3) is None


def test_a_dash_is_the_standard_output(capsys: pytest.CaptureFixture[str]):
    write_report(report(), "-")
    assert capsys.readouterr().out == report().as_text()


def test_what_could_have_been_named():
    module = tools.parse('"test.op"() : () -> ()\n' * 20)
    labels = OperationLabels(module)
    assert labels.expected(lambda op: labels.number(op) in (2, 4)) == (
        "expected one of #2 test.op, #4 test.op"
    )
    assert labels.expected().endswith("#15 test.op and 4 more")
    assert labels.expected(lambda _op: False) == "and no op of it has a choice"
