"""A sample of the modules, given to both compilers again; and how what they say is classified."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tileiras_agreement import __main__ as command
from tests.tileiras_agreement import compilers
from tests.tileiras_agreement.cases import GPUS, Case, cases, operations, short_name
from tests.tileiras_agreement.compilers import (
    ACCEPTED,
    CRASHED,
    INVALID,
    REFUSED,
    SLOW,
    Verdict,
    ours,
    shortened,
    theirs,
)
from tests.tileiras_agreement.reasons import reason
from tests.tileiras_agreement.results import (
    BOTH,
    CRASH,
    NEITHER,
    OUR_FAULT,
    OURS,
    THEIRS,
    Row,
    core,
    from_json,
    gathered,
    kept,
    read_log,
    store,
)
from tileir_xdsl.dialects import cuda_tile as ct

SAMPLE = (
    (ct.IotaOp, "i8 512", "sm_80", NEITHER),
    (ct.FToFOp, "f32 to f8E4M3FN", "sm_80", NEITHER),
    (ct.PackOp, "tf32", "sm_89", BOTH),
    (ct.EntryOp, "too many arguments", "sm_80", BOTH),
    (ct.EntryOp, "argument attributes", "sm_80", NEITHER),
    (ct.EntryOp, "default num_cta_in_cga 0", "sm_80", BOTH),
    (ct.ModuleOp, "kernel 'a-b'", "sm_120a", OURS),
    (ct.GlobalOp, "aligned 3", "sm_90a", BOTH),
    (ct.BreakOp, "alone", "sm_90a", BOTH),
    (ct.LoadViewTkoOp, "gathered", "sm_100a", BOTH),
    (ct.LoadViewTkoOp, "gathered, i16 indices", "sm_90a", OURS),
    (ct.GdcWaitTkoOp, "0 tokens", "sm_80", BOTH),
)
"""What the two differed on once, and some others: operation, module, target, outcome."""


def _case(operation: type, name: str) -> Case:
    (found,) = (case for case in cases(operation) if case.name == name)
    return found


def test_a_sample_agrees() -> None:
    for operation, name, gpu, outcome in SAMPLE:
        data = _case(operation, name).data()
        assert data is not None
        row = Row(short_name(operation), name, gpu, ours(data, gpu), theirs(data, gpu))
        assert row.outcome == outcome, row


ROWS = {
    (ACCEPTED, ACCEPTED): BOTH,
    (INVALID, REFUSED): NEITHER,
    (REFUSED, REFUSED): NEITHER,
    (ACCEPTED, REFUSED): OURS,
    (INVALID, ACCEPTED): THEIRS,
    (ACCEPTED, CRASHED): CRASH,
    (REFUSED, SLOW): CRASH,
    (CRASHED, ACCEPTED): OUR_FAULT,
    (SLOW, CRASHED): OUR_FAULT,
}


def _row(mine: str, other: str, gpu: str = "sm_80") -> Row:
    return Row("addf", "f32", gpu, Verdict(mine, "no"), Verdict(other, "no"))


@pytest.mark.parametrize(("kinds", "outcome"), ROWS.items())
def test_outcomes(kinds: tuple[str, str], outcome: str) -> None:
    assert _row(*kinds).outcome == outcome
    assert _row(*kinds).is_settled == (kinds == (INVALID, REFUSED))


def test_results_are_kept_as_they_are(tmp_path: Path) -> None:
    rows = [_row(*kinds, gpu) for kinds in ROWS for gpu in GPUS]
    assert [from_json(json.loads(json.dumps(row.as_json()))) for row in rows] == rows
    results = gathered(rows)
    assert results.total == len(rows)
    store(results, tmp_path / "kept.json")
    again = kept(tmp_path / "kept.json")
    assert (again.counts, again.same_words) == (results.counts, 10)
    assert len(again.rows) == 6 * len(GPUS)


WORDS = {
    "kernel: error: Incompatibility with architecture 'sm_90a': unsupported type 'i4'; "
    "it needs sm_100 or later": (
        "Incompatibility with architecture 'sm_90': unsupported type 'i4'"
    ),
    "all dimensions must be positive constants, got 8, 0 (Type section, offset 84)": (
        "error at offset 18: all dimensions must be positive constants, got 8, 0"
    ),
    "'cuda_tile.load_view_tko': expected 2 results (Func section, body of 'kernel', offset 3)": (
        "'cuda_tile.load_view_tko' op expected 2 results"
    ),
}


@pytest.mark.parametrize(("mine", "other"), WORDS.items())
def test_places_are_no_part_of_what_is_said(mine: str, other: str) -> None:
    assert core(mine) == core(other) != ""
    assert core(mine.replace("8", "9").replace("2", "3").replace("i4", "i8")) != core(other)


def test_the_message_is_the_line_that_says_error() -> None:
    text = 'note: see\nloc("k"(1)): error: expected i32\n'
    assert shortened(text) == "expected i32"
    assert shortened("") == ""


def test_a_signal_is_a_crash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tool = tmp_path / "tileiras"
    monkeypatch.setattr(compilers.tools, "tileiras_path", lambda: str(tool))
    for script, expected in {
        "kill -SEGV $$": Verdict(CRASHED, "SIGSEGV"),
        "echo 'error: bad' >&2; exit 5": Verdict(REFUSED, "bad"),
        "echo 'PLEASE submit a bug report' >&2; exit 1": Verdict(
            CRASHED, "PLEASE submit a bug report"
        ),
        "exit 0": Verdict(REFUSED, "exit status 0"),
    }.items():
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        assert theirs(b"", "sm_80") == expected


def test_a_log_is_gone_on_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def answer(data: bytes, gpu: str) -> Verdict:
        asked.append(gpu)
        return Verdict(ACCEPTED)

    monkeypatch.setattr(command, "ours", answer)
    monkeypatch.setattr(command, "theirs", _saying(REFUSED, "unheard of"))
    log = tmp_path / "log.jsonl"
    arguments = ["--op", "make_token", "--log", str(log)]
    assert command.main([*arguments, "--minutes", "0"]) == 0
    assert asked == [] and read_log(log) == []
    assert command.main([*arguments, "--gpu", "sm_80", "--gpu", "sm_89"]) == 1
    assert set(asked) <= {"sm_80", "sm_89"} and asked
    printed = capsys.readouterr().out
    assert "only we accept: make_token, token, sm_80\n  we: accepted \n" in printed
    assert "differences without a reason" in printed
    log_before, count = log.read_text(), len(asked)
    assert command.main([*arguments, "--gpu", "sm_80", "--gpu", "sm_89"]) == 1
    assert (len(asked), log.read_text()) == (count, log_before)
    assert command.main(arguments) == 1
    keys = [row.key for row in read_log(log)]
    assert len(set(keys)) == len(keys) == len(asked) > count


def _saying(kind: str, words: str = "") -> Callable[[bytes, str], Verdict]:
    def say(data: bytes, gpu: str) -> Verdict:
        return Verdict(kind, words)

    return say


def test_what_is_invalid_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "ours", _saying(INVALID, "no"))
    monkeypatch.setattr(command, "theirs", _saying(REFUSED, "no"))
    case = cases(ct.AddFOp)[0]
    assert len(list(command.rows_of(case, GPUS))) == 1
    monkeypatch.setattr(command, "theirs", _saying(ACCEPTED))
    assert len(list(command.rows_of(case, GPUS))) == len(GPUS)


def test_what_has_no_reason_is_named() -> None:
    assert reason(_row(ACCEPTED, REFUSED)) is None
    assert {short_name(op) for op in operations()} >= {"addf", "for", "entry"}
